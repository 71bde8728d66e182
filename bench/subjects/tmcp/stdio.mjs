import { StdioTransport } from '@tmcp/transport-stdio';
import { createServer } from './server.mjs';

export function start(options) {
  new StdioTransport(createServer(options)).listen();
}
