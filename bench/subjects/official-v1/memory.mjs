import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { serverFactory } from './server.mjs';

export async function start(options) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await serverFactory(options)().connect(far);
  const client = new Client({ name: 'bench-client', version: '1.0.0' });
  await client.connect(near);
  return { call: (name, args) => client.callTool({ name, arguments: args }) };
}
