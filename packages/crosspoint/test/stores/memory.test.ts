import { expect, test } from 'vitest';
import { LeftBehind } from '../../src/stores/left-behind.ts';
import { memoryStore, memoryStoreWithin } from '../../src/stores/memory.ts';
import { newHolding, type Holding } from '../../src/stores/shares.ts';
import { storeSuite } from './suite.ts';

let now = 1_000_000;

storeSuite('the memory store', {
  open: () => memoryStore({ now: () => now }),
  pass: async (ms) => {
    now += ms;
  },
  precisionMs: 1,
  countsBytes: true,
  openLimited: () => memoryStore({ now: () => now, maxBytes: 50_000, maxBytesPerCaller: 20_000 }),
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

test('what callers leave behind is counted exactly, whatever happens to it', async () => {
  let time = 0;
  const leftBehind = new LeftBehind({ maxBytes: 60_000, maxBytesPerCaller: 20_000 });
  const store = memoryStoreWithin(leftBehind, { now: () => time, sweepMs: 50 });
  const random = seeded(7);
  for (let step = 0; step < 20_000; step += 1) {
    time += random(3);
    const caller = `caller ${random(12)}`;
    const name = `name ${random(40)}`;
    const leftBy = random(5) === 0 ? {} : { leftBy: caller };
    const text = 'x'.repeat(random(2000));
    const done = [
      () => store.put(name, text, { ...leftBy, ttlMs: 1 + random(500) }),
      () => store.append(name, text, { ...leftBy, ttlMs: 1 + random(500), maxEntries: 1 + random(10) }),
      () => store.delete(name),
      () => store.deleteLog(name),
      () => store.touch(name, 1 + random(500)),
    ];
    await done[random(done.length)]?.();
    expect(leftBehind.bytes).toBeLessThanOrEqual(60_000);
    const sum = Array.from({ length: 12 }, (_, n) => leftBehind.bytesOf(`caller ${n}`));
    expect(sum.reduce((a, b) => a + b, 0)).toBe(leftBehind.bytes);
    expect(Math.max(...sum)).toBeLessThanOrEqual(20_000);
  }
  await store.close();
  expect(leftBehind.bytes).toBe(0);
});

test('who holds the most loses first, among any number of callers', () => {
  const leftBehind = new LeftBehind({ maxBytes: 10_000, maxBytesPerCaller: 10_000 });
  type Named = Holding & { readonly caller: string };
  const lost: Holding[] = [];
  const callers = Array.from({ length: 60 }, (_, n) => `caller ${n}`);
  const keeper = {
    shed: (holding: Holding) => {
      const most = Math.max(...callers.map((caller) => leftBehind.bytesOf(caller)));
      expect(leftBehind.bytesOf((holding as Named).caller)).toBe(most);
      leftBehind.release(holding);
      lost.push(holding);
    },
  };
  const random = seeded(3);
  for (let n = 0; n < 3000; n += 1) {
    const caller = callers[random(callers.length)] ?? '';
    const holding: Named = { caller, ...newHolding(keeper) };
    leftBehind.hold(caller, holding, 50 + random(300));
  }
  expect(lost.length).toBeGreaterThan(2000);
});

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
