import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'crosspoint/client';
import { createMcpHandler } from 'crosspoint/server';
import { greeter, store } from './greeter.js';

/** Serves over HTTP with a store, and calls by address, once by name and once by types. */
async function main(): Promise<void> {
  const handler = createMcpHandler(greeter, { path: '/mcp', store });
  const listener = createServer((request, response) => void handler.node(request, response));
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
  const client = new Client({ name: 'visitor', version: '1.0.0' });
  await client.connect(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
  const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  const { length } = await client.as<typeof greeter>().call('measure', { name: 'Ada' });
  console.log(JSON.stringify([content, length.toFixed(1)]));
  await client.close();
  await handler.close({ grace: 1000 });
  listener.close();
  listener.closeAllConnections();
}

void main();
