import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serverFactory } from './server.mjs';

export async function start(options) {
  await serverFactory(options)().connect(new StdioServerTransport());
}
