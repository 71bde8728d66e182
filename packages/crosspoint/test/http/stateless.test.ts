import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { McpServer } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import {
  HANDSHAKE,
  META,
  NEWEST,
  closeAll,
  initialize,
  makeServer,
  openSession,
  send,
  serve,
  stateless,
  until,
} from './serving.ts';

afterEach(closeAll);

const echo = (text: string, options = {}) => stateless('tools/call', { name: 'echo', arguments: { text } }, options);

describe('a stateless request', () => {
  proves('M-HTTP-001, M-HTTP-013').test(
    'is answered on one endpoint with one JSON object when nothing is emitted first',
    async () => {
      const at = await serve();
      const answer = await send(at, echo('hello'));
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json');
      expect((await answer.json()).result).toMatchObject({ resultType: 'complete', content: [{ text: 'hello' }] });
    },
  );

  proves('M-HTTP-013, M-HTTP-015, M-HTTP-016, M-HTTP-017, M-HTTP-019').test(
    'becomes a stream of its own notifications and ends with its response',
    async () => {
      const server = makeServer();
      const at = await serve({}, {}, server);
      const opening = send(
        at,
        stateless('tools/call', { name: 'count', arguments: { to: 3 } }, { meta: { progressToken: 't' } }),
      );
      const answer = await opening;
      server.registerTool('another', {}, async () => ({ content: [] }));
      await answer.finish();
      expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
      expect(answer.headers['mcp-session-id']).toBeUndefined();
      const methods = answer.messages.map((message) => message.method ?? 'result');
      expect(methods.at(-1)).toBe('result');
      expect(new Set(methods.slice(0, -1))).toEqual(new Set(['notifications/progress']));
      expect(answer.messages.every((message) => !('method' in message && 'id' in message))).toBe(true);
      expect(answer.frames.every((frame) => frame.id === undefined)).toBe(true);
    },
  );

  test('becomes a stream when its handler stays silent for long, and keeps it alive', async () => {
    const at = await serve({ streamAfterMs: 1, keepAliveMs: 1 });
    const answer = await send(at, stateless('tools/call', { name: 'later', arguments: { text: 'x', ms: 2300 } }));
    expect(answer.headers['content-type']).toBe('text/event-stream');
    await answer.finish();
    expect(answer.comments.length).toBeGreaterThan(0);
    expect(answer.messages).toHaveLength(1);
  });

  proves('M-HTTP-021, M-HTTP-022, M-HTTP-023').test('is cancelled when its client goes away', async () => {
    const server = makeServer();
    let signal: AbortSignal | undefined;
    let release = (): void => {};
    server.registerTool('wait', {}, async (ctx) => {
      signal = ctx.signal;
      await new Promise<void>((resolve) => (release = resolve));
      ctx.progress(1);
      return { content: [] };
    });
    const at = await serve({ streamAfterMs: 0 }, {}, server);
    const answer = await send(at, stateless('tools/call', { name: 'wait' }, { meta: { progressToken: 1 } }));
    expect(signal?.aborted).toBe(false);
    answer.abort();
    await until(() => signal?.aborted === true);
    await until(() => at.handler.health.working === 0);
    release();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(answer.messages).toEqual([]);
    expect(at.problems).toEqual([]);
  });

  test('is cancelled when its client went away before the handler was reached', async () => {
    const server = makeServer();
    let signal: AbortSignal | undefined;
    server.registerTool('wait', {}, async (ctx) => {
      signal = ctx.signal;
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      return { content: [] };
    });
    const at = await serve({}, {}, server);
    const gone = new AbortController();
    gone.abort();
    const { headers, body } = stateless('tools/call', { name: 'wait' });
    const request = new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    Object.defineProperty(request, 'signal', { value: gone.signal });
    expect((await at.handler.fetch(request)).status).toBe(499);
    await until(() => signal?.aborted === true);
  });

  proves('M-HTTP-024, M-IOP-033, M-IOP-073, M-ERR-013').test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'tasks/result',
    'unknown/method',
  ])('%s is not found: 404 and -32601', async (method) => {
    const at = await serve();
    const answer = await send(at, stateless(method));
    expect(answer.status).toBe(404);
    expect((await answer.json()).error?.code).toBe(-32601);
  });

  proves('M-BASE-023').test.each([
    'io.modelcontextprotocol/protocolVersion',
    'io.modelcontextprotocol/clientCapabilities',
  ])('without %s in its envelope is refused with 400', async (key) => {
    const at = await serve();
    const sent = stateless('tools/list');
    const meta = { ...META() } as Record<string, unknown>;
    delete meta[key];
    const answer = await send(at, {
      ...sent,
      body: { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: meta } },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 7, error: { code: -32602 } });
  });

  proves('M-IOP-026').test(
    'a header that names a stateless revision makes a body without an envelope a malformed one',
    async () => {
      const at = await serve();
      const answer = await send(at, {
        headers: { 'mcp-protocol-version': NEWEST, 'mcp-method': 'tools/list' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      });
      expect(answer.status).toBe(400);
      expect((await answer.json()).error?.code).toBe(-32602);
    },
  );

  proves('M-BASE-026').test('a missing client capability is 400 and -32021', async () => {
    const server = new McpServer({ name: 'hungry', version: '1' });
    const { ProtocolError } = await import('../../src/server/index.ts');
    server.registerTool('hungry', {}, () => {
      throw new ProtocolError('missing-capability', 'Sampling is needed.', { requiredCapabilities: { sampling: {} } });
    });
    const at = await serve({}, {}, server);
    const answer = await send(at, stateless('tools/call', { name: 'hungry' }));
    expect(answer.status).toBe(400);
    expect((await answer.json()).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });

  proves('M-HTTP-011').test('a notification is accepted with 202 and no body', async () => {
    const at = await serve();
    const answer = await (
      await send(at, {
        headers: { 'mcp-protocol-version': NEWEST },
        body: { jsonrpc: '2.0', method: 'notifications/whatever' },
      })
    ).finish();
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  proves('M-HTTP-012').test.each([
    ['a malformed notification', { jsonrpc: '2.0', method: 7 }],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]],
  ])('%s is refused with 400 and an error without an id', async (_what, body) => {
    const at = await serve();
    const answer = await send(at, { headers: { 'mcp-protocol-version': NEWEST }, body });
    expect(answer.status).toBe(400);
    const json = await answer.json();
    expect(json.error?.code).toBe(-32600);
    expect(json).not.toHaveProperty('id');
  });

  test('a call that comes too often is 429, says when to come again, and all callers without a name at one address are one', async () => {
    const at = await serve({}, { limits: { 'tools/list': { perSecond: 0.5, burst: 2 } } });
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push(await send(at, stateless('tools/list')));
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(Number(statuses[2]?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  proves('M-IOP-029, M-IOP-030').test(
    'ignores the session and event headers of older revisions, and sets neither',
    async () => {
      const at = await serve();
      const answer = await send(
        at,
        echo('x', { headers: { 'mcp-session-id': 'nobody', 'last-event-id': 'nothing_1' } }),
      );
      expect(answer.status).toBe(200);
      expect(answer.headers['mcp-session-id']).toBeUndefined();
    },
  );
});

describe('the family of a request', () => {
  proves('M-IOP-022, M-IOP-025').test('is decided by the body: both are served on one endpoint at once', async () => {
    const at = await serve();
    const [old, modern] = await Promise.all([
      send(at, { body: initialize() }),
      send(at, echo('modern', { headers: { 'mcp-session-id': 'x' } })),
    ]);
    expect((await old.json()).result).toMatchObject({ protocolVersion: HANDSHAKE });
    expect((await modern.json()).result).toMatchObject({ content: [{ text: 'modern' }] });
    const unclaimed = await send(at, {
      headers: { 'mcp-protocol-version': HANDSHAKE },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
    expect(unclaimed.status).toBe(400);
    expect((await unclaimed.json()).error?.message).toMatch(/Mcp-Session-Id/);
  });

  proves('M-IOP-027, M-IOP-028, M-IOP-031').test(
    'a server of the stateless family alone answers the others with 400, and GET and DELETE with 405',
    async () => {
      const at = await serve({}, { revisions: 'per-request' });
      const plain = await send(at, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
      expect([plain.status, (await plain.json()).error?.code]).toEqual([400, -32020]);
      const opening = await send(at, { body: initialize() });
      expect(opening.status).toBe(400);
      expect((await opening.json()).error).toMatchObject({
        code: -32022,
        data: { supported: [NEWEST], requested: HANDSHAKE },
      });
      for (const method of ['GET', 'DELETE']) {
        const answer = await send(at, { method });
        expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
      }
    },
  );

  test('a server of the handshake family alone takes a stateless request for one without a session', async () => {
    const at = await serve({}, { revisions: 'handshake' });
    const answer = await send(at, echo('x'));
    expect(answer.status).toBe(400);
    expect((await answer.json()).error?.code).not.toBe(-32022);
  });
});

proves('M-IOP-023, M-IOP-024, M-BASE-014').test(
  'a stateless request that names an open session is independent of it',
  async () => {
    const at = await serve();
    at.server.registerTool('capable', {}, async (ctx) => ({
      content: [{ type: 'text', text: `${ctx.family} ${JSON.stringify(ctx.capabilities)} ${ctx.sessionId ?? 'none'}` }],
    }));
    const session = await openSession(at, HANDSHAKE, { roots: {} });
    const modern = await send(
      at,
      stateless('tools/call', { name: 'capable' }, { headers: { 'mcp-session-id': session.id } }),
    );
    expect((await modern.json()).result).toMatchObject({ content: [{ text: 'per-request {} none' }] });
    const old = await (await session.call(1, 'capable')).finish();
    expect(old.messages.at(-1)?.result?.content?.[0]?.text).toBe(`handshake {"roots":{}} ${session.id}`);
  },
);

describe('subscriptions/listen', () => {
  const listen = (notifications: object, id: string | number = 'L') =>
    stateless('subscriptions/listen', { notifications }, { id });

  proves('M-HTTP-027, M-HTTP-018, M-SUB-002, M-SUB-003, M-SUB-004, M-SUB-008, M-SUB-018').test(
    'acknowledges first, then tells of what was asked for and nothing else',
    async () => {
      const server = makeServer();
      const at = await serve({}, {}, server);
      const stream = await send(at, listen({ toolsListChanged: true, resourceSubscriptions: ['note://one'] }, 41));
      await until(() => stream.messages.length === 1);
      expect(stream.messages[0]).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] } },
      });
      await (
        await send(
          at,
          stateless(
            'tools/call',
            { name: 'count', arguments: { to: 2 } },
            { meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' } },
          ),
        )
      ).finish();
      await server.server.sendResourceUpdated({ uri: 'note://other' });
      await server.server.sendResourceUpdated({ uri: 'note://one' });
      server.registerTool('late', {}, async () => ({ content: [] }));
      server.registerPrompt('late', {}, () => ({ messages: [] }));
      await until(() => stream.messages.length === 3);
      expect(stream.messages.slice(1).map((message) => message.method)).toEqual([
        'notifications/resources/updated',
        'notifications/tools/list_changed',
      ]);
      for (const message of stream.messages)
        expect(message.params).toMatchObject({ _meta: { 'io.modelcontextprotocol/subscriptionId': 41 } });
    },
  );

  proves('M-SUB-014').test('ends with its result after its lifetime, and when the server closes', async () => {
    const at = await serve({ listenLifetimeMs: 1 });
    const stream = await send(at, listen({ toolsListChanged: true }));
    await stream.finish();
    expect(stream.messages.at(-1)).toMatchObject({
      id: 'L',
      result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'L' } },
    });
    expect(at.handler.health.streams).toBe(0);
    const longer = await serve();
    const open = await send(longer, listen({ toolsListChanged: true }));
    await until(() => open.messages.length === 1);
    await longer.handler.close();
    await open.finish();
    expect(open.messages.at(-1)).toMatchObject({ id: 'L', result: { resultType: 'complete' } });
  });

  proves('M-SUB-012, M-SUB-017').test('is forgotten when its client goes away', async () => {
    const at = await serve();
    const stream = await send(at, listen({ toolsListChanged: true }));
    await until(() => at.handler.health.streams === 1);
    stream.abort();
    await until(() => at.handler.health.streams === 0);
  });

  proves('M-SUB-006').test('is closed at once when nothing can be granted', async () => {
    const at = await serve({}, {}, new McpServer({ name: 'static', version: '1' }));
    const stream = await (await send(at, listen({ promptsListChanged: true }))).finish();
    expect(stream.messages[0]).toMatchObject({ params: { notifications: {} } });
    expect(stream.messages[1]).toMatchObject({ id: 'L', result: { resultType: 'complete' } });
  });
});

test('arguments are read as the tool says', async () => {
  const at = await serve({}, {}, makeServer());
  at.server.registerTool('typed', { inputSchema: z.object({ n: z.number() }) }, async ({ n }) => ({
    content: [{ type: 'text', text: String(n) }],
  }));
  const answer = await send(at, stateless('tools/call', { name: 'typed', arguments: { n: 'x' } }));
  expect((await answer.json()).result).toMatchObject({ isError: true });
});
