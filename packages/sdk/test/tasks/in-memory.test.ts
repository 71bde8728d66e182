import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as official from '@modelcontextprotocol/sdk/experimental/tasks';
import * as ours from '../../src/experimental/tasks/index.ts';

/** Both packages as one type: each test makes the same calls on both and compares what they gave. */
const packages: Record<'official' | 'ours', any> = { official, ours };
const request = { method: 'tools/call', params: { name: 'x' } };

/** An outcome as text, with each id and time replaced by a name. */
function seen(value: unknown, ids: readonly string[]): unknown {
  const text = value instanceof Error ? value.message : (JSON.stringify(value) ?? String(value));
  return ids
    .reduce((words, id, place) => words.replaceAll(id, `<${place}>`), text)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
}

const attempt = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('InMemoryTaskStore says and keeps the same as that of the official SDK', () => {
  async function run(store: any): Promise<unknown[]> {
    const made = [];
    for (let count = 0; count < 25; count += 1) made.push(await store.createTask({ ttl: null }, count, request));
    const ids = made.map(({ taskId }: { taskId: string }) => taskId);
    const [first, second, third, fourth] = ids;
    const firstMade = { ...made[0] };
    const page = await store.listTasks();
    const steps: unknown[] = [
      firstMade,
      page,
      await store.listTasks(page.nextCursor),
      await store.listTasks(ids[19]),
      await attempt(store.listTasks('nothing')),
      await attempt(store.getTaskResult(first)),
      await attempt(store.getTaskResult('nothing')),
      await store.getTask('nothing'),
      await attempt(store.updateTaskStatus('nothing', 'working')),
      await store.updateTaskStatus(first, 'input_required', 'Busy'),
      await store.getTask(first),
      await store.updateTaskStatus(first, 'working'),
      await store.getTask(first),
      await store.storeTaskResult(second, 'failed', { content: [] }),
      await attempt(store.storeTaskResult(second, 'completed', {})),
      await attempt(store.updateTaskStatus(second, 'working')),
      await store.getTaskResult(second),
      await store.updateTaskStatus(third, 'cancelled', 'No more'),
      await attempt(store.storeTaskResult(third, 'completed', {})),
      await attempt(store.storeTaskResult('nothing', 'completed', {})),
      await store.storeTaskResult(fourth, 'completed', { content: [] }),
      store.getAllTasks().map(({ status }: { status: string }) => status),
      store.cleanup(),
      store.getAllTasks(),
    ];
    return steps.map((step) => seen(step, ids));
  }

  test('statuses, results, pages and refusals', async () => {
    const expected = await run(new packages.official.InMemoryTaskStore());
    expect(await run(new packages.ours.InMemoryTaskStore())).toEqual(expected);
  });

  test('a lifetime counts from the beginning and again from the end', async () => {
    for (const { InMemoryTaskStore } of Object.values(packages)) {
      const store = new InMemoryTaskStore();
      const [left, ended, cancelled] = await Promise.all(
        [1, 2, 3].map((id) => store.createTask({ ttl: 1000 }, id, request)),
      );
      vi.advanceTimersByTime(600);
      await store.storeTaskResult(ended.taskId, 'completed', {});
      await store.updateTaskStatus(cancelled.taskId, 'cancelled');
      vi.advanceTimersByTime(600);
      expect(await store.getTask(left.taskId)).toBeNull();
      expect(await store.getTask(ended.taskId)).not.toBeNull();
      expect(await store.getTask(cancelled.taskId)).not.toBeNull();
      vi.advanceTimersByTime(401);
      expect(store.getAllTasks()).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    }
  });
});

test('a task that was made for a session is found by it and by the program, and by no other session', async () => {
  const store = new ours.InMemoryTaskStore();
  const { taskId } = await store.createTask({}, 1, request, 'mine');
  const shared = await store.createTask({}, 1, request);
  expect(await store.getTask(taskId, 'other')).toBeNull();
  expect(await store.getTask(taskId, 'mine')).not.toBeNull();
  expect(await store.getTask(taskId)).not.toBeNull();
  expect((await store.listTasks(undefined, 'other')).tasks.map((task) => task.taskId)).toEqual([shared.taskId]);
  await expect(store.updateTaskStatus(taskId, 'cancelled', undefined, 'other')).rejects.toThrow('not found');
  await expect(store.storeTaskResult(taskId, 'completed', {}, 'other')).rejects.toThrow('not found');
  await expect(store.listTasks(taskId, 'other')).rejects.toThrow('Invalid cursor');
});

test('a queue keeps the order and its bounds, as that of the official SDK does', async () => {
  const outcomes = await Promise.all(
    Object.values(packages).map(async ({ InMemoryTaskMessageQueue }) => {
      const queue = new InMemoryTaskMessageQueue();
      const message = (id: number): unknown => ({
        type: 'request',
        message: { jsonrpc: '2.0', id, method: 'ping' },
        timestamp: 0,
      });
      await queue.enqueue('t', message(1));
      await queue.enqueue('t', message(2), undefined, 2);
      const refused = (await attempt(queue.enqueue('t', message(3), undefined, 2))) as Error;
      await queue.enqueue('t', message(4), 'session');
      await queue.enqueue('other', message(5));
      return [
        refused.message,
        await queue.dequeue('t'),
        await queue.dequeueAll('t'),
        (await queue.dequeue('t')) ?? 'none',
        await queue.dequeueAll('t', 'session'),
        await queue.dequeue('other', 'session'),
      ];
    }),
  );
  expect(outcomes[1]).toEqual(outcomes[0]);
});
