import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/stores/memory.ts';
import { HANDSHAKE, closeAll, initialize, send, serve, stateless, type Answer, type Served } from './serving.ts';

afterEach(closeAll);

const GREEDY = '127.0.0.2';
const HONEST = '127.0.0.3';

const open = async (at: Served, from: string): Promise<Answer> =>
  (await send(at, { from, body: initialize() })).finish();

const ping = async (at: Served, from: string, session: string | undefined): Promise<number> => {
  const headers = { 'mcp-session-id': session ?? '', 'mcp-protocol-version': HANDSHAKE };
  const answer = await send(at, { from, headers, body: { jsonrpc: '2.0', id: 1, method: 'ping' } });
  return (await answer.finish()).status;
};

const idOf = ({ headers }: Answer): string | undefined => headers['mcp-session-id'] as string | undefined;

describe('when one address has taken all sessions', () => {
  test.each([
    ['in this process', () => ({})],
    ['in a store', () => ({ store: memoryStore() })],
    ['in a store of several nodes', () => ({ store: memoryStore({ shared: true }) })],
  ])(
    'it alone is refused: others get the place of what it has not used for the longest time, %s',
    async (_name, more) => {
      const at = await serve({ sessions: { max: 20 }, ...more() });
      const taken: (string | undefined)[] = [];
      for (let n = 0; n < 20; n += 1) taken.push(idOf(await open(at, GREEDY)));
      const refused = await open(at, GREEDY);
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '30']);
      expect(await ping(at, GREEDY, taken[0])).toBe(200);

      const opened = await open(at, HONEST);
      expect(opened.status).toBe(200);
      expect(await ping(at, HONEST, idOf(opened))).toBe(200);
      expect(at.handler.health.sessions).toBe(20);
      // The first was used again, so the second had waited longest.
      expect(await Promise.all([0, 1, 2].map((n) => ping(at, GREEDY, taken[n])))).toEqual([200, 404, 200]);

      for (let n = 0; n < 30; n += 1) expect((await open(at, GREEDY)).status).toBe(503);
      expect(await ping(at, HONEST, idOf(opened))).toBe(200);
    },
  );

  test('others get up to an equal share, and nobody is pushed out by one who has as many', async () => {
    const at = await serve({ sessions: { max: 12 } });
    for (let n = 0; n < 12; n += 1) await open(at, GREEDY);
    const statuses: number[] = [];
    for (let n = 0; n < 8; n += 1) statuses.push((await open(at, HONEST)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 503, 503]);
    expect((await open(at, '127.0.0.4')).status).toBe(200);
    expect(at.handler.health.sessions).toBe(12);
  });

  test('an open stream does not keep its place', async () => {
    const at = await serve({ sessions: { max: 3 } });
    const streams: Answer[] = [];
    for (let n = 0; n < 3; n += 1) {
      const session = idOf(await open(at, GREEDY)) ?? '';
      const headers = { 'mcp-session-id': session, 'mcp-protocol-version': HANDSHAKE };
      streams.push(await send(at, { from: GREEDY, method: 'GET', headers }));
    }
    expect((await open(at, HONEST)).status).toBe(200);
    await streams[0]?.finish();
    expect(streams.map(({ ended }) => ended)).toEqual([true, false, false]);
  });

  test('callers with a name have shares of their own, whatever address they come from', async () => {
    const at = await serve({
      sessions: { max: 4 },
      authenticate: (request) => ({ token: '', scopes: [], clientId: request.header('x-client') ?? 'none' }),
    });
    const openAs = async (client: string): Promise<number> =>
      (await (await send(at, { headers: { 'x-client': client }, body: initialize() })).finish()).status;
    for (let n = 0; n < 4; n += 1) expect(await openAs('greedy')).toBe(200);
    expect([await openAs('greedy'), await openAs('honest')]).toEqual([503, 200]);
  });
});

test('when one address has taken all streams of the older transport, others get the oldest of its places', async () => {
  const at = await serve({ path: '/mcp', legacySse: { max: 3 } });
  const openStream = (from: string): Promise<Answer> => send(at, { from, method: 'GET', path: '/sse' });
  const streams: Answer[] = [];
  for (let n = 0; n < 3; n += 1) streams.push(await openStream(GREEDY));
  expect((await openStream(GREEDY)).status).toBe(503);
  expect((await openStream(HONEST)).status).toBe(200);
  await streams[0]?.finish();
  expect(streams.map(({ ended }) => ended)).toEqual([true, false, false]);
  expect((await openStream(GREEDY)).status).toBe(503);
  expect(at.handler.health.streams).toBe(3);
});

test('when one address has taken all listen streams, others get the oldest of its places', async () => {
  const at = await serve({ maxListens: 3 });
  const listen = (from: string): Promise<Answer> =>
    send(at, { ...stateless('subscriptions/listen', { notifications: { resourcesListChanged: true } }), from });
  const streams: Answer[] = [];
  for (let n = 0; n < 3; n += 1) streams.push(await listen(GREEDY));
  expect((await listen(GREEDY)).status).toBe(429);
  expect((await listen(HONEST)).status).toBe(200);
  // It ends well, as a stream does whose time is over.
  expect((await streams[0]?.finish())?.messages.at(-1)).toHaveProperty('result');
  expect(streams.map(({ ended }) => ended)).toEqual([true, false, false]);
  expect((await listen(GREEDY)).status).toBe(429);
  expect(at.handler.health.streams).toBe(3);
});
