import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimit } from '../../src/peer/rate-limit.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

const takeAll = (limit: RateLimit): number => {
  let taken = 0;
  while (limit.take()) taken += 1;
  return taken;
};

describe('a rate limit', () => {
  it('allows its burst at once, then its rate', async () => {
    const clock = new ManualClock();
    const limit = new RateLimit({ perSecond: 10, burst: 5 }, clock);
    expect(takeAll(limit)).toBe(5);
    expect(limit.waitMs).toBe(100);
    await clock.advance(99);
    expect(limit.take()).toBe(false);
    await clock.advance(1);
    expect(limit.waitMs).toBeLessThanOrEqual(1);
    expect(limit.take()).toBe(true);
    await clock.advance(10_000);
    expect(takeAll(limit)).toBe(5);
  });

  it('has its rate for a burst where none is given, and at least one', () => {
    const clock = new ManualClock();
    expect(takeAll(new RateLimit({ perSecond: 3 }, clock))).toBe(3);
    expect(takeAll(new RateLimit({ perSecond: 0.5 }, clock))).toBe(1);
  });

  it('never allows more than burst + rate × time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.nat(500), { maxLength: 30 }),
        async (perSecond, burst, steps) => {
          const clock = new ManualClock();
          const limit = new RateLimit({ perSecond, burst }, clock);
          let taken = takeAll(limit);
          for (const ms of steps) {
            await clock.advance(ms);
            taken += takeAll(limit);
          }
          expect(taken).toBeLessThanOrEqual(burst + (perSecond * clock.now()) / 1000 + 1e-6);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('gives of a large burst at most a thousandth less than it could, and never more', async () => {
    const clock = new ManualClock();
    const limit = new RateLimit({ perSecond: 10_000, burst: 10_000 }, clock);
    for (let round = 0; round < 50; round += 1) {
      for (let taken = 0; taken < round; taken += 1) expect(limit.take()).toBe(true);
      await clock.advance(1000);
      const all = takeAll(limit);
      expect(all).toBeLessThanOrEqual(10_000);
      expect(all).toBeGreaterThanOrEqual(9990);
      await clock.advance(1000);
    }
  });

  it('looks at the clock rarely while there is plenty', () => {
    let looks = 0;
    const now = (): number => {
      looks += 1;
      return 0;
    };
    const limit = new RateLimit({ perSecond: 1_000_000 }, { now, setTimeout: () => undefined, clearTimeout: () => {} });
    for (let taken = 0; taken < 6500; taken += 1) limit.take();
    expect(looks).toBeLessThanOrEqual(101);
  });

  it('loses nothing when the clock is set back', () => {
    let now = 1_000_000;
    const limit = new RateLimit(
      { perSecond: 10, burst: 2 },
      { now: () => now, setTimeout: () => undefined, clearTimeout: () => {} },
    );
    expect(takeAll(limit)).toBe(2);
    now -= 3_600_000;
    expect(limit.take()).toBe(false);
    now += 100;
    expect(limit.take()).toBe(true);
  });
});
