/** The versions that a server lists are those that a request may name: docs/decisions/020-listed-versions.md. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ClientTwo, StreamableHTTPClientTransport as HttpTwo } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioTwo } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { Client, createVerdictMemory } from '../../src/client/index.ts';
import { StdioClientTransport } from '../../src/client/stdio.ts';
import { revisions } from '../../src/revisions/index.ts';
import { createMcpHandler, McpServer } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { envelope, PER_REQUEST, RawClient, type Frame } from './raw-client.ts';
import { program, sdkTwo } from './subjects.ts';

const ALL = revisions.map(({ id }) => id);
const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

type Ask = (method: string, version: string) => Promise<Frame>;

async function overStdio(): Promise<Ask> {
  const client = new RawClient([program('crosspoint-server.mjs')]);
  ended.push(() => client.child.kill());
  let id = 0;
  return (method, version) => {
    client.send({ id: (id += 1), method, params: { _meta: envelope(version) } });
    return client.answer(id);
  };
}

async function served(): Promise<string> {
  const server = new McpServer({ name: 'listed', version: '1.0.0' });
  server.registerTool('hello', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
  const handler = createMcpHandler(server);
  const http: Server = createServer((request, response) => void handler.node(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => http.once('listening', resolve));
  ended.push(
    () => handler.close(),
    () => http.close(),
  );
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

async function overHttp(): Promise<Ask> {
  const url = await served();
  return async (method, version) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': version,
        'mcp-method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: envelope(version) } }),
    });
    return (await response.json()) as Frame;
  };
}

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])('our server over %s', (_name, open) => {
  proves('M-VER-001, M-DISC-002').it('lists a version if a request may name it, and no other', async () => {
    const ask = await open();
    const { result } = await ask('server/discover', PER_REQUEST);
    const answers = await Promise.all(ALL.map(async (id) => ({ id, answer: await ask('tools/list', id) })));
    const named = answers.filter(({ answer }) => answer.result !== undefined).map(({ id }) => id);
    expect(result?.['supportedVersions']).toEqual(named);
    for (const { id, answer } of answers.filter(({ answer: { error } }) => error !== undefined)) {
      expect(answer.error).toMatchObject({ code: -32022, data: { supported: named, requested: id } });
      // A reader of the error is told the others, and how they begin.
      expect(answer.error?.message).toContain(
        `after initialize: ${ALL.filter((one) => !named.includes(one)).join(', ')}`,
      );
    }
  });
});

describe('the official client of the second generation', () => {
  it('agrees on the newest version with our server over stdio', async () => {
    const { client, version } = await sdkTwo([program('crosspoint-server.mjs')], 'auto');
    ended.push(() => client.close());
    expect(version).toBe(PER_REQUEST);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it('agrees on it over HTTP', async () => {
    const client = new ClientTwo({ name: 'two', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new HttpTwo(new URL(await served())));
    ended.push(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe(PER_REQUEST);
    expect(client.getDiscoverResult()?.supportedVersions).toEqual([PER_REQUEST]);
    expect(await client.callTool({ name: 'hello' })).toMatchObject({ content: [{ text: 'hello' }] });
  });
});

/** Both clients choose by family, so versions of the other one in a list neither help nor harm them. */
describe.each(['discover', 'refused'])('a server that lists the versions of both families (%s)', (how) => {
  const args = [program('peers/lists-every-version.mjs'), how];

  async function methods(connect: (env: Record<string, string>) => Promise<string | undefined>): Promise<string[]> {
    const folder = await mkdtemp(join(tmpdir(), 'crosspoint-versions-'));
    ended.push(() => rm(folder, { recursive: true, force: true }));
    const log = join(folder, 'wire');
    expect(await connect({ WIRE_LOG: log })).toBe(PER_REQUEST);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    return lines.map((line) => (JSON.parse(line) as { method: string }).method);
  }

  it('is spoken to in the newest by the official client', async () => {
    const sent = await methods(async (env) => {
      const client = new ClientTwo({ name: 'two', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new StdioTwo({ command: process.execPath, args, env, stderr: 'ignore' }));
      ended.push(() => client.close());
      return client.getNegotiatedProtocolVersion();
    });
    expect(sent).not.toContain('initialize');
  });

  proves('M-IOP-002, M-IOP-003, M-IOP-019').it('is spoken to in the newest by ours', async () => {
    const sent = await methods(async (env) => {
      const client = new Client({ name: 'ours', version: '1' }, { verdicts: createVerdictMemory() });
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
      ended.push(() => client.close());
      return client.getNegotiatedProtocolVersion();
    });
    expect(sent).not.toContain('initialize');
  });
});
