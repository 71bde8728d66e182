import { McpServer, serveStdio } from 'crosspoint/server/stdio';
import * as z from 'zod';

const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool(
  'add',
  { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
  ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
);
await serveStdio(server);
