import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { TaskWatch } from '../../src/server/tasks/task-news.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

test('whoever waits for a task for a day leaves no listener behind with every look', async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const watch = new TaskWatch(clock, () => {});
  for (let look = 0; look < 100; look += 1) {
    const changed = watch.changed(signal);
    await clock.advance(5000);
    await changed;
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  expect(clock.pending).toBe(0);
});
