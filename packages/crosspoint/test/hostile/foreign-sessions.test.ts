import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  SSEServerTransport,
  StreamableHTTPServerTransport,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  type StreamableHTTPServerTransportOptions,
} from '../../src/server/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import {
  HANDSHAKE,
  closeAll,
  initialize,
  listen,
  makeServer,
  openSession,
  send,
  serve,
  stateless,
  until,
  type Answer,
} from '../http/serving.ts';

const running: HttpServer[] = [];
afterEach(async () => {
  await closeAll();
  for (const http of running.splice(0)) {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
});

type Headers = Record<string, string>;
const ada = { 'x-user': 'ada' };
const bob = { 'x-user': 'bob' };
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** What a middleware of a program would have verified. */
function verified(headers: IncomingMessage['headers']): AuthInfo | undefined {
  const sub = headers['x-user'];
  const left = headers['x-left'];
  return sub === undefined
    ? undefined
    : {
        token: 't',
        clientId: 'portal',
        scopes: [],
        extra: { sub: String(sub) },
        ...(left !== undefined && { expiresAt: Date.now() / 1000 - 30 + Number(left) }),
      };
}

async function at(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  const { http, port } = await listen((request, response) => {
    const auth = verified(request.headers);
    if (auth) Object.assign(request, { auth });
    void handle(request, response);
  });
  running.push(http);
  return { port };
}

/** The router that people copy: a transport for each session, found by its id. */
function routed(options: StreamableHTTPServerTransportOptions = {}) {
  const server = makeServer();
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return at(async (request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']));
    if (known) return known.handleRequest(request, response);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
      ...options,
    });
    await server.connect(transport);
    return transport.handleRequest(request, response);
  });
}

const withHeaders = (headers: Headers, { 'x-user': _user, ...session }: Headers): Headers => ({
  ...session,
  ...headers,
});

describe('a session over a transport that a program wires by hand', () => {
  test('does not exist for anybody but the user who opened it', async () => {
    const served = await routed();
    const session = await openSession(served, HANDSHAKE, {}, ada);
    expect((await session.post(list)).status).toBe(200);
    for (const stranger of [bob, {}]) {
      const headers = withHeaders(stranger, session.headers);
      expect((await send(served, { body: list, headers })).status).toBe(404);
      expect((await send(served, { body: initialize(), headers })).status).toBe(404);
      expect((await send(served, { method: 'GET', headers })).status).toBe(404);
      expect((await send(served, { method: 'GET', headers: { ...headers, 'last-event-id': '1' } })).status).toBe(404);
      expect((await send(served, { method: 'DELETE', headers })).status).toBe(404);
    }
    expect((await session.post(list)).status).toBe(200);
  });

  test('that was opened without a token goes on without one, and not with the token of somebody', async () => {
    const served = await routed();
    const session = await openSession(served);
    expect((await session.post(list)).status).toBe(200);
    expect((await session.post(list, ada)).status).toBe(404);
    expect((await session.post(list)).status).toBe(200);
  });

  test('goes by the principal that the program gives it', async () => {
    const served = await routed({ principal: (_auth, request) => request.header('x-account') });
    const session = await openSession(served, HANDSHAKE, {}, { ...ada, 'x-account': '1' });
    expect((await session.post(list, { 'x-account': '2' })).status).toBe(404);
    expect((await session.post(list, bob)).status).toBe(200);
  });

  test('goes on where what the program left in the request is no token of ours', async () => {
    const server = makeServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
    await server.connect(transport);
    const { http, port } = await listen((request, response) => {
      Object.assign(request, { auth: { sub: request.headers['x-user'], iat: 1 } });
      void transport.handleRequest(request, response);
    });
    running.push(http);
    const session = await openSession({ port }, HANDSHAKE, {}, ada);
    expect((await session.post(list)).status).toBe(200);
  });

  test('is bound over web requests as well', async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => 'the-only-one' });
    await makeServer().connect(transport);
    const ask = async (method: string, body: object | undefined, sub: string | undefined): Promise<number> => {
      const headers = {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(body === initializing ? {} : { 'mcp-session-id': 'the-only-one' }),
      };
      const request = new Request('http://127.0.0.1/mcp', {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const authInfo = sub === undefined ? undefined : { token: 't', clientId: 'c', scopes: [], extra: { sub } };
      return (await transport.handleRequest(request, authInfo ? { authInfo } : {})).status;
    };
    const initializing = initialize();
    expect(await ask('POST', initializing, 'ada')).toBe(200);
    for (const sub of ['bob', undefined]) {
      expect(await ask('POST', list, sub)).toBe(404);
      expect(await ask('GET', undefined, sub)).toBe(404);
      expect(await ask('DELETE', undefined, sub)).toBe(404);
    }
    expect(await ask('POST', list, 'ada')).toBe(200);
    expect(await ask('DELETE', undefined, 'ada')).toBe(200);
  });
});

describe('a stream of the older transport that a program wires by hand', () => {
  const pairs = () => {
    const sessions = new Map<string, SSEServerTransport>();
    const server = makeServer();
    return at(async (request, response) => {
      if (request.method === 'GET') {
        const transport = new SSEServerTransport('/messages', response);
        sessions.set(transport.sessionId, transport);
        return server.connect(transport);
      }
      const id = new URL(request.url ?? '', 'http://x').searchParams.get('sessionId') ?? '';
      return sessions.get(id)?.handlePostMessage(request, response);
    });
  };
  const open = async (served: { port: number }, headers: Headers) => {
    const stream = await send(served, { method: 'GET', path: '/sse', headers });
    await until(() => stream.frames.length === 1);
    const path = stream.frames[0]?.data ?? '';
    return {
      stream,
      post: async (more: Headers) =>
        (await send(served, { path, body: initialize('2024-11-05'), headers: more })).status,
    };
  };

  test('takes messages of the user who opened it alone', async () => {
    const served = await pairs();
    const { post } = await open(served, ada);
    expect([await post(bob), await post({}), await post(ada)]).toEqual([404, 404, 202]);
    const nameless = await open(served, {});
    expect([await nameless.post(ada), await nameless.post({})]).toEqual([404, 202]);
  });

  test('ends with the token that it was opened with', async () => {
    const served = await pairs();
    const { stream } = await open(served, { ...ada, 'x-left': '0.2' });
    await stream.finish();
    const kept = await open(served, ada);
    expect(kept.stream.ended).toBe(false);
  });
});

describe('a stream ends with the token that it was opened with', () => {
  /** A token that is good for a minute, and half a minute more since clocks may be apart. */
  const minute = (): AuthInfo => ({ token: 't', clientId: 'c', scopes: [], expiresAt: Date.now() / 1000 + 60 });
  const timed = async () => {
    const clock = new ManualClock();
    const served = await serve({ authenticate: minute, keepAliveMs: 0 }, { clock });
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 1000) await clock.advance(1000);
    };
    return { served, pass };
  };

  test('of the older transport, unless its caller has shown a newer one since', async () => {
    const { served, pass } = await timed();
    const open = async (): Promise<Answer> => {
      const stream = await send(served, { method: 'GET', path: '/sse' });
      await until(() => stream.frames.length === 1);
      return stream;
    };
    const [silent, speaking] = [await open(), await open()];
    await pass(60_000);
    expect([silent.ended, speaking.ended]).toEqual([false, false]);
    const path = speaking.frames[0]?.data ?? '';
    expect((await send(served, { path, body: initialize('2024-11-05') })).status).toBe(202);
    await pass(35_000);
    await silent.finish();
    expect(speaking.ended).toBe(false);
    await pass(60_000);
    await speaking.finish();
    expect(served.handler.health.streams).toBe(0);
  });

  test('of a session: the standing one', async () => {
    const { served, pass } = await timed();
    const session = await openSession(served);
    const standing = await session.get();
    await pass(85_000);
    expect(standing.ended).toBe(false);
    await pass(10_000);
    await standing.finish();
    expect((await session.get()).status).toBe(200);
  });

  test('of a session: one that was resumed, and not another that was opened later', async () => {
    const { served, pass } = await timed();
    const session = await openSession(served);
    served.server.registerTool(
      'hang',
      {},
      (ctx) => new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))),
    );
    const asking = await session.call(1, 'hang');
    await until(() => asking.frames.some((frame) => frame.id !== undefined));
    const last = asking.frames.find((frame) => frame.id !== undefined)?.id ?? '';
    asking.abort();
    const resumed = await session.get({ 'last-event-id': last });
    expect(resumed.status).toBe(200);
    await pass(50_000);
    const standing = await session.get();
    await pass(45_000);
    await resumed.finish();
    expect(standing.ended).toBe(false);
    standing.abort();
  });

  test('of a session over a transport that a program wires by hand, and of what listens there', async () => {
    const served = await routed();
    const session = await openSession(served, HANDSHAKE, {}, ada);
    const standing = await session.get({ 'x-left': '0.2' });
    expect(standing.status).toBe(200);
    await standing.finish();
    const shared = makeServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await shared.connect(transport);
    const alone = await at((request, response) => transport.handleRequest(request, response));
    const listening = stateless('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const short = await send(alone, { ...listening, headers: { ...listening.headers, ...ada, 'x-left': '0.2' } });
    const long = await send(alone, {
      ...listening,
      headers: { ...listening.headers, ...ada, 'x-left': '600' },
      body: { ...(listening.body as object), id: 2 },
    });
    await short.finish();
    expect(short.messages.at(-1)).toMatchObject({ result: {} });
    expect(long.ended).toBe(false);
    long.abort();
    await shared.close();
  });
});
