import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { HANDSHAKE, closeAll, openSession, serve, send, until, type RawSession, type Served } from '../http/serving.ts';

afterEach(closeAll);

const BATCHES = '2025-03-26';

/** A shared store that says what is written to it. */
function written(): { store: Store; writes: string[] } {
  const writes: string[] = [];
  const store = new Proxy(memoryStore({ shared: true }), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (/^(?:put|append|publish|add|delete|touch)$/.test(String(name)))
          writes.push(`${String(name)} ${String(args[0])}`);
        return (member as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { store, writes };
}

/** What a node does for itself is about nodes and changes. */
const ofClients = (writes: readonly string[]): string[] =>
  writes.filter((write) => write === 'publish sessions' || !/^\w+ (?:node:|nodes:|changes|sessions)/.test(write));

const nodeName = (n: number): string => `n${n.toString(16).padStart(12, '0')}`;

interface Ask {
  readonly call: Awaited<ReturnType<RawSession['call']>>;
  readonly id: string;
}

/** Has the client of a session asked something at one of the nodes. */
async function ask(session: RawSession): Promise<Ask> {
  const call = await session.call(1, 'ask');
  await until(() => call.messages.some(({ method }) => method === 'elicitation/create'));
  return { call, id: String(call.messages.find(({ method }) => method === 'elicitation/create')?.id) };
}

const at = (node: Served, { headers }: RawSession, body: unknown): ReturnType<typeof send> =>
  send(node, { body, headers });

describe('one POST of forty thousand answers that nobody asked for', () => {
  test.each([
    ['of nodes that never were', (n: number) => `${nodeName(n)}-1`],
    ['that look like answers to questions', (n: number) => `${nodeName(n)}-1-0123456789abcdef`],
    ['with numbers', (n: number) => 1_000_000 + n],
  ])('%s costs the store nothing and is reported in sum', async (_name, idOf) => {
    const { store, writes } = written();
    const one = await serve({ store });
    const session = await openSession(one, BATCHES);
    writes.length = 0;
    const answers = Array.from({ length: 40_000 }, (_, n) => ({ jsonrpc: '2.0', id: idOf(n), result: {} }));
    expect((await session.post(answers)).status).toBe(202);
    expect(ofClients(writes)).toEqual([]);
    expect(one.problems.length).toBeLessThan(20);
    await send(one, { method: 'DELETE', headers: session.headers });
    expect(one.problems[0]?.message).toMatch(/^Received a response for an unknown message ID: /);
    expect(one.problems.at(-1)?.message).toMatch(/^39\d{3} more problems like this one/);
  });

  test('of a question that another session was asked costs the store nothing', async () => {
    const { store, writes } = written();
    const [one, two] = [await serve({ store }), await serve({ store })];
    const [asked, other] = [
      await openSession(one, HANDSHAKE, { elicitation: {} }),
      await openSession(two, HANDSHAKE, { elicitation: {} }),
    ];
    const { id, call } = await ask(asked);
    writes.length = 0;
    expect((await at(two, other, { jsonrpc: '2.0', id, result: { action: 'accept' } })).status).toBe(202);
    expect(ofClients(writes)).toEqual([]);
    expect(call.ended).toBe(false);
  });
});

test('answers that were asked for reach the node that asked, in one word however often they are repeated', async () => {
  const { store, writes } = written();
  const [one, two] = [await serve({ store }), await serve({ store })];
  const session = await openSession(one, HANDSHAKE, { elicitation: {} });
  const { id, call } = await ask(session);
  writes.length = 0;
  const answer = { jsonrpc: '2.0', id, result: { action: 'decline' } };
  const repeated = Array.from({ length: 500 }, () => answer);
  expect((await at(two, session, repeated)).status).toBe(202);
  await call.finish();
  expect(call.messages.at(-1)?.result?.content?.[0]?.text).toBe('decline');
  expect(writes.filter((write) => write.startsWith('append mail'))).toHaveLength(1);
});

test('forty thousand cancellations of what nobody works on are one word to the other nodes', async () => {
  const { store, writes } = written();
  const one = await serve({ store });
  const session = await openSession(one, BATCHES);
  writes.length = 0;
  const params = (requestId: number): object => ({ requestId });
  const all = Array.from({ length: 40_000 }, (_, n) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: params(n),
  }));
  expect((await session.post(all)).status).toBe(202);
  expect(ofClients(writes).length).toBeLessThanOrEqual(1);
});

test('a session of a revision without batches is no other way', async () => {
  const { store, writes } = written();
  const one = await serve({ store });
  const session = await openSession(one, HANDSHAKE);
  writes.length = 0;
  const answers = Array.from({ length: 1000 }, (_, n) => ({ jsonrpc: '2.0', id: `${nodeName(n)}-1`, result: {} }));
  expect((await session.post(answers)).status).toBe(400);
  expect(ofClients(writes)).toEqual([]);
});
