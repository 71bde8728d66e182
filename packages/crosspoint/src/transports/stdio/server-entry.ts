export {
  StdioServerTransport,
  type StdioServerOptions,
  type StdioServerOptions as ServeStdioOptions,
  type StdioServerTransport as StdioServerHandle,
} from './server.ts';
export { serveStdio, type Connectable } from './serve-stdio.ts';
