import { serve } from '@hono/node-server';
import { McpServer, StreamableHttpTransport } from 'mcp-lite';
import * as z from 'zod';

const server = new McpServer({ name: 'shop', version: '1.0.0', schemaAdapter: (schema) => z.toJSONSchema(schema) });
server.tool('add', {
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
});
serve({ fetch: new StreamableHttpTransport().bind(server), port: 3000, hostname: '127.0.0.1' });
