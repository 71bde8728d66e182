import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../../../../', import.meta.url));
export const LIBRARY: string = join(ROOT, 'packages', 'crosspoint');

const SERVER = `
import * as z from 'zod';
import { McpServer } from 'crosspoint/server';
const server = new McpServer({ name: 'adder', version: '1.0.0' });
server.registerTool(
  'add',
  { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
  async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
);`;

const CLIENT = `
import { Client } from 'crosspoint/client';
const client = new Client({ name: 'caller', version: '1.0.0' });`;

const CALL = `console.log(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }));`;

/** The smallest programs that do something, as people write them. */
export const PROGRAMS = {
  'HTTP server': `${SERVER}
import { createServer } from 'node:http';
import { createMcpHandler } from 'crosspoint/server';
createServer(createMcpHandler(server).node).listen(3000);`,
  'stdio server': `${SERVER.replace("{ McpServer } from 'crosspoint/server'", "{ McpServer, serveStdio } from 'crosspoint/server/stdio'")}
await serveStdio(server);`,
  'HTTP client': `${CLIENT}
await client.connect('http://localhost:3000/mcp');
${CALL}`,
  'stdio client': `
import { TransportClient, StdioClientTransport } from 'crosspoint/client/stdio';
const client = new TransportClient({ name: 'caller', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: 'node', args: ['server.js'] }));
${CALL}`,
  'pair in one process': `${SERVER}
${CLIENT}
import { InMemoryTransport } from 'crosspoint/testing';
const [near, far] = InMemoryTransport.createLinkedPair();
await server.connect(far);
await client.connect(near);
const call = (a) => client.callTool({ name: 'add', arguments: { a, b: 2 } });`,
} as const;

/** Writes a program where packages are found, gives its path to `use`, and takes it away again. */
export async function withProgram<T>(code: string, use: (path: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-budget-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const path = join(folder, 'program.mjs');
    writeFileSync(path, code);
    return await use(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function outputOf(code: string, flags: readonly string[]): Promise<string> {
  const all = ['--expose-gc', '--no-opt', '--single-threaded', ...flags];
  const { stdout, stderr } = await withProgram(code, (path) =>
    spawnSync(process.execPath, [...all, path], { encoding: 'utf8', timeout: 60_000 }),
  );
  if (stdout === '') throw new Error(stderr);
  return stdout;
}

/**
 * The number that a program prints, which counts bytes of its heap. Nothing is collected while it counts, since there is room for everything; and
 * nothing is optimised, since what the optimiser can prove to need no memory differs from run to run.
 */
export async function countedBy(code: string): Promise<number> {
  return Number(await outputOf(code, ['--max-semi-space-size=128', '--min-semi-space-size=128']));
}

/**
 * Bytes that young collections move to the old generation while a program does what is between its lines BEGIN and END, as V8 reports them: those of
 * objects that were still reachable from somewhere when two collections came by.
 */
export async function promotedIn(code: string): Promise<number> {
  const printed = await outputOf(code, ['--trace-gc-nvp']);
  const promoted = /^BEGIN$(.*)^END$/ms.exec(printed)?.[1]?.matchAll(/\bpromoted=(\d+)/g);
  const sizes = Array.from(promoted ?? [], ([, bytes]) => Number(bytes));
  if (sizes.length < 3) throw new Error(`There were ${sizes.length} young collections. ${printed.slice(-500)}`);
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
