import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Limiter, type Excess, type Limits } from '../../src/peer/limiter.ts';
import { RateLimit } from '../../src/peer/rate-limit.ts';
import { SharedLimits } from '../../src/peer/shared-limits.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { StoreUnavailableError } from '../../src/stores/store-unavailable-error.ts';
import type { Store } from '../../src/stores/store.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

const SLOW = { perSecond: 0.001 };
const never = (problem: Error): never => {
  throw problem;
};

interface Asked {
  method?: string;
  name?: string;
  principal?: string;
}

function asker(limits: Limits): (asked: Asked, caller?: string | object) => Excess | undefined {
  const limiter = new Limiter(limits, { clock: new ManualClock() });
  return ({ method = 'tools/call', name, principal }, caller = 'ann') => {
    const taken = limiter.take({ method, name, principal }, caller);
    expect(taken).not.toBeInstanceOf(Promise);
    return taken as Excess | undefined;
  };
}

/** How many of the first hundred may be done. */
function served(take: () => Excess | undefined): number {
  let count = 0;
  while (count < 100 && take() === undefined) count += 1;
  return count;
}

describe('a limit', () => {
  test('counts each caller and each method for itself, and what has no entry not at all', () => {
    const take = asker({ 'tools/call': { ...SLOW, burst: 3 }, 'prompts/get': { ...SLOW, burst: 2 } });
    const [someone, other] = [{}, {}];
    expect(served(() => take({}))).toBe(3);
    expect(served(() => take({}, 'bob'))).toBe(3);
    expect(served(() => take({}, someone))).toBe(3);
    expect(served(() => take({}, other))).toBe(3);
    expect(served(() => take({ method: 'prompts/get' }))).toBe(2);
    expect(served(() => take({ method: 'resources/read' }))).toBe(100);
    expect(take({}, someone)).toMatchObject({ rate: { burst: 3 }, waitMs: 1_000_000 });
  });

  test('for a name counts beside the rest, and may be lifted for one', () => {
    const names = { dear: { ...SLOW, burst: 1 }, free: false as const };
    const take = asker({ 'tools/call': { ...SLOW, burst: 2, names } });
    expect(served(() => take({ name: 'dear' }))).toBe(1);
    expect(served(() => take({ name: 'free' }))).toBe(100);
    expect(served(() => take({ name: 'other' }))).toBe(2);
    expect(served(() => take({ name: 'toString' }))).toBe(0);
    expect(served(() => take({}))).toBe(0);
  });

  test('of a family counts its methods together, except those that have their own', () => {
    const take = asker({ 'tasks/*': { ...SLOW, burst: 3 }, 'tasks/get': { ...SLOW, burst: 1 }, 'tasks/list': false });
    expect(served(() => take({ method: 'tasks/get' }))).toBe(1);
    expect(take({ method: 'tasks/cancel' })).toBeUndefined();
    expect(served(() => take({ method: 'tasks/result' }))).toBe(2);
    expect(served(() => take({ method: 'tasks/list' }))).toBe(100);
    expect(served(() => take({ method: 'tools/list' }))).toBe(100);
  });

  test('that a function chooses knows method, name and principal', () => {
    const [few, more] = [
      { ...SLOW, burst: 1 },
      { ...SLOW, burst: 4 },
    ];
    const take = asker({
      'tools/call': ({ method, name, principal }) =>
        name === 'free' ? false : principal === 'ann' && method === 'tools/call' ? more : few,
    });
    expect(served(() => take({ principal: 'ann' }, 'ann'))).toBe(4);
    expect(served(() => take({ principal: 'bob' }, 'bob'))).toBe(1);
    expect(served(() => take({ name: 'free', principal: 'bob' }, 'bob'))).toBe(100);
  });

  test.each([{ perSecond: 0 }, { perSecond: -1 }, { perSecond: Number.NaN }, { perSecond: 1, burst: 0 }])(
    'that nobody could keep is refused at once: %j',
    (rate) => {
      expect(() => asker({ 'tools/call': rate })).toThrow(/The limit of tools\/call/);
      expect(() => asker({ 'tools/call': { perSecond: 1, names: { x: rate } } })).toThrow(TypeError);
    },
  );

  test('forgets the oldest of very many callers, so that names fill no memory', () => {
    const take = asker({ 'tools/call': { ...SLOW, burst: 1 } });
    expect(take({}, 'first')).toBeUndefined();
    for (let caller = 0; caller < 10_000; caller += 1) take({}, `caller ${caller}`);
    expect(take({}, 'caller 9999')).toBeDefined();
    expect(take({}, 'first')).toBeUndefined();
  });
});

describe('limits in a store', () => {
  const store = (clock: ManualClock): Store => memoryStore({ now: () => clock.now(), shared: true });

  test('say what a bucket in memory says, whoever asks when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 20 }) }),
        fc.array(fc.record({ node: fc.nat({ max: 2 }), pause: fc.nat({ max: 300 }) }), { maxLength: 60 }),
        async (rate, asks) => {
          const clock = new ManualClock(1_000_000);
          const shared = store(clock);
          const nodes = [0, 1, 2].map(() => new SharedLimits(shared, clock, never));
          const local = new RateLimit(rate, clock);
          for (const { node, pause } of asks) {
            await clock.advance(pause);
            const waitMs = await nodes[node]!.take('key', rate);
            // At the very millisecond the two may round a fraction of a token differently.
            if (Math.abs(local.waitMs - (waitMs ?? 0)) <= 1 && (waitMs === 0) !== (local.waitMs === 0)) return;
            expect(waitMs === 0).toBe(local.take());
          }
        },
      ),
    );
  });

  test('hold for all processes together, though they ask at once', async () => {
    const clock = new ManualClock();
    const shared = store(clock);
    const nodes = [1, 2, 3].map(() => {
      const counts = new SharedLimits(shared, clock, never);
      return new Limiter({ 'tools/call': { ...SLOW, burst: 10 } }, { clock, shared: () => counts });
    });
    const call = { method: 'tools/call', name: undefined, principal: 'ann' };
    const taken = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => nodes[index % 3]!.take(call, 'principal:ann')),
    );
    expect(taken.filter((excess) => excess === undefined)).toHaveLength(10);
    expect(await nodes[0]!.take({ ...call, principal: 'bob' }, 'principal:bob')).toBeUndefined();
  });

  test('are kept by the process alone while the store cannot be reached, which is told once', async () => {
    const clock = new ManualClock();
    const shared = store(clock);
    let isDown = true;
    const shaky: Store = Object.assign(Object.create(shared) as Store, {
      get: async (key: string) => {
        if (isDown) throw new StoreUnavailableError('down');
        return shared.get(key);
      },
      put: (...args: Parameters<Store['put']>) => shared.put(...args),
    });
    const problems: Error[] = [];
    const counts = new SharedLimits(shaky, clock, (problem) => problems.push(problem));
    const limiter = new Limiter({ 'tools/call': { perSecond: 1, burst: 2 } }, { clock, shared: () => counts });
    const take = async (): Promise<boolean> =>
      (await limiter.take({ method: 'tools/call', name: undefined, principal: 'ann' }, 'ann')) === undefined;
    expect([await take(), await take(), await take()]).toEqual([true, true, false]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.cause).toBeInstanceOf(StoreUnavailableError);
    isDown = false;
    expect([await take(), await take(), await take()]).toEqual([true, true, false]);
    await clock.advance(1000);
    expect(await take()).toBe(true);
    expect(problems).toHaveLength(1);
  });

  test('are asked of the store a hundredth at a time while there is plenty, and one by one at the end', async () => {
    const clock = new ManualClock();
    const shared = store(clock);
    let looks = 0;
    const watched: Store = Object.assign(Object.create(shared) as Store, {
      get: (key: string) => {
        looks += 1;
        return shared.get(key);
      },
      put: (...args: Parameters<Store['put']>) => shared.put(...args),
    });
    const rate = { perSecond: 0.001, burst: 1000 };
    const nodes = [1, 2, 3].map(() => new SharedLimits(watched, clock, never));
    let taken = 0;
    for (; taken < 400; taken += 1) expect(await nodes[taken % 3]!.take('key', rate)).toBe(0);
    expect(looks).toBeLessThan(50);
    for (let refused = 0, turn = 0; refused < 3; turn += 1) {
      const waitMs = await nodes[turn % 3]!.take('key', rate);
      refused = waitMs === 0 ? 0 : refused + 1;
      if (waitMs === 0) taken += 1;
    }
    expect(taken).toBe(1000);
  });

  test('are asked of the store a hundredth at a time, also where a call is shorter than the steps of a time since 1970', async () => {
    const clock = new ManualClock(Date.UTC(2026, 0));
    const shared = store(clock);
    const looks = vi.spyOn(shared, 'get');
    const counts = new SharedLimits(shared, clock, never);
    for (let taken = 0; taken < 100; taken += 1) expect(await counts.take('key', { perSecond: 20_000_000 })).toBe(0);
    expect(looks).toHaveBeenCalledTimes(1);
  });

  test('are exceeded by a hundredth for each process at most', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ perSecond: fc.integer({ min: 100, max: 5000 }), burst: fc.integer({ min: 200, max: 2000 }) }),
        fc.array(fc.record({ node: fc.nat({ max: 2 }), pause: fc.nat({ max: 500 }), times: fc.nat({ max: 300 }) }), {
          maxLength: 20,
        }),
        async (rate, asks) => {
          const clock = new ManualClock(1_000_000);
          const shared = store(clock);
          const nodes = [0, 1, 2].map(() => new SharedLimits(shared, clock, never));
          let taken = 0;
          let passed = 0;
          for (const { node, pause, times } of asks) {
            await clock.advance(pause);
            passed += pause;
            for (let time = 0; time < times; time += 1) if ((await nodes[node]!.take('key', rate)) === 0) taken += 1;
          }
          const allowed = rate.burst + (rate.perSecond * passed) / 1000;
          expect(taken).toBeLessThanOrEqual(Math.ceil(allowed + 3 * (rate.burst / 100)) + 1);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('leave nothing behind', async () => {
    const clock = new ManualClock();
    const shared = store(clock);
    await new SharedLimits(shared, clock, never).take('key', { perSecond: 10, burst: 5 });
    expect(await shared.keys('limit:')).toHaveLength(1);
    await clock.advance(2000);
    expect(await shared.keys('limit:')).toHaveLength(0);
  });
});
