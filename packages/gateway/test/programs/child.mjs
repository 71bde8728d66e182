// A server over stdio that tells of its process, and ends it in several ways. The first argument says how it behaves from the start.
import { spawn } from 'node:child_process';
import { appendFileSync, writeSync } from 'node:fs';
import { McpServer, serveStdio, text } from 'crosspoint/server/stdio';

const [how = 'serve'] = process.argv.slice(2);
const log = process.env['CHILD_LOG'];
if (log !== undefined) appendFileSync(log, `${process.pid}\n`);

if (how === 'fails') {
  process.stderr.write(`Starting \u001b[31mup\u001b[0m with ${process.env['API_KEY']} and ${process.env['PLAIN']}\n`);
  process.stderr.write('The database is missing.\n');
  process.exit(3);
}
if (how === 'silent') process.exit(4);
if (how === 'stubborn' || how === 'immortal') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}

/** A process that ignores everything that can be ignored. */
function grandchild() {
  const program = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdout.write('up')";
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  if (log !== undefined) appendFileSync(log, `${child.pid}\n`);
  return new Promise((resolve) => child.stdout.once('data', () => resolve(child.pid)));
}

const server = new McpServer({ name: 'child', version: '1.0.0' });
server.registerTool('pid', {}, () => text(String(process.pid)));
server.registerTool('env', {}, () => text(JSON.stringify(process.env)));
server.registerTool('grandchild', {}, async () => text(String(await grandchild())));
server.registerTool('say', {}, () => {
  process.stderr.write(`bell \u0007 and ${process.env['API_KEY']}\nno line end`);
  return text('said');
});
server.registerTool('crash', {}, () => {
  process.stderr.write(`I cannot go on, ${process.env['API_KEY']}\n`);
  process.exit(7);
});
server.registerTool('garbage', {}, () => {
  writeSync(1, '{"jsonrpc":"2.0","id":"nobody asked","result":{}}\n');
  return text('done');
});
server.registerTool('hang', {}, () => new Promise(() => {}));
server.registerTool('ask', {}, async (ctx) => {
  const answer = await ctx.elicit({
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  });
  return text(JSON.stringify(answer));
});
await serveStdio(server, { exitOnEnd: how !== 'stubborn' && how !== 'immortal' });
