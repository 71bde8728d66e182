import { McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';
import { serveFetch } from './serve-fetch.mjs';

const server = new McpServer({ name: 'mcp-lite', version: '1.0.0', schemaAdapter: (schema) => z.toJSONSchema(schema) });
server.tool('add', {
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
});
server.resource('note:///one', { name: 'one', mimeType: 'text/plain' }, async (uri) => ({
  contents: [{ uri: uri.href, type: 'text', text: 'first' }],
}));
server.prompt('greet', {
  arguments: z.object({ who: z.string() }),
  handler: ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${who}!` } }] }),
});
const handle = new StreamableHttpTransport().bind(server);
serveFetch((request) => handle(request));
