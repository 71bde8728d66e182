import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { closeAll, openSession, serve } from '../http/serving.ts';
import { Bench, beginCore, core } from '../tasks/bench.ts';
import { quiet, Wire } from '../server/wire.ts';

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
});
