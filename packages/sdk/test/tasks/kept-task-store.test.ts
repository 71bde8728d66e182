import { expect, test } from 'vitest';
import { memoryStore } from 'crosspoint/stores';
import { KeptTaskStore } from '../../src/internal/tasks/kept-task-store.ts';

const request = { method: 'tools/call' };

test('tasks in a store are shared by everybody who has it, each found by its owner and by the program', async () => {
  const store = memoryStore();
  const [here, there] = [new KeptTaskStore(store), new KeptTaskStore(store)];
  const { taskId } = await here.createTask({ ttl: null }, 1, request, 'mine');
  expect(await there.getTask(taskId, 'other')).toBeNull();
  await there.updateTaskStatus(taskId, 'working', 'Busy', 'mine');
  expect(await here.getTask(taskId)).toMatchObject({ status: 'working', statusMessage: 'Busy' });
  await expect(here.getTaskResult(taskId)).rejects.toThrow('no result');
  await here.storeTaskResult(taskId, 'completed', { content: [] }, 'mine');
  expect(await there.getTaskResult(taskId, 'mine')).toEqual({ content: [] });
  await expect(there.updateTaskStatus(taskId, 'working')).rejects.toThrow('stays so');
  await expect(there.storeTaskResult('none', 'failed', {})).rejects.toThrow('no task');
});

test('lists have pages, and cursors that are none of theirs are refused', async () => {
  const kept = new KeptTaskStore();
  for (let count = 0; count < 60; count += 1) await kept.createTask({}, count, request, 'many');
  const first = await kept.listTasks(undefined, 'many');
  expect(first.tasks).toHaveLength(50);
  expect((await kept.listTasks(first.nextCursor, 'many')).tasks).toHaveLength(10);
  expect((await kept.listTasks(undefined, 'other')).tasks).toEqual([]);
  await expect(kept.listTasks('nothing')).rejects.toThrow('Invalid cursor: nothing');
});
