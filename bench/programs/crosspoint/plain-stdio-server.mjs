import { McpServer, serveStdio } from 'crosspoint/server/stdio';
import { fromJsonSchema } from 'crosspoint/schema';

const number = { type: 'number' };
const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool(
  'add',
  {
    description: 'Adds two numbers',
    inputSchema: fromJsonSchema({ type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] }),
    outputSchema: fromJsonSchema({ type: 'object', properties: { sum: number }, required: ['sum'] }),
  },
  ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
);
await serveStdio(server);
