import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { withProgram } from './programs.ts';

const run = promisify(execFile);

/** Runs a program to its end, and tells what it printed and which files of the library it loaded. */
async function loadedIn(code: string): Promise<{ printed: string; loaded: string[] }> {
  const seen = mkdtempSync(join(tmpdir(), 'crosspoint-loaded-'));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: seen, NODE_OPTIONS: '' };
    const { stdout } = await withProgram(code, (path) => run(process.execPath, [path], { env, timeout: 60_000 }));
    const urls = readdirSync(seen).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(seen, name), 'utf8')) as { result: { url: string }[] };
      return result.map(({ url }) => url);
    });
    const chunks = urls.flatMap((url) => /\/dist\/(?:chunks\/)?(.+)\.js$/.exec(url)?.[1] ?? []);
    return { printed: stdout.trim(), loaded: [...new Set(chunks)].sort() };
  } finally {
    rmSync(seen, { recursive: true, force: true });
  }
}

/** A server that answers one call and prints the answer. */
const program = (more: string): string => `
import { McpServer, text } from 'crosspoint/server/stdio';
${more}
let answered;
const transport = { start: async () => {}, close: async () => {}, send: async (message) => { if (message.id !== undefined) answered(message); } };
await server.connect(transport);
const params = {
  name: 'run',
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'caller', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  },
};
const answer = await new Promise((resolve) => {
  answered = resolve;
  transport.onmessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
});
console.log(answer.result.resultType ?? 'complete');
process.exit(0);`;

const SERVER = "const server = new McpServer({ name: 'parts', version: '1.0.0' });";

it('a server without tasks and raw JSON Schema loads neither', async () => {
  const { printed, loaded } = await loadedIn(program(`${SERVER} server.registerTool('run', {}, () => text('ran'));`));
  expect(printed).toBe('complete');
  expect(loaded).toEqual(['server', 'server/stdio', 'shared']);
});

it('a server with tasks loads them, and nothing of HTTP', async () => {
  const { printed, loaded } = await loadedIn(
    program(`
import { tasks } from 'crosspoint/server/tasks';
${SERVER}
server.use(tasks());
server.registerTool('run', { task: 'optional' }, () => text('ran'));`),
  );
  expect(printed).toBe('task');
  expect(loaded).toContain('server/tasks/index');
  expect(loaded).not.toContain('server/index');
});

it('what both entries of a server export is the same', async () => {
  const { printed } = await loadedIn(`
import * as all from 'crosspoint/server';
import * as stdio from 'crosspoint/server/stdio';
const shared = Object.keys(stdio).filter((name) => name in all);
console.log(JSON.stringify([shared.includes('McpServer'), Object.keys(stdio).filter((name) => !(name in all)), shared.filter((name) => all[name] !== stdio[name])]));`);
  expect(JSON.parse(printed)).toEqual([true, ['StdioServerTransport', 'serveStdio'], []]);
});

it('importing a stdio server makes Node load none of its own modules', async () => {
  const { printed } = await loadedIn(`
const before = new Set(process.moduleLoadList);
await import('crosspoint/server/stdio');
console.log(JSON.stringify(process.moduleLoadList.filter((name) => !before.has(name))));`);
  expect(JSON.parse(printed)).toEqual([]);
});
