import { afterEach, describe, expect, test, vi } from 'vitest';
import type { McpServer } from '../../src/server/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { accepting, ask, exchange, requireAsks, said, serverOf } from '../asking/linked.ts';
import { closeAll, openSession, serve } from '../http/serving.ts';
import { Bench, beginCore, core } from '../tasks/bench.ts';
import { gate, quiet, Wire } from '../server/wire.ts';

/** A store that says what it is asked for: the method and what the key begins with. */
function counted(store: Store): { store: Store; asked: string[] } {
  const asked: string[] = [];
  const counting = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        asked.push(`${String(name)} ${/^[a-z]+(?::[a-z](?=:))?/.exec(String(args[0]))?.[0]}`);
        return (member as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { store: counting, asked };
}

describe('what is asked of a store', () => {
  afterEach(closeAll);

  test('a task that ends undisturbed is written twice and read once', async () => {
    const { store, asked } = counted(memoryStore());
    const wire = await Wire.open(new Bench({ tasks: { store } }).server);
    const once = async (): Promise<void> => {
      const { taskId } = await beginCore(wire, 'must');
      await quiet();
      expect((await wire.result('tasks/result', { taskId }, core)).content).toEqual([{ type: 'text', text: 'done' }]);
    };
    await once();
    asked.length = 0;
    await once();
    // r: the record, w: what has not ended, x: who runs it. The look for tasks that nobody runs may come in between.
    expect(asked.filter((operation) => operation !== 'keys task:w').sort()).toEqual([
      'count task:w',
      'delete task:w',
      'delete task:x',
      'get task:r',
      'publish tasks',
      'put task:r',
      'put task:r',
      'put task:w',
      'put task:x',
    ]);
  });

  test('a call that asks costs one write for its first question, and six operations with one for each step when it comes back', async () => {
    const { store, asked } = counted(memoryStore());
    const at = serverOf(
      async (ctx) => {
        await ctx.step('before', () => 1);
        const value = await ask(ctx, 'm');
        await ctx.step('after', () => 2);
        return said(value);
      },
      { asking: { store } },
    );
    const first = await exchange(at);
    expect(asked.splice(0)).toEqual(['put asking']);
    const retry = { state: requireAsks(first).state, answers: accepting(first) };
    await exchange(at, retry);
    // The record is looked at and claimed under a lease; then come the step, the end, and the word to those who wait.
    const ofRetry = ['get', 'put', 'put', 'put', 'put', 'delete', 'publish'].map((name) => `${name} asking`);
    await vi.waitFor(() => expect(asked).toEqual(ofRetry));
    asked.length = 0;
    await exchange(at, retry);
    expect(asked).toEqual(['get asking']);
  });

  test('copies of a round that wait at another node ask for its lease once a second, however many they are', async () => {
    const shared = memoryStore();
    const { store, asked } = counted(shared);
    const clock = new ManualClock(Date.now());
    const began = gate();
    const goOn = gate();
    let runs = 0;
    const node = (of: Store, more: object = {}): McpServer =>
      serverOf(
        async (ctx) => {
          const value = await ask(ctx, 'm');
          runs += 1;
          began.open();
          await goOn.promise;
          return said(value);
        },
        { asking: { keys: ['k'.repeat(32)], store: of }, ...more },
      );
    const first = node(shared);
    const other = node(store, { clock });
    const outcome = await exchange(first);
    const retry = { state: requireAsks(outcome).state, answers: accepting(outcome) };
    const copies = [exchange(first, retry)];
    await began.promise;
    for (let copy = 0; copy < 5; copy += 1) copies.push(exchange(other, retry));
    const tries = (): number => asked.filter((operation) => operation === 'put asking').length;
    await vi.waitFor(() => expect(asked.filter((operation) => operation === 'get asking')).toHaveLength(6));
    await quiet();
    expect(tries()).toBe(1);
    await clock.advance(1000);
    await vi.waitFor(() => expect(tries()).toBe(2));
    await quiet();
    expect(tries()).toBe(2);
    goOn.open();
    expect(new Set((await Promise.all(copies)).map((copy) => JSON.stringify(copy))).size).toBe(1);
    expect(runs).toBe(1);
  });

  test('a call that never asks costs nothing, though it takes steps', async () => {
    const { store, asked } = counted(memoryStore());
    const at = serverOf(async (ctx) => said(await ctx.step('only', () => 1)), { asking: { store } });
    await exchange(at);
    expect(asked).toEqual([]);
  });

  test('a call in a shared session that is answered at once costs one look and one word', async () => {
    const { store, asked } = counted(memoryStore({ shared: true }));
    const session = await openSession(await serve({ store }));
    const once = async (id: number): Promise<void> => {
      const answer = await (await session.call(id, 'echo', { text: 'x' })).finish();
      expect(answer.messages).toMatchObject([{ id }]);
    };
    await once(1);
    asked.length = 0;
    for (const id of [2, 3, 4]) await once(id);
    // What a node does for itself now and then is about nodes and changes.
    const ofCalls = asked.filter((operation) => /session|events|limit/.test(operation));
    expect(ofCalls).toEqual([2, 3, 4].flatMap(() => ['get session', 'append events']));
  });

  test('sessions that are opened while there is room are counted once a second', async () => {
    const { store, asked } = counted(memoryStore({ shared: true }));
    const clock = new ManualClock(Date.now());
    const served = await serve({ store }, { clock });
    const counts = (): number => asked.filter((operation) => operation === 'count session').length;
    await Promise.all([1, 2, 3, 4].map(() => openSession(served)));
    expect(counts()).toBe(1);
    await clock.advance(1000);
    await openSession(served);
    expect(counts()).toBe(2);
  });
});
