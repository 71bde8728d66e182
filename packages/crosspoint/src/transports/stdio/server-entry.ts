export { StdioServerTransport, type StdioServerOptions } from './server.ts';
export { serveStdio, type Connectable } from './serve-stdio.ts';
