import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { proves } from '../requirements/proves.ts';
import {
  BOTH,
  HANDSHAKE,
  NEWEST,
  closeAll,
  initialize,
  makeServer,
  openSession,
  send,
  serve,
  until,
} from './serving.ts';

afterEach(closeAll);

const list = (id: string | number = 1): object => ({ jsonrpc: '2.0', id, method: 'tools/list' });
const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25'];

proves('L-SECURITY-036, L-SESSIONS-002').test('session ids are random and never the same', async () => {
  const at = await serve();
  const opened = await Promise.all(Array.from({ length: 50 }, () => send(at, { body: initialize() })));
  const ids = opened.map(({ headers }) => String(headers['mcp-session-id']));
  expect(new Set(ids).size).toBe(50);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

describe('a session', () => {
  proves('L-HTTP-001, L-HTTP-015, L-HTTP-018, L-HTTP-029, L-SESSIONS-002').test.each(REVISIONS)(
    '%s: begins with the handshake and serves POST and GET on one path',
    async (version) => {
      const at = await serve();
      const session = await openSession(at, version);
      expect(session.id).toMatch(/^[\x21-\x7e]{32,}$/);
      const answer = await (await session.call(1, 'echo', { text: version })).finish();
      expect(answer.headers['content-type']).toBe('text/event-stream');
      expect(answer.messages).toMatchObject([{ id: 1, result: { content: [{ text: version }] } }]);
      const stream = await session.get();
      expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    },
  );

  proves('L-HTTP-015').test(
    'answers with JSON where the endpoint is told to, or where streams cannot be resumed',
    async () => {
      for (const options of [{ jsonOnly: true }, { sessions: { resumable: false } }]) {
        const at = await serve(options);
        const session = await openSession(at);
        const answer = await session.call(1, 'later', { text: 'x' });
        expect(answer.headers['content-type']).toBe('application/json');
        expect((await answer.json()).result).toMatchObject({ content: [{ text: 'x' }] });
      }
    },
  );

  proves('L-HTTP-001').test.each(['PUT', 'PATCH', 'HEAD', 'OPTIONS'])(
    '%s is 405 and says what is there',
    async (method) => {
      const at = await serve();
      const answer = await send(at, { method });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, GET, DELETE']);
    },
  );

  proves('L-HTTP-012').test('notifications and responses are accepted with 202 and no body', async () => {
    const at = await serve();
    const session = await openSession(at);
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 99, result: {} },
    ]) {
      const answer = await (await session.post(body)).finish();
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([202, '', undefined]);
    }
  });

  proves('L-HTTP-013').test('what cannot be accepted is refused with a 4xx', async () => {
    const at = await serve();
    const session = await openSession(at);
    const invalid = [
      { jsonrpc: '2.0', method: 7 },
      { jsonrpc: '2.0', result: 1, id: 1 },
      { jsonrpc: '1.0', method: 'notifications/initialized' },
      7,
      null,
      'x',
      { jsonrpc: '2.0', id: 5, method: 'x', params: [] },
    ];
    for (const body of invalid)
      expect([JSON.stringify(body), (await session.post(body)).status]).toEqual([JSON.stringify(body), 400]);
    expect(
      (await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': 'unknown' }))
        .status,
    ).toBe(404);
    expect((await session.post(list())).status).toBe(200);
  });

  proves('L-HTTP-046, L-HTTP-045').test(
    'a version header must name a revision that is spoken; its absence is fine',
    async () => {
      const at = await serve();
      const session = await openSession(at);
      for (const version of ['1900-01-01', 'foo']) {
        expect((await session.post(list(), { 'mcp-protocol-version': version })).status).toBe(400);
        expect((await session.get({ 'mcp-protocol-version': version })).status).toBe(400);
        expect(
          (await send(at, { method: 'DELETE', headers: { ...session.headers, 'mcp-protocol-version': version } }))
            .status,
        ).toBe(400);
      }
      expect((await send(at, { body: list(), headers: { 'mcp-session-id': session.id } })).status).toBe(200);
      expect((await session.get({ 'mcp-protocol-version': NEWEST })).status).toBe(405);
    },
  );

  proves('L-HTTP-048').test('header names are found whatever their case', async () => {
    const at = await serve();
    const { id } = await openSession(at);
    for (const name of ['mcp-session-id', 'Mcp-Session-Id', 'MCP-SESSION-ID', 'MCP-Session-Id'])
      expect((await send(at, { body: list(), headers: { [name]: id } })).status).toBe(200);
  });

  proves('L-SESSIONS-006, L-SESSIONS-008').test(
    'without an id is 400; an ended or unknown one is 404, for every method',
    async () => {
      const at = await serve();
      const session = await openSession(at);
      expect((await send(at, { body: list() })).status).toBe(400);
      expect((await send(at, { method: 'GET' })).status).toBe(400);
      expect((await send(at, { method: 'DELETE', headers: session.headers })).status).toBe(200);
      expect((await session.post(list())).status).toBe(404);
      expect((await session.get()).status).toBe(404);
      expect((await send(at, { method: 'DELETE', headers: session.headers })).status).toBe(404);
      expect((await send(at, { body: initialize(), headers: { 'mcp-session-id': session.id } })).status).toBe(404);
      expect(at.handler.health.sessions).toBe(0);
    },
  );

  proves('L-SESSIONS-012').test('a second handshake cannot take a session over', async () => {
    const at = await serve();
    const session = await openSession(at);
    expect((await send(at, { body: initialize(), headers: session.headers })).status).toBe(400);
    expect((await session.post(list())).status).toBe(200);
  });

  test('a handshake that fails opens none', async () => {
    const at = await serve();
    const answer = await send(at, { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} } });
    expect((await answer.json()).error?.code).toBe(-32602);
    expect(answer.headers['mcp-session-id']).toBeUndefined();
    expect(at.handler.health.sessions).toBe(0);
  });

  proves('L-SESSIONS-003').test('an id of anything but visible ASCII is never given out', async () => {
    for (const id of ['with space', 'ümlaut', '', 'line\nend']) {
      const at = await serve({ sessions: { generateId: () => id } });
      const answer = await send(at, { body: initialize() });
      expect(answer.status).toBe(500);
      expect(at.problems[0]?.message).toMatch(/visible ASCII/);
    }
  });

  proves('L-SESSIONS-013').test('its state is its own', async () => {
    const at = await serve();
    const [loud, quiet] = [await openSession(at), await openSession(at)];
    await loud.post({ jsonrpc: '2.0', id: 's', method: 'logging/setLevel', params: { level: 'debug' } });
    await quiet.post({ jsonrpc: '2.0', id: 's', method: 'logging/setLevel', params: { level: 'error' } });
    const [heard, unheard] = [
      await (await loud.call(1, 'tell')).finish(),
      await (await quiet.call(1, 'tell')).finish(),
    ];
    expect(heard.messages.map((message) => message.method)).toContain('notifications/message');
    expect(unheard.messages.map((message) => message.method)).toEqual([undefined]);
  });

  test('belongs to whoever opened it', async () => {
    const at = await serve({ principal: (_auth, request) => request.header('x-user') });
    const session = await openSession(at, HANDSHAKE, {}, { 'x-user': 'ada' });
    expect((await session.post(list())).status).toBe(200);
    expect((await session.post(list(), { 'x-user': 'eve' })).status).toBe(404);
    expect((await session.get({ 'x-user': 'eve' })).status).toBe(404);
    expect((await send(at, { method: 'DELETE', headers: { ...session.headers, 'x-user': 'eve' } })).status).toBe(404);
    expect((await session.post(list(2))).status).toBe(200);
  });

  test('goes on in another process that has the same store, and ends in all of them', async () => {
    const store = memoryStore();
    const [one, other] = [await serve({ store }), await serve({ store })];
    const session = await openSession(one);
    const answer = await (await send(other, { body: list(), headers: session.headers })).finish();
    expect(answer.messages).toMatchObject([{ id: 1 }]);
    expect((await send(other, { method: 'DELETE', headers: session.headers })).status).toBe(200);
    await until(() => one.handler.health.sessions === 0);
    expect((await session.post(list())).status).toBe(404);
  });
});

describe('idle sessions', () => {
  test('are gone after their time, and those that are used or listened to are not', async () => {
    const clock = new ManualClock(1_000_000);
    const store = memoryStore({ now: () => clock.now() });
    const at = await serve({ store, sessions: { idleMs: 60_000 } }, { clock });
    const [used, listening, idle] = [await openSession(at), await openSession(at), await openSession(at)];
    const stream = await listening.get();
    await clock.advance(50_000);
    expect((await used.post(list())).status).toBe(200);
    await clock.advance(30_000);
    expect(at.handler.health.sessions).toBe(2);
    expect((await idle.post(list())).status).toBe(404);
    expect((await used.post(list(2))).status).toBe(200);
    expect(stream.ended).toBe(false);
    await clock.advance(600_000);
    expect(await store.keys('session:')).toEqual([`session:${listening.id}`]);
    expect((await listening.post(list(3))).status).toBe(200);
  });

  test('of one process are not gone while they are used in another', async () => {
    const clock = new ManualClock(1_000_000);
    const store = memoryStore({ now: () => clock.now() });
    const [left, used] = [
      await serve({ store, sessions: { idleMs: 60_000 } }, { clock }),
      await serve({ store, sessions: { idleMs: 60_000 } }, { clock }),
    ];
    const session = await openSession(left);
    for (let minute = 0; minute < 5; minute += 1) {
      await clock.advance(40_000);
      expect((await send(used, { body: list(minute), headers: session.headers })).status).toBe(200);
    }
    expect(left.handler.health.sessions).toBe(0);
    expect((await session.post(list('back'))).status).toBe(200);
  });

  test('are no more than the limit, and the refusal says when to come again', async () => {
    const at = await serve({ sessions: { max: 3 } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(at, { body: initialize() })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 503, 503, 503, 503, 503]);
    expect(answers.find(({ status }) => status === 503)?.headers['retry-after']).toBe('30');
  });
});

describe('streams of a session', () => {
  proves('L-HTTP-038, L-HTTP-042, L-HTTP-037, L-HTTP-020').test(
    'each message is on one of them: answers where they were asked, changes on the standing one',
    async () => {
      const server = makeServer();
      const at = await serve({}, {}, server);
      const session = await openSession(at);
      const standing = await session.get();
      const calls = await Promise.all(
        [1, 2, 3].map((id) => session.call(id, 'count', { to: 3 }, { progressToken: id })),
      );
      server.registerTool('late', {}, async () => ({ content: [] }));
      await Promise.all(calls.map((call) => call.finish()));
      await until(() => standing.messages.length === 1);
      expect(standing.messages.map((message) => message.method)).toEqual(['notifications/tools/list_changed']);
      for (const [index, call] of calls.entries()) {
        const own = index + 1;
        for (const message of call.messages)
          expect('id' in message ? message.id : message.params?.progressToken).toBe(own);
        expect(call.messages.at(-1)).toMatchObject({ id: own, result: {} });
      }
    },
  );

  test('a second standing stream is 409', async () => {
    const at = await serve();
    const session = await openSession(at);
    const first = await session.get();
    expect((await session.get()).status).toBe(409);
    first.abort();
    let again = await session.get();
    for (let attempt = 0; again.status === 409 && attempt < 100; attempt += 1) again = await session.get();
    expect(again.status).toBe(200);
  });

  test('a question to the client is on the stream of its call, and its answer is accepted with 202', async () => {
    const at = await serve();
    const session = await openSession(at, HANDSHAKE, { elicitation: {} });
    const call = await session.call(1, 'ask');
    await until(() => call.messages.length === 1);
    expect(call.messages[0]).toMatchObject({ method: 'elicitation/create' });
    const answer = await session.post({ jsonrpc: '2.0', id: call.messages[0]?.id, result: { action: 'decline' } });
    expect(answer.status).toBe(202);
    await call.finish();
    expect(call.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'decline' }] } });
  });

  proves('L-HTTP-030').test('a client that disconnects has cancelled nothing', async () => {
    const server = makeServer();
    let done = false;
    server.registerTool('wait', {}, async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      done = !ctx.signal.aborted;
      return { content: [] };
    });
    const at = await serve({}, {}, server);
    const session = await openSession(at);
    (await session.call(1, 'wait')).abort();
    await until(() => done);
  });

  test('a cancelled request ends its connection without an answer', async () => {
    for (const options of [{}, { sessions: { resumable: false } }, { jsonOnly: true }]) {
      const server = makeServer();
      let reached = false;
      server.registerTool('wait', {}, async (ctx) => {
        reached = true;
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
        return { content: [] };
      });
      const at = await serve(options, {}, server);
      const session = await openSession(at, '2025-06-18');
      const call = session.call(1, 'wait');
      await until(() => reached);
      expect(
        (await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })).status,
      ).toBe(202);
      const ended = await (await call).finish();
      expect(ended.messages).toEqual([]);
      expect(at.handler.health.working).toBe(0);
    }
  });

  test('an id that is in use is refused, and the request that has it is answered to whom it belongs', async () => {
    const at = await serve();
    const session = await openSession(at);
    const first = session.call(1, 'later', { text: 'first', ms: 1000 });
    await until(() => at.handler.health.working === 1);
    expect((await session.call(1, 'echo', { text: 'second' })).status).toBe(400);
    expect((await (await first).finish()).messages).toMatchObject([
      { id: 1, result: { content: [{ text: 'first' }] } },
    ]);
  });

  test('are no more than the limit: 429', async () => {
    const at = await serve({ sessions: { maxStreams: 2 } });
    const session = await openSession(at);
    await Promise.all([
      session.call(1, 'later', { text: 'x', ms: 5000 }),
      session.call(2, 'later', { text: 'x', ms: 5000 }),
    ]);
    const answer = await session.call(3, 'echo', { text: 'x' });
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1']);
  });

  proves('L-HTTP-009').test('POST needs both media types in Accept, and GET that of streams', async () => {
    const at = await serve();
    const session = await openSession(at);
    for (const accept of ['application/json', 'text/event-stream', 'text/html'])
      expect((await session.post(list(), { accept })).status).toBe(406);
    for (const accept of [BOTH, '*/*', 'application/*;q=0.5, text/*'])
      expect((await session.post(list(), { accept })).status).toBe(200);
    expect((await session.get({ accept: 'application/json' })).status).toBe(406);
  });
});

describe('batches', () => {
  const call = (id: number, text: string): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'later', arguments: { text } },
  });
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' };

  proves('L-HTTP-012, L-HTTP-017').test(
    'of the revision that has them: answered together, or 202 when nothing wants an answer',
    async () => {
      for (const options of [{}, { sessions: { resumable: false } }]) {
        const at = await serve(options);
        const session = await openSession(at, '2025-03-26');
        expect((await session.post([note, { jsonrpc: '2.0', id: 77, result: {} }])).status).toBe(202);
        const answer = await (
          await session.post([call(1, 'a'), note, call(2, 'b'), { jsonrpc: '2.0', id: 3, method: 9 }])
        ).finish();
        const all =
          answer.headers['content-type'] === 'application/json'
            ? (JSON.parse(answer.text) as { id: number }[])
            : (answer.messages as unknown as { id: number }[]);
        expect(all.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
      }
    },
  );

  test('a handshake inside one is refused, and the rest is served', async () => {
    const at = await serve({ sessions: { resumable: false } });
    const session = await openSession(at, '2025-03-26');
    const answers = (await (await session.post([{ ...initialize(), id: 8 }, call(9, 'x')])).json()) as unknown as {
      id: number;
      error?: { code: number };
    }[];
    expect(answers.find(({ id }) => id === 8)?.error?.code).toBe(-32600);
    expect(answers.find(({ id }) => id === 9)).toHaveProperty('result');
    expect((await send(at, { body: [initialize()] })).status).toBe(400);
  });

  test.each(['2025-06-18', '2025-11-25'])('of %s, which has none: 400, whatever is in them', async (version) => {
    const at = await serve();
    const session = await openSession(at, version);
    for (const body of [[call(1, 'a')], [note], []]) expect((await session.post(body)).status).toBe(400);
    expect((await session.call(1, 'echo', { text: 'x' })).status).toBe(200);
  });

  test('of nothing but garbage: 400', async () => {
    const at = await serve();
    const session = await openSession(at, '2025-03-26');
    expect((await session.post([7, null])).status).toBe(400);
    expect((await session.post([])).status).toBe(400);
  });
});

describe('without sessions', () => {
  proves('L-HTTP-034').test(
    'each request is served for itself: no id is given or wanted, GET and DELETE are 405',
    async () => {
      const at = await serve({ sessions: false });
      const opened = await send(at, { body: initialize() });
      expect((await opened.json()).result).toMatchObject({ protocolVersion: HANDSHAKE });
      expect(opened.headers['mcp-session-id']).toBeUndefined();
      expect((await send(at, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).status).toBe(202);
      const answer = await send(at, {
        body: list(),
        headers: { 'mcp-session-id': 'whatever', 'last-event-id': 'x_1', 'mcp-protocol-version': HANDSHAKE },
      });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
      expect(answer.headers['mcp-session-id']).toBeUndefined();
      for (const method of ['GET', 'DELETE']) {
        const refused = await send(at, { method, headers: { 'mcp-session-id': 'whatever' } });
        expect([refused.status, refused.headers.allow]).toEqual([405, 'POST']);
      }
      expect((await send(at, { body: list(), headers: { 'mcp-protocol-version': 'foo' } })).status).toBe(400);
    },
  );

  test('asking the client fails at once and says why', async () => {
    const at = await serve({ sessions: false });
    const answer = await send(at, {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } },
      headers: { 'mcp-protocol-version': HANDSHAKE },
    });
    expect((await answer.json()).error?.message).toMatch(/elicitation\/create: .*its handshake is not remembered/);
  });

  test('leaves nothing behind', async () => {
    const at = await serve({ sessions: false });
    await Promise.all(Array.from({ length: 50 }, async (_, id) => (await send(at, { body: list(id) })).finish()));
    await until(() => !at.server.isConnected());
  });
});
