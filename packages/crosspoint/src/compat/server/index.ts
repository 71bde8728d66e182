export { Server, type ServerOptions } from '../../server/index.ts';
