import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'crosspoint/client';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import * as z from 'zod';

const server = new McpServer({ name: 'greeter', version: '1.0.0' });
server.registerTool('greet', { inputSchema: { name: z.string() } }, ({ name }) => text(`Hello, ${name}!`));

/** Serves over HTTP, and calls by address. */
async function main(): Promise<void> {
  const handler = createMcpHandler(server, { path: '/mcp' });
  const listener = createServer((request, response) => void handler.node(request, response));
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
  const client = new Client({ name: 'visitor', version: '1.0.0' });
  await client.connect(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
  const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  console.log(JSON.stringify(content));
  await client.close();
  await handler.close({ grace: 1000 });
  listener.close();
  listener.closeAllConnections();
}

void main();
