import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/testing/index.ts';

describe('ManualClock', () => {
  it('runs what is due in order, each at its own moment', async () => {
    const clock = new ManualClock(10);
    const seen: [string, number][] = [];
    const at = (name: string) => () => void seen.push([name, clock.now()]);
    clock.setTimeout(at('late'), 30);
    clock.setTimeout(at('early'), 5);
    clock.setTimeout(at('same a'), 20);
    clock.setTimeout(at('same b'), 20);
    clock.setTimeout(at('never'), 31);
    await clock.advance(30);
    expect(seen).toEqual([
      ['early', 15],
      ['same a', 30],
      ['same b', 30],
      ['late', 40],
    ]);
    expect(clock.now()).toBe(40);
    expect(clock.pending).toBe(1);
  });

  it('runs timers set by timers, and by promises that timers settle', async () => {
    const clock = new ManualClock();
    const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimeout(resolve, ms));
    const seen: number[] = [];
    const run = async (): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await wait(10);
        seen.push(clock.now());
      }
    };
    const done = run();
    await clock.advance(30);
    await done;
    expect(seen).toEqual([10, 20, 30]);
  });

  it('does not run what was cleared', async () => {
    const clock = new ManualClock();
    const timer = clock.setTimeout(() => expect.fail('it was cleared'), 1);
    clock.clearTimeout(timer);
    clock.clearTimeout(undefined);
    await clock.advance(10);
  });

  it('does not run backwards, and passes on what a timer throws', async () => {
    const clock = new ManualClock();
    await expect(clock.advance(-1)).rejects.toThrow(RangeError);
    clock.setTimeout(() => {
      throw new Error('oops');
    }, 5);
    await expect(clock.advance(10)).rejects.toThrow('oops');
    expect(clock.now()).toBe(5);
  });
});
