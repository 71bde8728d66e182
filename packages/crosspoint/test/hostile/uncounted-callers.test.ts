import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createAuthorizationServer, passwordLogin } from '../../../authorization-server/src/index.ts';
import {
  McpServer,
  StreamableHTTPServerTransport,
  createMcpHandler,
  text,
  type McpHandlerOptions,
} from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { partyOf } from '../../src/runtime/ip-address.ts';
import {
  HANDSHAKE,
  closeAll,
  listen,
  makeServer,
  openSession,
  send,
  serve,
  stateless,
  type Served,
} from '../http/serving.ts';

afterEach(closeAll);

const limits = { 'tools/call': { perSecond: 0.001, burst: 3 } };
const echo = { name: 'echo', arguments: { text: 'x' } };

const modern = async (at: { port: number }, headers: Record<string, string> = {}): Promise<number> =>
  (await send(at, stateless('tools/call', echo, { headers }))).status;

async function inNewSession(at: Served, headers: Record<string, string> = {}): Promise<number> {
  const session = await openSession(at, HANDSHAKE, {}, headers);
  return (await session.call(1, 'echo', { text: 'x' })).status;
}

const servedOf = (statuses: number[]): number => statuses.filter((status) => status === 200).length;

async function times(count: number, run: (index: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push(await run(index));
  return statuses;
}

describe('a caller without a name', () => {
  test('has one count, however many sessions it opens and whatever revision it speaks', async () => {
    const at = await serve({ jsonOnly: true }, { limits, clock: new ManualClock() });
    const statuses = await times(10, (index) => (index % 2 === 0 ? inNewSession(at) : modern(at)));
    expect(servedOf(statuses)).toBe(3);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  test('has one count on the nodes that share a store', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ now: () => clock.now(), shared: true });
    const nodes = await Promise.all([1, 2].map(() => serve({ store, jsonOnly: true }, { limits, clock })));
    const answered = await times(8, (index) => inNewSession(nodes[index % 2] as Served));
    expect(servedOf(answered)).toBe(3);
  });

  test('has one count where each request has a server of its own', async () => {
    const clock = new ManualClock();
    const handler = createMcpHandler(() => makeServer({ limits, clock }));
    const { http, port } = await listen((request, response) => void handler.node(request, response));
    expect(servedOf(await times(10, () => modern({ port })))).toBe(3);
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    http.close();
  });

  test('has one count where each request has a server of its own and all share a store', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ now: () => clock.now(), shared: true });
    const wide = { 'tools/call': { perSecond: 0.001, burst: 200 } };
    const handler = createMcpHandler(() => makeServer({ limits: wide, clock, store }));
    const { http, port } = await listen((request, response) => void handler.node(request, response));
    // A process takes a hundredth of a large burst at a time; what is left of it is there for the next request.
    expect(servedOf(await times(180, () => modern({ port })))).toBe(180);
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    http.close();
  });

  test('has one count over transports that a program wires by hand', async () => {
    const clock = new ManualClock();
    const server = makeServer({ limits, clock });
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    const serveOne = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const known = sessions.get(String(request.headers['mcp-session-id']));
      const transport =
        known ??
        new StreamableHTTPServerTransport({
          sessionIdGenerator: () => crypto.randomUUID(),
          enableJsonResponse: true,
          onsessioninitialized: (id) => void sessions.set(id, transport),
        });
      if (known === undefined) await server.connect(transport);
      await transport.handleRequest(request, response);
    };
    const { http, port } = await listen((request, response) => void serveOne(request, response));
    expect(servedOf(await times(8, () => inNewSession({ port } as Served)))).toBe(3);
    await server.close();
    http.closeAllConnections();
    http.close();
  });

  test('has one count for what it tells a server without asking', async () => {
    const heard: string[] = [];
    const server = makeServer({
      limits: { 'notifications/*': { perSecond: 0.001, burst: 3 } },
      clock: new ManualClock(),
    });
    server.server.setNotificationHandler('notifications/custom', ({ method }) => void heard.push(method));
    const at = await serve({}, {}, server);
    const note = stateless('notifications/custom');
    const { id: _none, ...body } = note.body as { id: unknown };
    await times(10, async () => (await send(at, { ...note, body })).status);
    await times(10, async () => {
      const session = await openSession(at);
      return (await session.post({ jsonrpc: '2.0', method: 'notifications/custom' })).status;
    });
    expect(heard).toHaveLength(3);
  });
});

describe('the address of a caller behind a proxy', () => {
  const served = async (options: McpHandlerOptions, headers: (index: number) => Record<string, string>) => {
    const at = await serve({ jsonOnly: true, ...options }, { limits, clock: new ManualClock() });
    return servedOf(await times(6, (index) => (index % 2 === 0 ? inNewSession : modern)(at, headers(index))));
  };

  test('is not believed unless a header is named', async () => {
    for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip'])
      expect(await served({}, (index) => ({ [header]: `203.0.113.${index}` }))).toBe(3);
  });

  test('is what the own proxy appended, whatever the client wrote before it', async () => {
    const clientAddress = { trustedHeader: 'X-Forwarded-For' };
    expect(await served({ clientAddress }, (index) => ({ 'x-forwarded-for': `10.0.0.${index}, 198.51.100.7` }))).toBe(
      3,
    );
    expect(await served({ clientAddress }, (index) => ({ 'x-forwarded-for': `198.51.100.7, 10.0.0.${index}` }))).toBe(
      6,
    );
  });

  test('is found behind several proxies, and a list that is too short counts as the connection', async () => {
    const clientAddress = { trustedHeader: 'x-forwarded-for', hops: 2 };
    const through = (index: number) => ({ 'x-forwarded-for': `1.2.3.${index}, 198.51.100.7, 10.0.0.${index}` });
    expect(await served({ clientAddress }, through)).toBe(3);
    expect(await served({ clientAddress }, (index) => ({ 'x-forwarded-for': `1.2.3.${index}` }))).toBe(3);
  });

  test('is that of the connection where the header holds no address', async () => {
    const clientAddress = { trustedHeader: 'x-forwarded-for' };
    expect(await served({ clientAddress }, (index) => ({ 'x-forwarded-for': `unknown-${index}` }))).toBe(3);
    expect(await served({ clientAddress: () => undefined }, () => ({}))).toBe(3);
    expect(
      await served({ clientAddress: (request) => request.header('x-long') }, (index) => ({
        'x-long': `${index}`.repeat(500),
      })),
    ).toBe(3);
  });

  test('may be what the program says', async () => {
    const clientAddress: McpHandlerOptions['clientAddress'] = (request) => request.header('x-edge-client');
    expect(await served({ clientAddress }, () => ({ 'x-edge-client': 'pop-7/ada' }))).toBe(3);
    expect(await served({ clientAddress }, (index) => ({ 'x-edge-client': `pop-${index}` }))).toBe(6);
  });

  test('of IPv6 is its network of 64 bits, and one with a port is the same', async () => {
    const clientAddress = { trustedHeader: 'x-forwarded-for' };
    expect(await served({ clientAddress }, (index) => ({ 'x-forwarded-for': `2001:db8:1:2::${index}` }))).toBe(3);
    expect(await served({ clientAddress }, (index) => ({ 'x-forwarded-for': `2001:db8:1:${index}::1` }))).toBe(6);
    const ported = (index: number) => ({ 'x-forwarded-for': index % 2 === 0 ? '[2001:db8::1]:4711' : '2001:db8::1' });
    expect(await served({ clientAddress }, ported)).toBe(3);
    expect(await served({ clientAddress }, (index) => ({ 'x-forwarded-for': `192.0.2.1:${4000 + index}` }))).toBe(3);
  });

  test.each([{ trustedHeader: '' }, { trustedHeader: 'x', hops: 0 }, { trustedHeader: 'x', hops: 1.5 }])(
    'cannot be said by %j',
    (clientAddress) => {
      expect(() => createMcpHandler(new McpServer({ name: 's', version: '1' }), { clientAddress })).toThrow(TypeError);
    },
  );

  test('is known to handlers', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('where', {}, (ctx) => text(String(ctx.clientAddress)));
    const at = await serve({}, {}, server);
    const answer = await (await send(at, stateless('tools/call', { name: 'where', arguments: {} }))).json();
    expect(JSON.stringify(answer)).toContain('127.0.0.1');
  });
});

test('a caller whose address the runtime does not say has no count of its own', async () => {
  const handler = createMcpHandler(makeServer({ limits, clock: new ManualClock() }), { jsonOnly: true });
  const call = async (): Promise<number> => {
    const { headers, body } = stateless('tools/call', echo);
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
    const request = new Request('http://127.0.0.1/', { method: 'POST', headers: all, body: JSON.stringify(body) });
    return (await handler.fetch(request)).status;
  };
  expect(servedOf(await times(5, call))).toBe(3);
  await handler.close();
});

test('the sessions of one address have one share of the tasks', async () => {
  const server = new McpServer({ name: 's', version: '1' });
  server.use(tasks({ maxPerCaller: 2 }));
  server.registerTool(
    'slow',
    { task: 'optional' },
    (ctx) =>
      new Promise((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  );
  const at = await serve({ jsonOnly: true }, {}, server);
  const begun = await times(4, async () => {
    const session = await openSession(at);
    const params = { name: 'slow', arguments: {}, task: {} };
    const answer = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return (await answer.json()).error === undefined ? 200 : 429;
  });
  expect(begun).toEqual([200, 200, 429, 429]);
});

describe('partyOf', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::1', '0:0:0:0::/64'],
    ['2001:DB8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['256.1.1.1', undefined],
    ['1.2.3.4.', undefined],
    ['1.2.3', undefined],
    ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
    ['1:2:3:4:5:6:7', undefined],
    ['::1]/[', undefined],
    ['', undefined],
    ['ada', undefined],
  ])('%s is %s', (address, party) => expect(partyOf(address)).toBe(party));
});

test('a network of IPv6 addresses has one count at the endpoints of an authorization server', async () => {
  const authorization = createAuthorizationServer({
    issuer: 'https://login.example.com',
    resource: 'https://login.example.com/mcp',
    login: passwordLogin({ check: () => undefined }),
    rateLimit: { max: 3, windowMs: 60_000 },
  });
  const statuses = await times(6, async (index) => {
    const request = new Request('https://login.example.com/token', { method: 'POST', body: 'grant_type=none' });
    return (await authorization.fetch(request, { remoteAddress: `2001:db8:1:2::${index}` })).status;
  });
  expect(statuses.slice(3)).toEqual([429, 429, 429]);
});
