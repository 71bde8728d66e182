// The server behind a bridge that is killed: `node upstream.mjs '<json>'` with { family, carrier, records, port?, keys }. Everything that it does is a line of the
// file `records`, so that a run that is killed has said what it did.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createMcpHandler, McpServer, text } from 'crosspoint/server';
import { fromJsonSchema } from 'crosspoint/schema';
import { serveStdio } from 'crosspoint/server/stdio';
import { tasks } from 'crosspoint/server/tasks';

const { family, carrier, records, port, keys } = JSON.parse(process.argv[2]);
const note = (what, id = '') => appendFileSync(records, `${JSON.stringify({ what, id, pid: process.pid })}\n`);
note('started');

const server = new McpServer({ name: 'upstream', version: '1.0.0' }, { revisions: family, asking: { keys } });
server.use(tasks({ pollIntervalMs: 50 }));
server.server.onerror = ({ message }) => note('problem', message);
const inputSchema = fromJsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] });
const form = { type: 'object', properties: { word: { type: 'string' } } };

/** Something that must happen once in a call, however often its handler runs. */
const once = (ctx, what, id) =>
  ctx.step(what, () => {
    note(what, id);
    return null;
  });
const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

async function ask(ctx, id, which) {
  const { content } = await ctx.elicit({ message: `${which} ${id}`, requestedSchema: form });
  await once(ctx, `${which} answered`, id);
  return content?.word;
}

server.registerTool('work', { inputSchema }, async ({ id }, ctx) => {
  note('run', id);
  ctx.signal.addEventListener('abort', () => note('cancelled', id));
  for (let step = 1; step <= 8 && !ctx.signal.aborted; step += 1) {
    ctx.progress(step, 8);
    await pause(50, ctx.signal);
  }
  return text(`worked ${String(id)}`);
});
server.registerTool('ask', { inputSchema }, async ({ id }, ctx) => {
  await once(ctx, 'run', id);
  ctx.signal.addEventListener('abort', () => note('cancelled', id));
  return text(`${await ask(ctx, id, 'first')} ${await ask(ctx, id, 'second')}`);
});
server.registerTool('job', { inputSchema, task: { support: 'optional' } }, async ({ id }, ctx) => {
  await once(ctx, 'run', id);
  ctx.signal.addEventListener('abort', () => note('cancelled', id));
  await pause(100, ctx.signal);
  return text(`${await ask(ctx, id, 'first')} ${await ask(ctx, id, 'second')}`);
});

if (carrier === 'stdio') await serveStdio(server);
else {
  const handler = createMcpHandler(server, { path: '/mcp' });
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(port, '127.0.0.1', () => process.send(http.address().port));
}
