// crosspoint-server.mjs REVISION|all stdio|http [RECORD]: a server of this repository, for the clients that are tried. It speaks one revision, or
// all of them, and appends a line to the file RECORD for each request and notification that reaches it.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { logCalls } from 'crosspoint/middleware';
import { McpServer, ResourceTemplate, completable, createMcpHandler, text } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';
import { z } from 'zod';

const STEP_MS = 30;
const [revision, transport, record] = process.argv.slice(2);
const server = new McpServer(
  { name: 'crosspoint', version: '1.0.0' },
  { ...(revision !== 'all' && { revisions: [revision] }), capabilities: { logging: {} } },
);
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

if (record !== undefined) {
  const note = (line) => appendFileSync(record, `${JSON.stringify(line)}\n`);
  server.use(logCalls({ log: note }));
  server.use((operation, next) => {
    const { client, capabilities } = operation.context ?? {};
    if (client !== undefined) note({ client, capabilities });
    return next();
  });
}

server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => text(String(a + b)));
server.registerTool('measure', { outputSchema: { celsius: z.number() } }, () => ({
  content: [{ type: 'text', text: '{"celsius":21}' }],
  structuredContent: { celsius: 21 },
}));
server.registerTool('count', {}, async (ctx) => {
  for (const step of [1, 2, 3]) {
    ctx.progress(step, 3);
    await pause(STEP_MS);
  }
  return text('counted');
});
server.registerTool('tell', {}, async (ctx) => {
  ctx.log('warning', { said: 'told' });
  await pause(STEP_MS);
  return text('done');
});
server.registerTool('wait', {}, async (ctx) => {
  const cancelled = new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
  await Promise.race([cancelled, pause(20_000)]);
  if (record !== undefined && ctx.signal.aborted) appendFileSync(record, '{"cancelled":true}\n');
  return text('waited');
});
server.registerTool('ask', {}, async (ctx) => {
  const { action, content } = await ctx.elicit({ message: 'Which colour?', schema: z.object({ colour: z.string() }) });
  return text(`${action}: ${content?.colour}`);
});
server.registerTool('sample', {}, async (ctx) => {
  const messages = [{ role: 'user', content: { type: 'text', text: 'Two and two?' } }];
  const { content } = await ctx.sample({ messages, maxTokens: 10 });
  return text(`The model says ${content.text}.`);
});
server.registerTool('roots', {}, async (ctx) => text((await ctx.listRoots()).map(({ uri }) => uri).join(' ')));
server.registerResource('one', 'note:///one', { mimeType: 'text/plain' }, (uri) => ({
  contents: [{ uri: uri.href, text: 'first' }],
}));
server.registerResource(
  'page',
  new ResourceTemplate('page:///{number}', { list: undefined }),
  {},
  (uri, { number }) => ({
    contents: [{ uri: uri.href, text: `page ${String(number)}` }],
  }),
);
const who = completable(z.string(), (typed) => ['you', 'me'].filter((name) => name.startsWith(typed)));
server.registerPrompt('greet', { argsSchema: { who } }, ({ who: name }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${name}!` } }],
}));

if (transport === 'stdio') await serveStdio(server);
else {
  const handler = createMcpHandler(server);
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
