import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { serverFactory } from './server.mjs';

export function start(options) {
  serveStdio(serverFactory(options));
}
