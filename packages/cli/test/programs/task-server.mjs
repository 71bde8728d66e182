// A server whose tools run as tasks: over stdio, or over HTTP on a port of loopback that it prints (--http).
//   --revisions <list>  the revisions that it speaks
//   --log <file>        a line for each call that was cancelled
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createMcpHandler, McpServer, text } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';
import { tasks } from 'crosspoint/server/tasks';
import { z } from 'zod';

const { values } = parseArgs({
  options: { revisions: { type: 'string' }, log: { type: 'string' }, http: { type: 'boolean' } },
});
const revisions = values.revisions?.split(',');
const server = new McpServer({ name: 'tasks', version: '1.0.0' }, { ...(revisions && { revisions }) });
server.use(tasks({ pollIntervalMs: 50, list: true }));

server.registerTool('report', { inputSchema: { year: z.number() }, task: 'optional' }, async ({ year }, ctx) => {
  await ctx.task?.setStatus(`collecting \u001B[31m${year}`);
  await pause(150);
  return text(`report ${year}, ${ctx.task === undefined ? 'as a plain call' : 'as a task'}`);
});
server.registerTool('publish', { task: 'optional' }, async (ctx) => {
  const answer = await ctx.elicit({
    message: 'Publish?',
    schema: z.object({ ok: z.boolean(), title: z.string().default('News') }),
  });
  return text(`publish: ${JSON.stringify(answer)}`);
});
server.registerTool('endless', { task: 'optional' }, async (ctx) => {
  ctx.progress(1, 10, 'begun');
  await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
  if (values.log !== undefined) appendFileSync(values.log, 'cancelled\n');
  return text('cancelled');
});
server.registerTool('plain', {}, () => text('no task'));

if (values.http) {
  const handler = createMcpHandler(server);
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(0, '127.0.0.1', () => console.log(http.address().port));
} else await serveStdio(server);
