import { InMemoryTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { connectClient } from './client.mjs';
import { serverFactory } from './server.mjs';

/** `serveStdio` takes any transport and serves both families over one that carries messages. */
export async function start({ revision, ...options }) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(serverFactory(options), { transport: far });
  return { call: await connectClient(near, { revision }) };
}
