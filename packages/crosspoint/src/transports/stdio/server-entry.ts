export { StdioServerTransport } from './server.ts';
export type { StdioServerOptions } from './server.ts';
