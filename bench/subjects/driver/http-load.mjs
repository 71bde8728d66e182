export { start } from '../../measure/http-load.mjs';
