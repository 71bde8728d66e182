import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { McpHandlerOptions } from '../../src/server/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { StoreUnavailableError } from '../../src/stores/store-unavailable-error.ts';
import {
  HANDSHAKE,
  closeAll,
  initialize,
  makeServer,
  openSession,
  send,
  serve,
  stateless,
  until,
  type Answer,
  type RawSession,
  type Served,
} from '../http/serving.ts';
import { KINDS, type SharedStores } from './shared-stores.ts';

const ids = (answer: { frames: readonly { id?: string }[] }): string[] => answer.frames.flatMap(({ id }) => id ?? []);
const methods = (answer: Answer): (string | undefined)[] => answer.messages.map(({ method }) => method);

/** The same session, at another node. */
function at(
  node: Served,
  { headers }: RawSession,
): Pick<RawSession, 'post' | 'call' | 'get'> & { end(): Promise<Answer> } {
  const there = {
    post: (body: unknown) => send(node, { body, headers }),
    call: (id: number | string, name: string, args: object = {}, meta?: object) =>
      there.post({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: args, ...(meta && { _meta: meta }) },
      }),
    get: (more: Record<string, string> = {}) => send(node, { method: 'GET', headers: { ...headers, ...more } }),
    end: () => send(node, { method: 'DELETE', headers }),
  };
  return there;
}

/** A store whose connection can be cut for good, as the death of its node does. */
function mortal(store: Store): { store: Store; die(): void } {
  let isDead = false;
  return {
    die: () => (isDead = true),
    store: new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) =>
          isDead
            ? Promise.reject(new StoreUnavailableError(new Error('dead')))
            : (member as (...given: unknown[]) => unknown).apply(target, args);
      },
    }),
  };
}

/** A store that holds back what other nodes say until the test lets it through. */
function slowToHear(store: Store): { store: Store; hear(): void } {
  const heldBack: (() => void)[] = [];
  let isHeld = true;
  const subscribe: Store['subscribe'] = (channel, onmessage) =>
    store.subscribe(channel, (message) => {
      if (isHeld) heldBack.push(() => onmessage(message));
      else onmessage(message);
    });
  return {
    hear() {
      isHeld = false;
      for (const run of heldBack.splice(0)) run();
    },
    store: new Proxy(store, {
      get(target, name) {
        const member: unknown = name === 'subscribe' ? subscribe : Reflect.get(target, name);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    }),
  };
}

describe.each(KINDS)('nodes that share %s', (_kind, open) => {
  let stores: SharedStores;
  beforeEach(async () => {
    stores = await open();
  });
  afterEach(async () => {
    await closeAll();
    await stores.close();
  });

  const node = (options: McpHandlerOptions = {}): Promise<Served> => serve({ store: stores.node(), ...options });
  const two = async (): Promise<[Served, Served]> => [await node(), await node()];

  test('serve every session, wherever it was opened', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    for (const [index, served] of [b, a, b].entries()) {
      const answer = await (await at(served, session).call(index + 1, 'echo', { text: `at ${index}` })).finish();
      expect(answer.messages).toMatchObject([{ id: index + 1, result: { content: [{ text: `at ${index}` }] } }]);
    }
  });

  test('let a stream that broke at one go on at another, once and in order, while it is worked on', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    const call = await session.call(1, 'count', { to: 40 }, { progressToken: 1 });
    await until(() => call.messages.length >= 2);
    call.abort();
    const rest = await (await at(b, session).get({ 'last-event-id': ids(call).at(-1) ?? '' })).finish();
    expect(rest.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'counted 40' }] } });
    const progress = [...call.messages, ...rest.messages].flatMap(({ params }) => params?.progress ?? []);
    expect(progress).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    const again = await (await at(b, session).get({ 'last-event-id': ids(call)[0] ?? '' })).finish();
    expect(again.messages.at(-1)).toMatchObject({ id: 1, result: {} });
    expect(again.messages).toHaveLength(progress.length + 1);
  });

  test('give the answer that came at once to whoever comes back with the beginning of its stream', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    const answer = await (await session.call(1, 'echo', { text: 'x' })).finish();
    const [beginning, last] = ids(answer);
    for (const served of [a, b]) {
      const again = await (await at(served, session).get({ 'last-event-id': beginning ?? '' })).finish();
      expect(again.messages).toEqual(answer.messages);
      expect(ids(again)).toContain(last);
    }
  });

  test('take the answer to a question of another', async () => {
    const [a, b] = await two();
    const session = await openSession(a, HANDSHAKE, { elicitation: {} });
    const call = await session.call(1, 'ask');
    const other = await at(b, session).call(2, 'ask');
    await until(() => call.messages.length === 1 && other.messages.length === 1);
    const [question] = call.messages;
    const [otherQuestion] = other.messages;
    expect(question).toMatchObject({ method: 'elicitation/create' });
    expect(question?.id).not.toBe(otherQuestion?.id);
    const answer = (id: unknown, action: string): object => ({ jsonrpc: '2.0', id, result: { action } });
    expect((await at(b, session).post(answer(question?.id, 'decline'))).status).toBe(202);
    expect((await at(a, session).post(answer(otherQuestion?.id, 'cancel'))).status).toBe(202);
    await Promise.all([call.finish(), other.finish()]);
    expect(call.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'decline' }] } });
    expect(other.messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'cancel' }] } });
  });

  test('cancel what another works on', async () => {
    const server = makeServer();
    const reasons: unknown[] = [];
    server.registerTool('wait', {}, async (ctx) => {
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
      reasons.push(ctx.signal.reason);
      return { content: [] };
    });
    const a = await serve({ store: stores.node() }, {}, server);
    const b = await node();
    const session = await openSession(a);
    const call = await session.call(7, 'wait');
    await until(() => ids(call).length === 1);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect((await at(b, session).post(cancelled)).status).toBe(202);
    await until(() => reasons.length === 1);
    await call.finish();
    expect(call.messages).toEqual([]);
    // Who comes back for it elsewhere does not wait for ever.
    const rest = await at(b, session).get({ 'last-event-id': ids(call)[0] ?? '' });
    await rest.finish();
    expect(rest.messages).toEqual([]);
  });

  test('tell of a change at any of them, on the streams of all of them', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    const standing = await at(b, session).get();
    const listening = await send(
      b,
      stateless('subscriptions/listen', {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] },
      }),
    );
    await until(() => ids(standing).length === 1 && listening.messages.length === 1);
    const subscribe = { jsonrpc: '2.0', id: 3, method: 'resources/subscribe', params: { uri: 'note://one' } };
    await (await at(a, session).post(subscribe)).finish();
    a.server.registerTool('new', {}, async () => ({ content: [] }));
    await until(() => standing.messages.length === 1 && listening.messages.length === 2);
    await a.server.server.sendResourceUpdated({ uri: 'note://one' });
    await until(() => standing.messages.length === 2 && listening.messages.length === 3);
    expect(methods(standing)).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated']);
    expect(methods(listening).slice(1)).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/updated',
    ]);
    await b.server.server.sendResourceUpdated({ uri: 'note://one' });
    await until(() => standing.messages.length === 3 && listening.messages.length === 4);
  });

  test('tell of what changed while the standing stream was read nowhere', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    const first = await session.get();
    await until(() => ids(first).length === 1);
    first.abort();
    await until(() => a.handler.health.working === 0);
    b.server.registerTool('new', {}, async () => ({ content: [] }));
    await b.server.server.sendResourceUpdated({ uri: 'note://one' });
    // Another session shows that everyone has heard of it.
    const other = await openSession(b);
    const heard = await at(b, other).get();
    b.server.registerTool('newer', {}, async () => ({ content: [] }));
    await until(() => heard.messages.length === 1);
    const second = await at(b, session).get({ 'last-event-id': ids(first)[0] ?? '' });
    await until(() => second.messages.length >= 1);
    expect(methods(second)).toContain('notifications/tools/list_changed');
    expect(methods(second)).not.toContain('notifications/resources/updated');
  });

  test('speak on the standing stream that another carries, in one order', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    const standing = await at(b, session).get();
    await until(() => ids(standing).length === 1);
    await a.server.server.sendLoggingMessage({ level: 'info', data: 'from a' });
    await until(() => standing.messages.length === 1);
    for (let index = 0; index < 20; index += 1) await a.server.server.notification({ method: `x/${index}` });
    await until(() => standing.messages.length === 21);
    expect(methods(standing).slice(1)).toEqual(Array.from({ length: 20 }, (_, index) => `x/${index}`));
    standing.abort();
    const seen = ids(standing);
    const rest = await at(a, session).get({ 'last-event-id': seen[11] ?? '' });
    await until(() => rest.messages.length === 10);
    expect(ids(rest)).toEqual(seen.slice(12));
  });

  test('carry the standing stream where it was opened last', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    const first = await session.get();
    await until(() => ids(first).length === 1);
    const second = await at(b, session).get();
    await first.finish();
    b.server.registerTool('new', {}, async () => ({ content: [] }));
    await until(() => second.messages.length === 1);
    expect(first.messages).toEqual([]);
  });

  test('carry it there also when they hear late that it was opened elsewhere before', async () => {
    const a = await node();
    const slow = slowToHear(stores.node());
    const b = await node({ store: slow.store });
    const session = await openSession(a);
    const first = await session.get();
    await until(() => ids(first).length === 1);
    const second = await at(b, session).get();
    await first.finish();
    slow.hear();
    b.server.registerTool('new', {}, async () => ({ content: [] }));
    await until(() => second.messages.length === 1);
    expect(first.messages).toEqual([]);
  });

  test('know what a client wants as soon as it was told that they do', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    // Alive at both from here on.
    await (await at(b, session).call(1, 'echo', { text: '' })).finish();
    const setLevel = { jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params: { level: 'error' } };
    await (await at(b, session).post(setLevel)).finish();
    const quiet = await (await session.call(3, 'tell')).finish();
    expect(quiet.messages).toHaveLength(1);
    const louder = { jsonrpc: '2.0', id: 4, method: 'logging/setLevel', params: { level: 'debug' } };
    await (await session.post(louder)).finish();
    const told = await (await at(b, session).call(5, 'tell')).finish();
    expect(methods(told)).toEqual(['notifications/message', undefined]);
  });

  test('lose nothing that a client wants when it says so at several of them at once', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    await (await at(b, session).call(1, 'echo', { text: '' })).finish();
    for (const served of [a, b]) served.server.registerResource(`m`, `note://m`, {}, async () => ({ contents: [] }));
    const wishes = [
      at(a, session).post({ jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'note://one' } }),
      at(b, session).post({ jsonrpc: '2.0', id: 3, method: 'resources/subscribe', params: { uri: 'note://m' } }),
      at(b, session).post({ jsonrpc: '2.0', id: 4, method: 'logging/setLevel', params: { level: 'error' } }),
    ];
    for (const wish of await Promise.all(wishes)) await wish.finish();
    const quiet = await (await session.call(5, 'tell')).finish();
    expect(quiet.messages).toHaveLength(1);
    const standing = await session.get();
    await until(() => ids(standing).length === 1);
    await b.server.server.sendResourceUpdated({ uri: 'note://one' });
    await b.server.server.sendResourceUpdated({ uri: 'note://m' });
    await until(() => standing.messages.length === 2);
  });

  test('end a session on all of them', async () => {
    const [a, b] = await two();
    const session = await openSession(a);
    const standing = await session.get();
    expect((await at(b, session).end()).status).toBe(200);
    expect((await session.call(1, 'echo', { text: 'x' })).status).toBe(404);
    await standing.finish();
  });

  test('count sessions together', async () => {
    const a = await node({ sessions: { max: 2 } });
    const b = await node({ sessions: { max: 2 } });
    const first = await openSession(a);
    await openSession(b);
    const third = await send(b, { body: initialize() });
    expect([third.status, third.headers['retry-after']]).toEqual([503, '30']);
    expect(third.headers['mcp-session-id']).toBeUndefined();
    await at(b, first).end();
    await openSession(a);
  });

  test('do not give a session or its streams to another caller', async () => {
    const principal = {
      principal: (_: unknown, request: { header(name: string): string | undefined }) => request.header('x-user'),
    };
    const a = await node(principal);
    const b = await node(principal);
    const session = await openSession(a, HANDSHAKE, {}, { 'x-user': 'alice' });
    const stranger = { ...session, headers: { ...session.headers, 'x-user': 'mallory' } };
    expect((await at(b, stranger).call(1, 'echo', { text: 'x' })).status).toBe(404);
    const call = await (await session.call(2, 'echo', { text: 'secret' })).finish();
    const other = await openSession(b, HANDSHAKE, {}, { 'x-user': 'mallory' });
    const stolen = await at(a, other).get({ 'last-event-id': ids(call)[0] ?? '' });
    expect(stolen.status).toBe(400);
  });

  test('say that an outcome is unknown when the one that worked on it is gone', async () => {
    const mortalStore = mortal(stores.node());
    const a = await serve({ store: mortalStore.store, nodeTimeoutMs: 900 });
    const b = await node({ nodeTimeoutMs: 900 });
    const session = await openSession(a);
    const call = await session.call(5, 'later', { text: 'never', ms: 600_000 });
    await until(() => ids(call).length === 1);
    // It lives, so whoever comes back waits.
    const early = await at(b, session).get({ 'last-event-id': ids(call)[0] ?? '' });
    mortalStore.die();
    call.abort();
    await early.finish();
    const unknown = { id: 5, error: { code: -32603, data: { outcome: 'unknown' } } };
    expect(early.messages).toMatchObject([unknown]);
    const again = await (await at(b, session).get({ 'last-event-id': ids(call)[0] ?? '' })).finish();
    expect(again.messages).toMatchObject([unknown]);
    expect(ids(again)).toEqual(ids(early));
  });

  test('answer 503 while the store is away, serve on without sessions, and recover', async () => {
    const inner = stores.node();
    let isAway = false;
    const store = new Proxy(inner, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) =>
          isAway
            ? Promise.reject(new StoreUnavailableError(new Error('away')))
            : (member as (...given: unknown[]) => unknown).apply(target, args);
      },
    });
    const a = await serve({ store });
    const session = await openSession(a);
    const running = await session.call(1, 'later', { text: 'through', ms: 300 });
    await until(() => ids(running).length === 1);
    isAway = true;
    const refused = await session.call(2, 'echo', { text: 'x' });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect((await refused.json()).error?.message).toContain('try again');
    expect((await send(a, { body: initialize() })).status).toBe(503);
    const answer = await (await send(a, stateless('tools/call', { name: 'echo', arguments: { text: 'on' } }))).json();
    expect(answer).toMatchObject({ result: { content: [{ text: 'on' }] } });
    a.server.registerTool('meanwhile', {}, async () => ({ content: [] }));
    await new Promise((resolve) => setTimeout(resolve, 400));
    isAway = false;
    await running.finish();
    expect(running.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'through' }] } }]);
    expect(ids(running)).toHaveLength(2);
    const after = await (await session.call(3, 'echo', { text: 'back' })).finish();
    expect(after.messages).toMatchObject([{ result: { content: [{ text: 'back' }] } }]);
  });
});
