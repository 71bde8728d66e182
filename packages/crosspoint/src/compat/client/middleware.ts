export { withOAuth } from '../../auth/index.ts';
