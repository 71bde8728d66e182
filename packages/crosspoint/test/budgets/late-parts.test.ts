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

/** A server over a transport of its own that is given one message after the other and prints each answer. */
const SERVER = `
import { McpServer, text } from 'crosspoint/server/stdio';
const server = new McpServer({ name: 'parts', version: '1.0.0' });
server.registerTool('plain', { inputSchema: { type: 'object', properties: { a: { type: 'number' } } } }, ({ a }) => text(String(a)));
server.registerTool('asks', {}, async ({ elicit }) => text((await elicit({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } })).action));
server.registerTool('runs', { task: 'optional' }, () => text('ran'));
let answered;
const transport = { start: async () => {}, close: async () => {}, send: async (message) => { if (message.id !== undefined) answered(message); } };
await server.connect(transport);
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'caller', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
const call = (name, args = {}, more = {}) => new Promise((resolve) => {
  answered = resolve;
  transport.onmessage({ jsonrpc: '2.0', id: name, method: 'tools/call', params: { name, arguments: args, _meta: { ...meta, ...more } } });
});`;

it('a server that uses neither tasks nor questions nor keys loads none of them', async () => {
  const { printed, loaded } = await loadedIn(`${SERVER}
console.log((await call('plain', { a: 1 })).result.content[0].text);`);
  expect(printed).toBe('1');
  expect(loaded).toEqual(['server', 'server/stdio', 'shared']);
});

it.each([
  ['a question', `(await call('asks')).result.resultType`, 'input_required', 'asking'],
  ['a task', `(await call('runs')).result.resultType`, 'task', 'tasks'],
  [
    'a key',
    `(await call('plain', { a: 2 }, { 'dev.crosspoint/idempotencyKey': 'k' })).result.content[0].text`,
    '2',
    'asking',
  ],
])('%s loads what it needs, and is answered', async (_what, ask, answer, part) => {
  const { printed, loaded } = await loadedIn(`${SERVER}
console.log(${ask});
process.exit(0);`);
  expect(printed).toBe(answer);
  expect(loaded).toContain(part);
});

it('what both entries of a server export is the same', async () => {
  const { printed } = await loadedIn(`
import * as all from 'crosspoint/server';
import * as stdio from 'crosspoint/server/stdio';
const shared = Object.keys(stdio).filter((name) => name in all);
console.log(JSON.stringify([shared.includes('McpServer'), Object.keys(stdio).filter((name) => !(name in all)), shared.filter((name) => all[name] !== stdio[name])]));`);
  expect(JSON.parse(printed)).toEqual([true, ['StdioServerTransport', 'serveStdio'], []]);
});
