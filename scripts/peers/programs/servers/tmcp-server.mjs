// tmcp-server.mjs stdio|http
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { z } from 'zod';
import { serveFetch } from './serve-fetch.mjs';

const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} };
const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'Adds' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities },
);
server.tool(
  { name: 'add', description: 'Adds two numbers', schema: z.object({ a: z.number(), b: z.number() }) },
  async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
);
server.resource({ name: 'one', description: 'A note', uri: 'note:///one' }, async (uri) => ({
  contents: [{ uri, text: 'first' }],
}));
server.prompt(
  {
    name: 'greet',
    description: 'Greets',
    schema: z.object({ who: z.string() }),
    complete: { who: async () => ({ completion: { values: ['you'], total: 1, hasMore: false } }) },
  },
  async ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${who}!` } }] }),
);
if (process.argv[2] === 'stdio') new StdioTransport(server).listen();
else {
  const transport = new HttpTransport(server, { path: '/mcp' });
  serveFetch(async (request) => (await transport.respond(request)) ?? new Response(undefined, { status: 404 }));
}
