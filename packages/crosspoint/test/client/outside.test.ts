import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InMemoryTransport as OfficialInMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as OfficialServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Client, createVerdictMemory, type ClientOptions } from '../../src/client/index.ts';
import { StdioClientTransport } from '../../src/transports/stdio/client.ts';
import { failure } from './connected.ts';
import { LEGACY, MODERN } from './fake-server.ts';

const require = createRequire(import.meta.url);
const everything = join(
  dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const filesystem = join(
  dirname(require.resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist/index.js',
);
const officialV2 = fileURLToPath(new URL('programs/official-v2-server.mjs', import.meta.url));

const clients: Client[] = [];
const problems: Error[] = [];

function client(options: ClientOptions = {}): Client {
  const made = new Client(
    { name: 'outside', version: '1' },
    { verdicts: createVerdictMemory(), onproblem: (problem) => problems.push(problem), ...options },
  );
  clients.push(made);
  return made;
}

function program(...args: string[]): StdioClientTransport {
  return new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((each) => each.close()));
  problems.length = 0;
});

describe('published servers over stdio', () => {
  test('server-everything: found to be of the handshake family on one process, and used', async () => {
    const everyone = client({ capabilities: { roots: {}, sampling: {}, elicitation: {} } });
    everyone.setRequestHandler('roots/list', () => ({ roots: [] }));
    everyone.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'test',
      content: { type: 'text', text: 'sampled' },
    }));
    everyone.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    await everyone.connect(program(everything, 'stdio'));
    expect(everyone.family).toBe('handshake');
    expect(everyone.revision).toBe(LEGACY);
    const { tools } = await everyone.listTools();
    expect(tools.length).toBeGreaterThan(5);
    const echo = await everyone.callTool({ name: 'echo', arguments: { message: 'hello' } });
    expect(JSON.stringify(echo.content)).toContain('hello');
    expect((await everyone.listResources()).resources.length).toBeGreaterThan(0);
    expect((await everyone.listPrompts()).prompts.length).toBeGreaterThan(0);
    expect(await everyone.ping()).toEqual({});
  });

  test('server-filesystem: its output schemas are used, not refused', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'crosspoint-client-')));
    try {
      await writeFile(join(folder, 'note.txt'), 'from a file');
      const files = client({ outputValidation: 'error' });
      await files.connect(program(filesystem, folder));
      const { tools } = await files.listTools();
      expect(tools.some(({ outputSchema }) => outputSchema !== undefined)).toBe(true);
      const read = await files.callTool({ name: 'read_text_file', arguments: { path: join(folder, 'note.txt') } });
      expect(read.structuredContent).toEqual({ content: 'from a file' });
      expect(problems).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('a server of the official SDK v2: the newest family, questions inside answers included', async () => {
    const modern = client({ capabilities: { elicitation: {} }, outputValidation: 'error' });
    modern.setRequestHandler('elicitation/create', ({ params }) => ({
      action: 'accept',
      content: { yes: params.message === 'Sure?' },
    }));
    await modern.connect(program(officialV2));
    expect(modern.revision).toBe(MODERN);
    expect(modern.getServerVersion()).toMatchObject({ name: 'official-v2' });
    await modern.listTools();
    expect(await modern.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
      structuredContent: { sum: 5 },
    });
    expect(JSON.stringify(await modern.callTool({ name: 'confirm' }))).toContain('accept');
    const handle = await modern.listen({ toolsListChanged: true });
    expect(handle.honored).toEqual({ toolsListChanged: true });
    handle.close();
    expect(await handle.closed).toBe('local');
    await modern.ping();
    expect(problems).toEqual([]);
  });

  test('the same server, spoken to in the other family', async () => {
    const old = client({ revisions: 'handshake' });
    await old.connect(program(officialV2));
    expect(old.revision).toBe(LEGACY);
    expect(await old.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
      structuredContent: { sum: 5 },
    });
  });

  test('a server that crashes during a call: the call says how, and the next one finds a new process', async () => {
    const healing = client({ reconnect: { initialDelayMs: 1 } });
    const transport = program(officialV2);
    await healing.connect(transport);
    const first = transport.pid;
    const error = await failure(healing.callTool({ name: 'crash' }));
    expect(error).toMatchObject({ code: 'delivery-unknown' });
    expect(error.message).toMatch(/code 7/);
    expect(error.message).toContain('going down');
    expect(await healing.callTool({ name: 'add', arguments: { a: 1, b: 1 } })).toMatchObject({
      structuredContent: { sum: 2 },
    });
    expect(transport.pid).not.toBe(first);
  });

  test('a program that does not exist, and one that ends at once', async () => {
    await expect(
      client().connect(new StdioClientTransport({ command: 'no-such-program-anywhere' })),
    ).rejects.toMatchObject({ code: 'spawn-failed' });
    const error = await failure(client().connect(program('-e', 'console.error("no config found"); process.exit(3)')));
    expect(error.message).toContain('no config found');
    expect(error.message).toContain('code 3');
  });
});

test('a server of the official SDK v1 over its own memory transport', async () => {
  const server = new OfficialServer({ name: 'official-v1', version: '1.0.0' });
  server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  const [ours, theirs] = OfficialInMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const one = client();
  await one.connect(ours as Parameters<Client['connect']>[0]);
  expect(one.family).toBe('handshake');
  const { tools } = await one.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['add']);
  expect(await one.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({ content: [{ text: '3' }] });
});
