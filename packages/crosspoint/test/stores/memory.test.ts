import { expect, test } from 'vitest';
import { memoryStore } from '../../src/stores/memory.ts';
import { storeSuite } from './suite.ts';

let now = 1_000_000;

storeSuite('the memory store', {
  open: () => memoryStore({ now: () => now }),
  pass: async (ms) => {
    now += ms;
  },
  precisionMs: 1,
  countsBytes: true,
});

test('what has expired is forgotten while other things are written, and needs no timer', async () => {
  let time = 0;
  const store = memoryStore({ now: () => time, sweepMs: 100 });
  for (let index = 0; index < 1000; index += 1) {
    await store.put(`record:${index}`, 'x', { ttlMs: 10 });
    await store.append(`log:${index}`, 'x', { ttlMs: 10 });
  }
  time = 200;
  await store.put('last', 1);
  expect(await store.keys('')).toEqual(['last']);
});

test('a subscription that ended does not hear what was published before', async () => {
  const store = memoryStore();
  const heard: unknown[] = [];
  const end = await store.subscribe('c', (message) => heard.push(message));
  void store.publish('c', 1);
  void end();
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect(heard).toEqual([]);
});
