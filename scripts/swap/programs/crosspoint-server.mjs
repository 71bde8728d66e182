// crosspoint-server.mjs REVISION stdio|http: a server of this repository that speaks one revision, for the clients that are tried.
import { createServer } from 'node:http';
import { McpServer, createMcpHandler } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';
import { z } from 'zod';

const [revision, transport] = process.argv.slice(2);
const server = new McpServer({ name: 'crosspoint', version: '1.0.0' }, { revisions: [revision] });
server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + b) }],
}));
server.registerTool('ask', {}, async (ctx) => {
  const { action, content } = await ctx.elicit({ message: 'Which colour?', schema: z.object({ colour: z.string() }) });
  return { content: [{ type: 'text', text: `${action}: ${content?.colour}` }] };
});
server.registerResource('one', 'note:///one', { mimeType: 'text/plain' }, (uri) => ({
  contents: [{ uri: uri.href, text: 'first' }],
}));
server.registerPrompt('greet', { argsSchema: { who: z.string() } }, ({ who }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${who}!` } }],
}));
if (transport === 'stdio') await serveStdio(server);
else {
  const handler = createMcpHandler(server);
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
