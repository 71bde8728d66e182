import { Client } from '@crosspoint/sdk/client/index.js';
import { InMemoryTransport } from '@crosspoint/sdk/inMemory.js';
import { McpServer } from '@crosspoint/sdk/server/mcp.js';
import type { CallToolResult } from '@crosspoint/sdk/types.js';
import * as z from 'zod';

/** A program for the official SDK v1. */
async function main(): Promise<void> {
  const server = new McpServer({ name: 'greeter', version: '1.0.0' });
  server.registerTool('greet', { inputSchema: { name: z.string() } }, ({ name }) => ({
    content: [{ type: 'text', text: `Hello, ${name.trim()}!` }],
  }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'visitor', version: '1.0.0' });
  await Promise.all([server.connect(near), client.connect(far)]);
  const result = (await client.callTool({ name: 'greet', arguments: { name: ' Ada' } })) as CallToolResult;
  console.log(JSON.stringify(result.content));
  await client.close();
}

void main();
