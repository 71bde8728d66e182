import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { Client, createVerdictMemory, type ClientOptions } from '../../../src/client/index.ts';
import { META_SERVER_INFO, META_SUBSCRIPTION_ID } from '../../../src/protocol/meta.ts';
import { failure } from '../../client/connected.ts';
import { LEGACY, MODERN } from '../../client/fake-server.ts';
import { proves } from '../../requirements/proves.ts';
import { closeAll, json, listen, stream, text, until, type Handler, type Listening, type Seen } from './http-server.ts';

const RECONNECT = { initialDelayMs: 10, maxDelayMs: 100, attempts: 40, jitter: 0 };
const FAST = { initialReconnectionDelay: 5, maxReconnectionDelay: 20 };
const clients: Client[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await closeAll();
});

function make(options: ClientOptions = {}): { client: Client; problems: Error[] } {
  const problems: Error[] = [];
  const client = new Client(
    { name: 'healing', version: '1' },
    {
      verdicts: createVerdictMemory(),
      reconnect: RECONNECT,
      onproblem: (problem) => problems.push(problem),
      ...options,
    },
  );
  clients.push(client);
  return { client, problems };
}

interface Forgetful {
  handler: Handler;
  forget(): void;
  executed: string[];
  current(): string;
}

/** A server with sessions that it can forget; `lost` is what it says then. */
function forgetful(lost: (response: ServerResponse) => void, tools: object[] = []): Forgetful {
  let session = 0;
  let valid = '';
  const executed: string[] = [];
  const results: Record<string, (seen: Seen) => object> = {
    initialize: () => ({
      protocolVersion: LEGACY.id,
      capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
      serverInfo: { name: 'forgetful', version: '1' },
    }),
    'tools/list': () => ({ tools }),
    'tools/call': ({ json: body }) => (executed.push(String(body?.params?.['name'])), { content: [] }),
  };
  const handler: Handler = (seen, response) => {
    if (seen.method === 'DELETE') return void response.writeHead(200).end();
    const { id, method = '' } = seen.json ?? {};
    if (method === 'server/discover') return text(response, 404, '');
    if (method === 'initialize') valid = `s-${(session += 1)}`;
    else if (seen.headers['mcp-session-id'] !== valid) return lost(response);
    if (seen.method === 'GET') return stream(response).raw(':\n\n');
    if (id === undefined) return void response.writeHead(202).end();
    return json(
      response,
      200,
      { jsonrpc: '2.0', id, result: results[method]?.(seen) ?? {} },
      method === 'initialize' ? { 'Mcp-Session-Id': valid } : {},
    );
  };
  return { handler, executed, forget: () => (valid = ''), current: () => valid };
}

const TOOLS = [
  { name: 'plain', inputSchema: { type: 'object' } },
  { name: 'reads', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'idempotent', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } },
];

const initializes = (listening: Listening): number =>
  listening.methods().filter((method) => method === 'initialize').length;

describe('a session that the server has forgotten', () => {
  const variants: [string, (response: ServerResponse) => void][] = [
    [
      '404',
      (response) =>
        json(response, 404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }),
    ],
    ['404 without a word', (response) => void response.writeHead(404).end()],
    [
      '400 No valid session ID',
      (response) =>
        json(response, 400, {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32000, message: 'Bad Request: No valid session ID provided' },
        }),
    ],
    [
      '400 Server not initialized',
      (response) =>
        json(response, 400, {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32000, message: 'Bad Request: Server not initialized' },
        }),
    ],
    ['409', (response) => text(response, 409, 'Session conflict')],
    ['503', (response) => json(response, 503, { error: 'session expired' })],
  ];

  proves('L-SESSIONS-009, M-IOP-021').test.each(variants)(
    '%s: is opened anew without the old id, and what is safe is asked again',
    async (_what, lost) => {
      const server = forgetful(lost, TOOLS);
      const listening = await listen(server.handler);
      const { client, problems } = make();
      await client.connect(listening.url);
      const first = server.current();
      server.forget();
      expect((await client.listTools()).tools.length).toBe(3);
      expect(initializes(listening)).toBe(2);
      const again = listening.seen.filter(({ json: body }) => body?.method === 'initialize')[1];
      expect(again?.headers['mcp-session-id']).toBeUndefined();
      expect(again?.headers['mcp-protocol-version']).toBeUndefined();
      expect(server.current()).not.toBe(first);
      expect(
        listening.seen
          .filter(({ json: body }) => body?.method === 'tools/list')
          .map(({ headers }) => headers['mcp-session-id']),
      ).toEqual([first, server.current()]);
      expect(problems).toEqual([]);
    },
  );

  test('several requests at once lose it once', async () => {
    const server = forgetful(variants[0]![1], TOOLS);
    const listening = await listen(server.handler);
    const { client } = make();
    await client.connect(listening.url);
    server.forget();
    const lists = await Promise.all([client.listTools(), client.ping(), client.listTools(), client.ping()]);
    expect(lists.length).toBe(4);
    expect(initializes(listening)).toBe(2);
  });

  test.each<[string, [variant: number, name: string, replay: boolean | undefined], boolean]>([
    // A server that refuses a call has not carried it out, so any tool may be called again.
    ['404: a tool that may have effects', [0, 'plain', undefined], true],
    ['404: a tool that may have effects, unless the caller says otherwise', [0, 'plain', false], false],
    ['404: a tool nobody knows', [0, 'unlisted', undefined], true],
    ['400: a tool that may have effects', [2, 'plain', undefined], true],
    // A gateway may have written this when the server was at work already.
    ['503: a tool that may have effects', [5, 'plain', undefined], false],
    ['503: a tool that may have effects, when the caller says so', [5, 'plain', true], true],
    ['503: a tool that only reads', [5, 'reads', undefined], true],
    ['503: an idempotent tool', [5, 'idempotent', undefined], true],
    ['503: an idempotent tool, unless the caller says otherwise', [5, 'idempotent', false], false],
    ['503: a tool nobody knows', [5, 'unlisted', undefined], false],
  ])('%s', async (_what, [variant, name, replay], isRepeated) => {
    const server = forgetful(variants[variant]![1], TOOLS);
    const listening = await listen(server.handler);
    const { client } = make();
    await client.connect(listening.url);
    await client.listTools();
    server.forget();
    const called = client.callTool({ name }, { replay });
    if (isRepeated) expect(await called).toEqual({ content: [] });
    else {
      const error = await failure(called);
      expect(error.message).toContain('The server no longer knows the session.');
      expect(error.code).toBe(variant === 5 ? 'delivery-unknown' : 'session-lost');
      if (variant === 5)
        expect(error.message).toMatch(/may or may not have been carried out; it was not repeated.*503/s);
    }
    expect(server.executed).toEqual(isRepeated ? [name] : []);
    // The next one finds a session that works.
    expect(await client.callTool({ name })).toEqual({ content: [] });
    expect(initializes(listening)).toBe(2);
  });

  test('log level, subscriptions and the standing stream are put back', async () => {
    const server = forgetful(variants[0]![1]);
    const listening = await listen(server.handler);
    const { client } = make();
    await client.connect(listening.url);
    await client.setLoggingLevel('debug');
    await client.subscribeResource({ uri: 'a:1' });
    server.forget();
    await client.ping();
    const after = (): Seen[] => listening.seen.filter(({ headers }) => headers['mcp-session-id'] === server.current());
    await until(() =>
      ['GET', 'logging/setLevel', 'resources/subscribe'].every((method) =>
        after().some((seen) => seen.method === method || seen.json?.method === method),
      ),
    );
    expect(after().find(({ json: body }) => body?.method === 'resources/subscribe')?.json?.params).toMatchObject({
      uri: 'a:1',
    });
  });

  test('a server that forgets every session at once is not asked for ever', async () => {
    const server = forgetful(variants[0]![1]);
    const listening = await listen((seen, response, request) => {
      if (seen.json?.method !== 'initialize') server.forget();
      return server.handler(seen, response, request);
    });
    const { client } = make({ reconnect: { ...RECONNECT, attempts: 3, maxDelayMs: 20 } });
    await failure(client.connect(listening.url).then(() => client.ping()));
    expect(initializes(listening)).toBeLessThan(8);
  });

  test('a server that wants another token before it opens a session is asked once, and who waits is told', async () => {
    const server = forgetful(variants[0]![1]);
    let isAllowed = true;
    const listening = await listen((seen, response, request) =>
      isAllowed || seen.json?.method !== 'initialize'
        ? server.handler(seen, response, request)
        : void response.writeHead(401).end(),
    );
    const { client } = make();
    let closed = 0;
    client.onclose = () => (closed += 1);
    await client.connect(listening.url);
    server.forget();
    isAllowed = false;
    await expect(client.ping()).rejects.toMatchObject({ code: 'closed', cause: { name: 'UnauthorizedError' } });
    expect(initializes(listening)).toBe(2);
    expect(closed).toBe(1);
  });

  test('with reconnect: false the end is the end', async () => {
    const server = forgetful(variants[0]![1]);
    const listening = await listen(server.handler);
    const { client } = make({ reconnect: false });
    await client.connect(listening.url);
    let closed = 0;
    client.onclose = () => (closed += 1);
    server.forget();
    await expect(client.ping()).rejects.toMatchObject({ code: 'closed', cause: { code: 'session-lost' } });
    expect(closed).toBe(1);
  });

  proves('L-SESSIONS-010').test('closing the client ends the session that it opened itself', async () => {
    const server = forgetful(variants[0]![1]);
    const listening = await listen(server.handler);
    const { client } = make();
    await client.connect(listening.url);
    await client.close();
    expect(listening.seen.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': server.current() } });
  });
});

describe('without a handshake', () => {
  const DISCOVERED = {
    resultType: 'complete',
    supportedVersions: [MODERN.id],
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [META_SERVER_INFO]: { name: 'm', version: '1' } },
  };
  const modern =
    (more: Record<string, (seen: Seen, response: ServerResponse) => void>): Handler =>
    (seen, response) => {
      const { id, method = '' } = seen.json ?? {};
      const own = more[method];
      if (own !== undefined) return own(seen, response);
      return json(response, 200, {
        jsonrpc: '2.0',
        id,
        result:
          method === 'server/discover'
            ? DISCOVERED
            : { resultType: 'complete', tools: [], content: [], ttlMs: 0, cacheScope: 'private' },
      });
    };

  proves('M-SUB-015, M-HTTP-025').test(
    'a broken listen stream is asked for again with a new id, and keeps its handle',
    async () => {
      let opens = 0;
      const listening = await listen(
        modern({
          'subscriptions/listen': ({ json: body }, response) => {
            opens += 1;
            const out = stream(response);
            const _meta = { [META_SUBSCRIPTION_ID]: body?.id };
            out.event({
              jsonrpc: '2.0',
              method: 'notifications/subscriptions/acknowledged',
              params: { notifications: body?.params?.['notifications'], _meta },
            });
            out.event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } });
            if (opens === 1) setTimeout(() => response.destroy(), 10);
          },
        }),
      );
      const { client } = make();
      await client.connect(listening.url);
      let seen = 0;
      let ended = false;
      const handle = await client.listen({ toolsListChanged: true }, { onnotification: () => void (seen += 1) });
      void handle.closed.then(() => (ended = true));
      await until(() => seen === 2);
      expect(ended).toBe(false);
      const ids = listening.seen
        .filter(({ json: body }) => body?.method === 'subscriptions/listen')
        .map(({ json: body }) => body?.id);
      expect(new Set(ids).size).toBe(2);
      handle.close();
      expect(await handle.closed).toBe('local');
    },
  );

  proves('M-HTTP-025').test(
    'a broken answer is asked for again when that is safe, with a new id, and is of unknown delivery when it is not',
    async () => {
      let lists = 0;
      const broken = (response: ServerResponse): void => {
        stream(response).raw(':\n\n');
        setTimeout(() => response.destroy(), 5);
      };
      const listening = await listen(
        modern({
          'tools/list': ({ json: body }, response) =>
            (lists += 1) < 3
              ? broken(response)
              : json(response, 200, {
                  jsonrpc: '2.0',
                  id: body?.id,
                  result: { resultType: 'complete', tools: TOOLS, ttlMs: 0, cacheScope: 'private' },
                }),
          'tools/call': (_seen, response) => broken(response),
        }),
      );
      const { client } = make();
      await client.connect(listening.url);
      expect((await client.listTools()).tools.length).toBe(3);
      expect(
        new Set(
          listening.seen.filter(({ json: body }) => body?.method === 'tools/list').map(({ json: body }) => body?.id),
        ).size,
      ).toBe(3);
      await expect(client.callTool({ name: 'plain' })).rejects.toMatchObject({ code: 'delivery-unknown' });
      expect(listening.methods().filter((method) => method === 'tools/call').length).toBe(1);
    },
  );

  test.each([502, 503, 504])(
    '%i: what is safe waits for the server, and what is not fails with the status',
    async (status) => {
      let refusals = 0;
      const listening = await listen(
        modern({
          'tools/list': ({ json: body }, response) =>
            (refusals += 1) < 3
              ? text(response, status, 'Bad Gateway')
              : json(response, 200, {
                  jsonrpc: '2.0',
                  id: body?.id,
                  result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' },
                }),
          'tools/call': (_seen, response) => text(response, status, 'Bad Gateway'),
        }),
      );
      const { client } = make();
      await client.connect(listening.url);
      expect((await client.listTools()).tools).toEqual([]);
      await expect(client.callTool({ name: 'plain' })).rejects.toMatchObject({ code: 'http', details: { status } });
    },
  );

  proves('M-HTTP-010, M-IOP-035').test(
    'a request of the server is dropped, and no response is ever posted',
    async () => {
      const listening = await listen(
        modern({
          'tools/call': ({ json: body }, response) => {
            const out = stream(response);
            out.event({ jsonrpc: '2.0', id: 'from-server', method: 'roots/list' });
            out.event({ jsonrpc: '2.0', id: body?.id, result: { resultType: 'complete', content: [] } });
            out.end();
          },
        }),
      );
      const { client, problems } = make({ capabilities: { roots: {} } });
      client.setRequestHandler('roots/list', () => ({ roots: [] }));
      await client.connect(listening.url);
      await client.callTool({ name: 'x' });
      await client.ping();
      expect(listening.methods()).toEqual(['server/discover', 'tools/call', 'server/discover']);
      expect(problems.length).toBe(1);
    },
  );

  proves('M-HTTP-028').test('an error is an error in an answer of 200 and on a stream', async () => {
    const refusal = (id: unknown): object => ({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Unknown tool' } });
    let asStream = false;
    const listening = await listen(
      modern({
        'tools/call': ({ json: body }, response) =>
          asStream ? stream(response).event(refusal(body?.id)) : json(response, 200, refusal(body?.id)),
      }),
    );
    const { client } = make();
    await client.connect(listening.url);
    for (asStream of [false, true])
      await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({ kind: 'invalid-params' });
  });

  test('an error with a status of its own is read like any other', async () => {
    const listening = await listen(
      modern({
        'tools/call': ({ json: body }, response) =>
          json(response, 404, { jsonrpc: '2.0', id: body?.id, error: { code: -32601, message: 'gone' } }),
      }),
    );
    const { client } = make();
    await client.connect(listening.url);
    await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({
      name: 'ProtocolError',
      kind: 'method-not-found',
      code: -32601,
      cause: { code: 'http' },
    });
  });
});

describe('a server process that is killed and started again under load', () => {
  const program = fileURLToPath(new URL('restartable-server.mjs', import.meta.url));

  async function spawn(port: number, journal: string, flags: string[]): Promise<ChildProcess> {
    const child = fork(program, [String(port), journal, ...flags], { stdio: 'ignore' });
    children.push(child);
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return child;
  }

  async function freePort(): Promise<number> {
    const listening = await listen(() => {});
    await listening.close();
    return Number(listening.url.port);
  }

  test.each([
    ['with sessions', ['sessions', `version=${LEGACY.id}`]],
    ['without a handshake', [`version=${MODERN.id}`]],
  ])('%s: goes on by itself, and nothing is carried out twice that is not idempotent', async (_what, flags) => {
    const folder = await mkdtemp(join(tmpdir(), 'crosspoint-restart-'));
    const journal = join(folder, 'journal');
    await writeFile(journal, '');
    const port = await freePort();
    let child = await spawn(port, journal, flags);
    const { client } = make();
    await client.connect({ url: `http://127.0.0.1:${port}/mcp`, reconnectionOptions: FAST });
    await client.listTools();
    const over = new AbortController();
    const outcomes = { answered: 0, unknown: 0, other: [] as unknown[] };
    const answered: number[] = [];
    let next = 0;
    const worker = async (name: string): Promise<void> => {
      while (!over.signal.aborted) {
        const n = (next += 1);
        try {
          await client.callTool({ name, arguments: { n } });
          outcomes.answered += 1;
          answered.push(n);
        } catch (error) {
          if ((error as { code?: string }).code === 'delivery-unknown') outcomes.unknown += 1;
          else outcomes.other.push(error);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    };
    const work = [worker('once'), worker('once'), worker('once'), worker('any'), worker('any')];
    for (let restarts = 0; restarts < 3; restarts += 1) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
      await new Promise((resolve) => setTimeout(resolve, 50));
      child = await spawn(port, journal, flags);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    over.abort();
    await Promise.all(work);
    expect(await client.callTool({ name: 'once', arguments: { n: 'last' } })).toMatchObject({
      content: [{ text: 'last' }],
    });
    const lines = (await readFile(journal, 'utf8')).trim().split('\n');
    const once = lines.filter((line) => line.startsWith('once '));
    expect(new Set(once).size).toBe(once.length);
    for (const n of answered) expect(lines.some((line) => line.endsWith(` ${n}`))).toBe(true);
    expect(outcomes.answered).toBeGreaterThan(10);
    expect(outcomes.unknown).toBeGreaterThan(0);
    expect(outcomes.other).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
