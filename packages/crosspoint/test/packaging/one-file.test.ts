import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { ROOT } from '../budgets/programs.ts';

const run = promisify(execFile);

/** A bundle of modules has no `require`, which packages inside of it may ask for. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

async function inOneFile(code: string, path: string): Promise<void> {
  await build({
    stdin: { contents: code, resolveDir: ROOT, loader: 'js' },
    outfile: path,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    banner: { js: REQUIRE },
  });
}

/** Its tool asks, or runs as a task. */
const SERVER = `
import { McpServer, serveStdio } from 'crosspoint/server/stdio';
import { tasks } from 'crosspoint/server/tasks';
import { fromJsonSchema } from 'crosspoint/schema';
const server = new McpServer({ name: 'adder', version: '1.0.0' });
server.use(tasks());
const number = { type: 'number' };
server.registerTool(
  'add',
  { inputSchema: fromJsonSchema({ type: 'object', properties: { a: number, b: number, c: number } }), task: 'optional' },
  async ({ a, b, c }, ctx) => {
    const schema = { type: 'object', properties: { c: number }, required: ['c'] };
    const more = c ?? (await ctx.elicit({ message: 'And?', schema })).content.c;
    return { structuredContent: { sum: a + b + more } };
  },
);
await serveStdio(server);`;

const CLIENT = `
import { TransportClient, StdioClientTransport } from 'crosspoint/client/stdio';
for (const revisions of ['handshake', 'per-request']) {
  const client = new TransportClient({ name: 'caller', version: '1.0.0' }, { revisions, capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { c: 3 } }));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: ['server.js'] }));
  const called = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
  const started = await client.startTask({ name: 'add', arguments: { a: 1, b: 2, c: 3 } });
  const task = await started.wait();
  console.log(JSON.stringify([called.structuredContent, task.structuredContent]));
  await client.close();
}`;

test('a server and a client work as one file each, with what is loaded late', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspoint-one-file-'));
  try {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await inOneFile(SERVER, join(folder, 'server.js'));
    await inOneFile(CLIENT, join(folder, 'client.js'));
    const { stdout } = await run(process.execPath, ['client.js'], { cwd: folder, timeout: 45_000 });
    expect(stdout.trim().split('\n')).toEqual(Array.from({ length: 2 }, () => '[{"sum":6},{"sum":6}]'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
