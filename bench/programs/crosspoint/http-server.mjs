import { createServer } from 'node:http';
import { createMcpHandler, McpServer } from 'crosspoint/server';
import * as z from 'zod';

const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool(
  'add',
  { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
  ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
);
const handler = createMcpHandler(server, { path: '/mcp' });
createServer((request, response) => void handler.node(request, response)).listen(3000, '127.0.0.1');
