import { afterEach, describe, expect, test } from 'vitest';
import { ProtocolError } from '../../src/protocol/errors.ts';
import { META_IDEMPOTENCY_KEY } from '../../src/protocol/meta.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import { HANDSHAKE, closeAll, makeServer, openSession, send, serve, stateless, type Answer } from './serving.ts';

afterEach(closeAll);

const limits = { 'tools/call': { perSecond: 0.25, burst: 2 } };
const told = (answer: Answer): unknown[] => [answer.status, answer.headers['retry-after']];

async function refusedWith(answer: Answer): Promise<unknown> {
  expect(answer.headers['content-type']).toBe('application/json');
  return (await answer.json()).error;
}

const REFUSAL = { code: 429, data: { retryAfterMs: 4000 } };

describe('a call that comes too often', () => {
  test('of a stateless client is 429 with the time to wait', async () => {
    const at = await serve({}, { limits, clock: new ManualClock() });
    const call = (): Promise<Answer> => send(at, stateless('tools/call', { name: 'echo', arguments: { text: 'x' } }));
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    const refused = await call();
    expect(told(refused)).toEqual([429, '4']);
    expect(await refusedWith(refused)).toMatchObject(REFUSAL);
  });

  test('of a session is 429 with the time to wait, and the session goes on', async () => {
    const clock = new ManualClock();
    const at = await serve({}, { limits, clock });
    const session = await openSession(at);
    for (const id of [1, 2]) {
      const [answer] = (await (await session.call(id, 'echo', { text: 'x' })).finish()).messages;
      expect(answer).toMatchObject({ id, result: {} });
    }
    const refused = await session.call(3, 'echo', { text: 'x' });
    expect(told(refused)).toEqual([429, '4']);
    expect(await refusedWith(refused)).toMatchObject(REFUSAL);
    await clock.advance(4000);
    expect((await (await session.call(4, 'echo', { text: 'x' })).finish()).messages).toMatchObject([
      { id: 4, result: {} },
    ]);
  });

  test('of a handshake client without a session is 429, however many connections it makes', async () => {
    const at = await serve({ sessions: false }, { limits, clock: new ManualClock() });
    const call = (body: object): Promise<Answer> => send(at, { headers: { 'mcp-protocol-version': HANDSHAKE }, body });
    const echo = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } };
    expect([(await call(echo)).status, (await call(echo)).status]).toEqual([200, 200]);
    expect(told(await call(echo))).toEqual([429, '4']);
  });

  test('is told inside a batch, which other answers share', async () => {
    const at = await serve({ jsonOnly: true }, { limits, clock: new ManualClock() });
    const session = await openSession(at, '2025-03-26');
    const params = { name: 'echo', arguments: { text: 'x' } };
    const batch = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    const answer = await session.post(batch);
    expect(answer.status).toBe(200);
    const answers = (await answer.json()) as unknown as { id: number; error?: { code: number } }[];
    expect(answers.map(({ error }) => error?.code).sort()).toEqual([429, undefined, undefined]);
  });

  test('is counted for a verified caller, whatever session or revision it comes with', async () => {
    const authenticate = (request: { header(name: string): string | undefined }) => {
      const token = request.header('authorization') ?? '';
      return { token, clientId: token, scopes: [] };
    };
    const at = await serve({ authenticate }, { limits, clock: new ManualClock() });
    const ann = { authorization: 'ann' };
    const one = await openSession(at, HANDSHAKE, {}, ann);
    const two = await openSession(at, HANDSHAKE, {}, ann);
    await (await one.call(1, 'echo', { text: 'x' })).finish();
    await (await two.call(1, 'echo', { text: 'x' })).finish();
    expect((await one.call(2, 'echo', { text: 'x' })).status).toBe(429);
    const modern = (headers: Record<string, string>): Promise<Answer> =>
      send(at, stateless('tools/call', { name: 'echo', arguments: { text: 'x' } }, { headers }));
    expect((await modern(ann)).status).toBe(429);
    expect((await modern({ authorization: 'bob' })).status).toBe(200);
  });
});

proves('L-LOGGING-008').test('one caller that logs much leaves the messages of others alone', async () => {
  const authenticate = (request: { header(name: string): string | undefined }) => {
    const token = request.header('authorization') ?? '';
    return { token, clientId: token, scopes: [] };
  };
  const limited = { 'notifications/message': { perSecond: 0.001, burst: 2 } };
  const at = await serve({ authenticate }, { limits: limited, clock: new ManualClock() });
  const logs = async (authorization: string): Promise<number> => {
    const meta = { 'io.modelcontextprotocol/logLevel': 'debug' };
    const answer = await send(at, stateless('tools/call', { name: 'tell' }, { headers: { authorization }, meta }));
    return (await answer.finish()).messages.filter(({ method }) => method === 'notifications/message').length;
  };
  expect([await logs('ann'), await logs('ann'), await logs('ann')]).toEqual([1, 1, 0]);
  expect(await logs('bob')).toBe(1);
});

describe('with a store that handlers share', () => {
  test('callers without a name are counted by address, and a key is known to all', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ now: () => clock.now(), shared: true });
    const nodes = await Promise.all([1, 2].map(() => serve({ store }, { limits, clock })));
    const statuses: number[] = [];
    const meta = { [META_IDEMPOTENCY_KEY]: crypto.randomUUID() };
    for (let index = 0; index < 3; index += 1) {
      const at = nodes[index % 2]!;
      const answer = await send(at, stateless('tools/call', { name: 'echo', arguments: { text: 'x' } }, { meta }));
      statuses.push(answer.status);
      if (answer.status === 429) expect(answer.headers['retry-after']).toBe('4');
    }
    expect(statuses).toEqual([200, 200, 429]);
    expect((await store.keys('idempotency:')).filter((key) => !key.endsWith(':lease'))).toHaveLength(1);
  });
});

test('a rate limit that a call in a session meets in a microtask is a 429, as one that it meets at once', async () => {
  const server = makeServer();
  server.use(async (operation, next) => {
    if (operation.method !== 'tools/call') return next();
    await Promise.resolve();
    throw new ProtocolError('rate-limited', 'Too many.');
  });
  const session = await openSession(await serve({}, {}, server));
  const refused = await session.call(1, 'echo', { text: 'a' });
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({ id: 1, error: { code: 429 } });
});
