import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createServer } from './server.mjs';

/** The library has no client; its own tests use that of the official SDK 1.x, which it is built on. */
export async function start({ revision: _revision, ...options }) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'bench-client', version: '1.0.0' });
  await Promise.all([createServer(options).connect(far), client.connect(near)]);
  return { call: (name, args) => client.callTool({ name, arguments: args }) };
}
