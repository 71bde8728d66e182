import { afterEach, describe, expect, test } from 'vitest';
import type { EventStore } from '../../src/server/index.ts';
import type { JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { LeftBehind } from '../../src/stores/left-behind.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { systemClock } from '../../src/peer/clock.ts';
import { MemoryEvents } from '../../src/transports/http/server/sessions/memory-events.ts';
import { storedEvents } from '../../src/transports/http/server/sessions/stored-events.ts';
import { proves } from '../requirements/proves.ts';
import { HANDSHAKE, closeAll, makeServer, openSession, send, serve, until } from './serving.ts';

const EVENT_LIMITS = { ttlMs: 1000, maxEvents: 1000, maxBytes: 1e6 };

afterEach(closeAll);

const ids = (answer: { frames: readonly { id?: string }[] }): string[] => answer.frames.flatMap(({ id }) => id ?? []);

/** The event store of the other library's examples: one for all sessions, the stream read out of the event id. */
class SharedEventStore implements EventStore {
  readonly events: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${this.events.length + 1}`;
    this.events.push({ id, stream, message });
    return id;
  }
  async replayEventsAfter(
    last: string,
    { send: resend }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = last.split('_')[0] ?? '';
    const from = this.events.findIndex(({ id }) => id === last);
    for (const event of this.events.slice(from + 1)) if (event.stream === stream) await resend(event.id, event.message);
    return stream;
  }
}

describe.each([
  ['the store', () => ({})],
  ['an event store that was given', () => ({ eventStore: new SharedEventStore() })],
])('resumption, with %s', (_what, options) => {
  proves('L-RESUME-008, L-RESUME-003, L-RESUME-009, L-HTTP-038').test(
    'a stream that a POST opened goes on with GET, where it was',
    async () => {
      const at = await serve(options());
      const session = await openSession(at);
      const call = await session.call(1, 'count', { to: 20 }, { progressToken: 1 });
      await until(() => call.messages.length >= 2);
      call.abort();
      const seen = ids(call);
      const rest = await (await session.get({ 'last-event-id': seen.at(-1) ?? '' })).finish();
      expect(rest.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'counted 20' }] } });
      const progress = [...call.messages, ...rest.messages].flatMap((message) => message.params?.progress ?? []);
      expect(progress).toEqual([...progress].sort((a, b) => a - b));
      expect(new Set(progress).size).toBe(progress.length);
      expect(new Set([...seen, ...ids(rest)]).size).toBe(seen.length + ids(rest).length);
    },
  );

  proves('L-RESUME-007').test('only what was on that stream is told again', async () => {
    const at = await serve(options());
    const session = await openSession(at);
    const [one, two] = await Promise.all([
      session.call(1, 'count', { to: 5 }, { progressToken: 'one' }),
      session.call(2, 'count', { to: 5 }, { progressToken: 'two' }),
    ]);
    await Promise.all([one.finish(), two.finish()]);
    const again = await (await session.get({ 'last-event-id': ids(one)[0] ?? '' })).finish();
    expect(again.messages.length).toBeGreaterThan(0);
    expect(JSON.stringify(again.messages)).not.toMatch(/two|"id":2/);
    expect(again.messages.at(-1)).toMatchObject({ id: 1 });
  });

  test('the standing stream goes on with what it missed, also when its old connection is still there', async () => {
    const server = makeServer();
    const at = await serve(options(), {}, server);
    const session = await openSession(at);
    const first = await session.get();
    server.registerTool('a', {}, async () => ({ content: [] }));
    await until(() => first.messages.length === 1);
    const second = await session.get({ 'last-event-id': ids(first).at(-1) ?? '' });
    await first.finish();
    server.registerTool('b', {}, async () => ({ content: [] }));
    await until(() => second.messages.length === 1);
    second.abort();
    await until(() => at.handler.health.sessions === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    server.registerTool('c', {}, async () => ({ content: [] }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const third = await session.get({ 'last-event-id': ids(second).at(-1) ?? '' });
    await until(() => third.messages.length === 1);
    expect(first.messages.length + second.messages.length + third.messages.length).toBe(3);
  });

  test('an event of another session is none, whoever asks', async () => {
    const at = await serve(options());
    const [mine, other] = [await openSession(at), await openSession(at)];
    const secret = await (await other.call(1, 'echo', { text: 'secret' })).finish();
    const eventId = ids(secret)[0] ?? '';
    const stolen = await mine.get({ 'last-event-id': eventId });
    if (stolen.status === 200) await stolen.finish();
    expect(stolen.text).not.toContain('secret');
    const own = await (await other.get({ 'last-event-id': eventId })).finish();
    expect(own.text).toContain('secret');
  });
});

proves('L-RESUME-002').test.each([
  ['in a store', () => storedEvents(memoryStore(), 's', { ...EVENT_LIMITS, leftBy: 'one' })],
  [
    'in the process',
    () => new MemoryEvents({ ...EVENT_LIMITS, clock: systemClock, leftBehind: new LeftBehind() }, 'one'),
  ],
])('ids of a hundred streams at once are all different (%s)', async (_where, make) => {
  const events = make();
  const message = { jsonrpc: '2.0', method: 'x' } as const;
  const all = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) =>
      events.store(`stream-${index % 100}`, message, JSON.stringify(message)),
    ),
  );
  expect(new Set(all).size).toBe(1000);
  for (const id of all) expect(id).toMatch(/^[\x21-\x7e]+$/);
});

test.each(['nonsense', '', '../../x_1', 'a_b_c!'])(
  'an id that cannot be one (%j) is refused or opens nothing of others',
  async (id) => {
    const at = await serve();
    const session = await openSession(at);
    const answer = await session.get({ 'last-event-id': id });
    expect([200, 400]).toContain(answer.status);
    if (answer.status === 200) expect(answer.messages).toEqual([]);
  },
);

describe('polling', () => {
  proves('L-HTTP-022').test(
    'only the revision that has it is primed: an id and no data, before anything else',
    async () => {
      const at = await serve({ retryMs: 1234 });
      for (const [version, primed] of [
        ['2025-03-26', false],
        ['2025-06-18', false],
        [HANDSHAKE, true],
      ] as const) {
        const session = await openSession(at, version);
        const call = await (await session.call(1, 'echo', { text: 'x' })).finish();
        expect(call.frames[0]?.data === '').toBe(primed);
        if (primed) expect(call.frames[0]).toMatchObject({ data: '', retry: '1234', id: expect.any(String) as string });
        const standing = await session.get();
        if (primed) await until(() => standing.frames.length === 1);
        expect(standing.frames.map(({ data }) => data)).toEqual(primed ? [''] : []);
      }
    },
  );

  test('a client can come back with the id of the priming event alone', async () => {
    const at = await serve();
    const session = await openSession(at);
    const call = await session.call(1, 'later', { text: 'worth waiting for', ms: 60 });
    await until(() => call.frames.length === 1);
    call.abort();
    const rest = await (await session.get({ 'last-event-id': ids(call)[0] ?? '' })).finish();
    expect(rest.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'worth waiting for' }] } }]);
  });

  proves('L-HTTP-026').test('a handler may let its client go and be polled for the answer', async () => {
    const server = makeServer();
    server.registerTool('polled', {}, async (ctx) => {
      ctx.closeSSEStream?.();
      await new Promise((resolve) => setTimeout(resolve, 40));
      return { content: [{ type: 'text', text: ctx.closeSSEStream ? 'polled' : 'kept' }] };
    });
    const at = await serve({ retryMs: 55 }, {}, server);
    const session = await openSession(at);
    const call = await (await session.call(1, 'polled')).finish();
    expect(call.messages).toEqual([]);
    expect(call.frames.at(-1)).toMatchObject({ retry: '55' });
    const rest = await (await session.get({ 'last-event-id': ids(call)[0] ?? '' })).finish();
    expect(rest.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'polled' }] } }]);
    const older = await (await (await openSession(at, '2025-06-18')).call(1, 'polled')).finish();
    expect(older.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'kept' }] } }]);
  });

  proves('L-HTTP-040, L-HTTP-026').test('closing ends the standing stream with a time to come back after', async () => {
    const at = await serve({ retryMs: 777 });
    const session = await openSession(at);
    const standing = await session.get();
    const closing = at.handler.close({ grace: 0 });
    await standing.finish();
    await closing;
    expect(standing.frames.at(-1)).toMatchObject({ retry: '777' });
    expect(standing.frames.at(-1)?.data).toBeUndefined();
  });

  proves('L-HTTP-021').test('a stream is not ended before its answer while its session lives', async () => {
    const at = await serve();
    const session = await openSession(at);
    const call = await session.call(1, 'later', { text: 'x', ms: 100 });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(call.ended).toBe(false);
    await call.finish();
    expect(call.messages.at(-1)).toMatchObject({ id: 1 });
  });
});

test('a stream is resumed in another process that has the same store', async () => {
  const store = memoryStore();
  const server = makeServer();
  let finish = (): void => {};
  server.registerTool('held', {}, async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return { content: [{ type: 'text', text: 'elsewhere' }] };
  });
  const [one, other] = [await serve({ store }, {}, server), await serve({ store })];
  const session = await openSession(one);
  const call = await session.call(1, 'held');
  await until(() => call.frames.length === 1);
  call.abort();
  const id = ids(call)[0] ?? '';
  const early = await (
    await send(other, { method: 'GET', headers: { ...session.headers, 'last-event-id': id } })
  ).finish();
  expect(early.frames.at(-1)).toMatchObject({ retry: expect.any(String) as string });
  finish();
  await until(() => one.handler.health.working === 0);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const late = await (
    await send(other, { method: 'GET', headers: { ...session.headers, 'last-event-id': id } })
  ).finish();
  expect(late.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'elsewhere' }] } }]);
});

test('who comes back while the answer is being kept gets it all the same', async () => {
  const shared = new SharedEventStore();
  const slow: EventStore = {
    storeEvent: async (stream, message) => {
      if (Object.keys(message).length > 0) await new Promise((resolve) => setTimeout(resolve, 60));
      return shared.storeEvent(stream, message);
    },
    replayEventsAfter: (last, options) => shared.replayEventsAfter(last, options),
  };
  const at = await serve({ eventStore: slow });
  const session = await openSession(at);
  const call = await session.call(1, 'later', { text: 'slowly', ms: 10 });
  await until(() => call.frames.length === 1);
  call.abort();
  await until(() => at.handler.health.working === 0);
  const rest = await (await session.get({ 'last-event-id': ids(call)[0] ?? '' })).finish();
  expect(rest.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'slowly' }] } }]);
});

test('what cannot be kept is sent all the same, and reported', async () => {
  const eventStore: EventStore = {
    storeEvent: () => Promise.reject(new Error('the disk is full')),
    replayEventsAfter: () => Promise.reject(new Error('the disk is full')),
  };
  const at = await serve({ eventStore });
  const session = await openSession(at);
  const call = await (await session.call(1, 'echo', { text: 'x' })).finish();
  expect(call.messages).toMatchObject([{ id: 1, result: {} }]);
  expect(at.problems.map(({ message }) => message)).toContain('the disk is full');
  expect((await session.get({ 'last-event-id': 'x_1' })).status).toBe(500);
});
