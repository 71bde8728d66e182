import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/peer/clock.ts';
import { Deadlines } from '../../src/peer/deadlines.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

/** A clock that counts the timers that are set, and says of them what Node's say. */
class CountingClock extends ManualClock {
  set = 0;

  override setTimeout(run: () => void, ms: number): unknown {
    this.set += 1;
    return super.setTimeout(run, ms);
  }

  keepsRunning(): boolean {
    return true;
  }
}

const nothingLeft = (): number => Number.POSITIVE_INFINITY;

describe('deadlines', () => {
  it('set no timer for each of many that begin and end one after the other, and leave none behind', async () => {
    const clock = new CountingClock();
    const deadlines = new Deadlines(clock, nothingLeft);
    for (let call = 0; call < 100; call += 1) {
      deadlines.add(60_000, clock.now());
      deadlines.delete();
    }
    expect(clock.set).toBe(2);
    await clock.advance(10);
    expect(clock.pending).toBe(0);
  });

  it('keep the timer of what has begun when the moment is over', async () => {
    const clock = new CountingClock();
    const fired: number[] = [];
    const deadlines = new Deadlines(clock, (now) => {
      fired.push(now);
      return Number.POSITIVE_INFINITY;
    });
    deadlines.add(60_000, clock.now());
    deadlines.delete();
    deadlines.add(60_000, clock.now());
    await clock.advance(60_000);
    expect(fired).toEqual([60_000]);
  });

  it('leave no timer for a moment where timers belong to what happens to be running', () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock, nothingLeft);
    deadlines.add(60_000, clock.now());
    deadlines.delete();
    expect(clock.pending).toBe(0);
  });

  it('fire for whatever is due first, in whatever order it began', async () => {
    const clock: ManualClock & Clock = new ManualClock();
    const due = [1000, 300, 700, 5000];
    const fired: number[] = [];
    const deadlines = new Deadlines(clock, (now) => {
      fired.push(now);
      return Math.min(...due.filter((at) => at > now));
    });
    for (const at of due) deadlines.add(at, clock.now());
    await clock.advance(5000);
    expect(fired).toEqual([300, 700, 1000, 5000]);
  });
});
