import { describe, expect, it } from 'vitest';
import { LeftBehind } from '../../../src/stores/left-behind.ts';
import { ManualClock } from '../../../src/testing/index.ts';
import { MemoryEvents } from '../../../src/transports/http/server/sessions/memory-events.ts';

const note = (step: number) => ({ jsonrpc: '2.0', method: 'notifications/x', params: { step } }) as const;

function keep(
  limits: { ttlMs?: number; maxEvents?: number; maxBytes?: number } = {},
  leftBehind: LeftBehind = new LeftBehind(),
) {
  const clock = new ManualClock();
  const setup = { ttlMs: 1000, maxEvents: 100, maxBytes: 1e6, clock, leftBehind, ...limits };
  const events = new MemoryEvents(setup, 'one');
  const store = (stream: string, step: number): string => events.store(stream, note(step), JSON.stringify(note(step)));
  const stepsAfter = async (id: string): Promise<unknown[]> =>
    (await events.after(id)).map(({ message }) => (message as ReturnType<typeof note>).params.step);
  return { clock, events, store, stepsAfter };
}

describe('events kept in the process', () => {
  it('are told again from any of them on, and those of other streams are not', async () => {
    const { events, store, stepsAfter } = keep();
    const first = store('a', 1);
    store('b', 2);
    const third = store('a', 3);
    expect(await stepsAfter(events.prime('a'))).toEqual([1, 3]);
    expect(await stepsAfter(first)).toEqual([3]);
    expect(await stepsAfter(third)).toEqual([]);
    expect(await events.streamOf(third)).toBe('a');
    expect((await events.after(first)).map(({ id }) => id)).toEqual([third]);
  });

  it('are dropped oldest first beyond their number and size, and never the newest', async () => {
    const few = keep({ maxEvents: 3 });
    for (let step = 1; step <= 10; step += 1) few.store('a', step);
    expect(await few.stepsAfter(few.events.prime('a'))).toEqual([8, 9, 10]);
    const small = keep({ maxBytes: 1 });
    for (let step = 1; step <= 3; step += 1) small.store('a', step);
    expect(await small.stepsAfter(small.events.prime('a'))).toEqual([3]);
  });

  it('are let go when the last is too old, and when the session is over', async () => {
    const { clock, events, store, stepsAfter } = keep({ ttlMs: 1000 });
    store('a', 1);
    await clock.advance(999);
    expect(await stepsAfter(events.prime('a'))).toEqual([1]);
    await clock.advance(1);
    expect(await stepsAfter(events.prime('a'))).toEqual([]);
    store('a', 2);
    await events.forget();
    expect(await stepsAfter(events.prime('a'))).toEqual([]);
  });

  it('count for the caller whose session it is, across sessions, and no more when they are gone', async () => {
    const leftBehind = new LeftBehind({ maxBytes: 10_000, maxBytesPerCaller: 2000 });
    const [one, two] = [keep({}, leftBehind), keep({}, leftBehind)];
    for (let step = 1; step <= 100; step += 1) one.store('a', step);
    expect(leftBehind.bytes).toBeLessThanOrEqual(2000);
    const kept = await one.stepsAfter(one.events.prime('a'));
    expect(kept.length).toBeGreaterThan(5);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 101 - kept.length + index));
    for (let step = 1; step <= 5; step += 1) two.store('a', step);
    // What was written to longest ago goes first.
    expect(await two.stepsAfter(two.events.prime('a'))).toEqual([1, 2, 3, 4, 5]);
    expect((await one.stepsAfter(one.events.prime('a'))).length).toBeLessThan(kept.length);
    await one.events.forget();
    two.events.expire(1000);
    expect(leftBehind.bytes).toBe(0);
  });

  it.each(['', 'nonsense', 'a_', '_1', 'a_x!'])('find nothing behind %j', async (id) => {
    const { store, stepsAfter } = keep();
    store('a', 1);
    expect(await stepsAfter(id)).toEqual([]);
  });
});
