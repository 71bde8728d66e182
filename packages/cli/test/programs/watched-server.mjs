// A server that writes down what happens to it: node watched-server.mjs LOG. Its list of tools has two pages, and every text of it holds an escape sequence.
//   started <pid>, child <pid>, called <tool> <arguments>, cancelled
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { Server, serveStdio } from 'crosspoint/server/stdio';

const [log, ...options] = process.argv.slice(2);
const note = (line) => appendFileSync(log, `${line}\n`);
note(`started ${process.pid}`);
/** Clears the screen, makes a link, turns the direction of text, and sets the title of the window, by C0 and C1. */
const HOSTILE =
  '\u001B[2J\u001B]8;;https://evil.example\u0007here\u001B]8;;\u0007\u202Ehidden\u009B31m\u001B]0;owned\u0007';
console.error(`stderr ${HOSTILE}`);

const server = new Server(
  { name: `watched ${HOSTILE}`, version: '1.0.0' },
  { capabilities: options.includes('--no-tools') ? {} : { tools: {} }, instructions: `Use it. ${HOSTILE}` },
);
const tool = (name, properties = {}) => ({
  name,
  description: `${name} ${HOSTILE}`,
  inputSchema: { type: 'object', properties },
});
const pages = [
  [tool('slow'), tool('echo', { text: { type: 'string' }, ms: { type: 'number' } })],
  [tool('noisy'), tool('broken'), tool('parent'), tool(`odd${HOSTILE}`)],
];
if (!options.includes('--no-tools')) {
  server.setRequestHandler('tools/list', ({ params }) =>
    params?.cursor === 'next' ? { tools: pages[1] } : { tools: pages[0], nextCursor: 'next' },
  );
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, ctx) => {
    note(`called ${String(name)} ${JSON.stringify(args)}`);
    ctx.progress(1, 2, `half ${HOSTILE}`);
    if (name === 'slow') {
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
      note('cancelled');
    }
    if (name === 'echo') await new Promise((resolve) => setTimeout(resolve, args.ms ?? 0));
    if (name === 'broken') throw new Error(`broken ${HOSTILE}`);
    if (name === 'parent') {
      const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], {
        stdio: 'ignore',
      });
      note(`child ${child.pid}`);
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    }
    const text = name === 'echo' ? String(args.text) : `${String(name)} ${HOSTILE}`;
    return { content: [{ type: 'text', text }], ...(name === 'noisy' && { isError: true }) };
  });
}
await serveStdio(server);
