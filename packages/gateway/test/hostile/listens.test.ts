import { afterEach, describe, expect, it } from 'vitest';
import type { McpHandlerOptions } from 'crosspoint/server';
import { closeAll } from '../carriers.ts';
import { faceOver, linesFace, sender, shaken } from '../raw/faces.ts';
import { rawServer, type Message, type RawLines } from '../raw/lines.ts';
import { facts, oldServer } from '../raw/words.ts';
import { NOTHING, emptied, inside } from './inside.ts';

afterEach(async () => {
  await closeAll();
  expect(emptied()).toEqual(NOTHING);
});

const isBad = (uri: string): boolean => uri.startsWith('bad:');
/** A server with subscriptions, which knows no bad addresses. */
const noting = oldServer({
  capabilities: { tools: {}, resources: { subscribe: true } },
  on: ({ id, method, params }, peer) => {
    if (id === undefined || method === undefined) return;
    if (method === 'resources/subscribe' && isBad(params.uri))
      peer.send({ id, error: { code: -32002, message: 'no such thing' } });
    else peer.send({ id, result: {} });
  },
});

const listen = (...uris: string[]): Message => ({ notifications: { resourceSubscriptions: uris } });
/** Addresses that are subscribed to at the server now. */
function subscribed(peers: readonly RawLines[]): string[] {
  const now = new Set<string>();
  for (const { method, params } of peers.flatMap(({ received }) => received)) {
    if (method === 'resources/subscribe') now.add(params.uri);
    if (method === 'resources/unsubscribe') now.delete(params.uri);
  }
  return [...now];
}

async function before(handler: McpHandlerOptions = {}) {
  const { port, peers } = await rawServer(noting);
  const { where, face } = await faceOver('http', port, { handler });
  return { peers, face, send: sender(where as string) };
}

describe('a listen stream leaves nothing watched at the server', () => {
  it('that is refused, because there are too many', async () => {
    const { peers, send } = await before({ maxListens: 1 });
    const first = await send('subscriptions/listen', listen('note://first'));
    await first.said('notifications/subscriptions/acknowledged');
    for (let times = 0; times < 20; times += 1) {
      const refused = await send('subscriptions/listen', listen(`note://${times}`));
      expect((await refused.answer(times + 2))['error'].code).toBe(429);
    }
    await expect.poll(() => subscribed(peers)).toEqual(['note://first']);
    expect(inside().watches).toBe(1);
    await first.leave();
    await expect.poll(() => inside().watches).toBe(0);
  });

  it('that ends with its time', async () => {
    const { peers, send } = await before({ listenLifetimeMs: 100 });
    const stream = await send('subscriptions/listen', listen('note://1'));
    expect((await stream.answer(1))['result']).toBeDefined();
    await expect.poll(() => subscribed(peers)).toEqual([]);
    expect(inside().watches).toBe(0);
  });

  it.each(['refuses', 'answers'])('that a middleware of the face %s', async (how) => {
    const { peers, face, send } = await before();
    face.use(({ method }, next) => {
      if (method !== 'subscriptions/listen') return next();
      if (how === 'refuses') throw new Error('Nobody listens here.');
      return Promise.resolve({ kind: 'complete', result: {} });
    });
    await (await send('subscriptions/listen', listen('note://1'))).answer(1);
    await expect.poll(() => subscribed(peers)).toEqual([]);
    expect(inside().watches).toBe(0);
  });

  it('whose addresses are too many: the server is asked for none', async () => {
    const { peers, send } = await before();
    const uris = Array.from({ length: 10_001 }, (_, at) => `n:${at}`);
    expect((await (await send('subscriptions/listen', listen(...uris))).answer(1))['error'].code).toBe(-32602);
    expect(subscribed(peers)).toEqual([]);
  });

  it('has all addresses but those that the server refuses, in few attempts', async () => {
    const { client, peers } = await linesFace(noting);
    const uris = Array.from({ length: 2000 }, (_, at) => (at === 700 || at === 1999 ? `bad:${at}` : `n:${at}`));
    client.send({ id: 1, method: 'subscriptions/listen', params: { ...listen(...uris), _meta: facts() } });
    const { params } = await client.said('notifications/subscriptions/acknowledged');
    expect(params.notifications.resourceSubscriptions).toEqual(uris.filter((uri) => !isBad(uri)));
    const asked = peers.flatMap(({ received }) => received.filter(({ method }) => method === 'resources/subscribe'));
    expect(asked.length).toBeLessThan(4 * uris.length);
    expect(subscribed(peers).filter((uri) => !isBad(uri))).toHaveLength(1998);
  });
});

it('a subscription that a middleware of the face refuses is taken back at the server', async () => {
  const { client, peers, face } = await linesFace(noting);
  face.use(({ method }, next) => {
    if (method === 'resources/subscribe') throw new Error('Nobody subscribes here.');
    return next();
  });
  await shaken(client);
  client.send({ id: 1, method: 'resources/subscribe', params: { uri: 'note://1' } });
  expect((await client.answer(1))['error']).toBeDefined();
  await expect.poll(() => subscribed(peers)).toEqual([]);
});
