import { describe, expect, it } from 'vitest';
import { CLIENT_LIMITS, IncomingLimits } from '../../src/client/answering/incoming-limits.ts';
import { Limiter } from '../../src/peer/limiter.ts';
import { RateLimit } from '../../src/peer/rate-limit.ts';
import { SharedLimits } from '../../src/peer/shared-limits.ts';
import { Admission, SERVER_LIMITS } from '../../src/server/callers/admission.ts';
import { callerOf, ownerIn, ownerKey, principalIn, principalOf } from '../../src/server/callers/caller.ts';
import { leftBy, reliedOnBy } from '../../src/server/callers/left-by.ts';
import { holdHeavy, isLight, refuseHeavy } from '../../src/server/callers/open-bytes.ts';
import { roughSize } from '../../src/server/callers/rough-size.ts';
import { Slots } from '../../src/server/http/sessions/slots.ts';
import { LeftBehind } from '../../src/stores/left-behind.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { Shares, newHolding, type Holding, type Keeper } from '../../src/stores/shares.ts';
import type { Store } from '../../src/stores/store.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

const CALL = { name: undefined, principal: undefined };

describe('the requests of a server', () => {
  const opened = (limits?: ConstructorParameters<typeof IncomingLimits>[0]) => {
    const clock = new ManualClock(1_000_000);
    const problems: Error[] = [];
    return { clock, problems, limits: new IncomingLimits(limits, clock, (problem) => problems.push(problem)) };
  };

  it('are refused beyond their rate, with the time to wait, and the program is told once in ten seconds', async () => {
    const { clock, problems, limits } = opened({ ping: { perSecond: 2, burst: 1 } });
    limits.admit('ping');
    expect(() => limits.admit('ping')).toThrow(
      expect.objectContaining({
        kind: 'rate-limited',
        message: 'ping: the server exceeds the rate limit of the client.',
        data: { retryAfterMs: 500 },
      }),
    );
    expect(() => limits.admit('ping')).toThrow();
    expect(problems.map(({ message }) => message)).toEqual(['The server sends ping too often: requests are refused.']);
    await clock.advance(9999);
    limits.admit('ping');
    expect(() => limits.admit('ping')).toThrow();
    expect(problems).toHaveLength(1);
    await clock.advance(1);
    expect(() => limits.admit('ping')).toThrow();
    expect(problems).toHaveLength(2);
  });

  it('that are notifications are dropped beyond their rate', () => {
    const { problems, limits } = opened({ 'notifications/*': { perSecond: 1, burst: 1 } });
    expect([limits.hears('notifications/a'), limits.hears('notifications/b')]).toEqual([true, false]);
    expect(problems[0]?.message).toBe('The server sends notifications/b too often: some were dropped.');
    expect(problems[0]).toMatchObject({ kind: 'rate-limited' });
  });

  it('have the documented rates where the program says nothing', () => {
    const rates = [
      ['sampling/createMessage', 10, 100],
      ['elicitation/create', 10, 100],
      ['roots/list', 20, 200],
      ['tasks/get', 100, 500],
      ['ping', 20, 200],
      ['notifications/message', 1000, 5000],
      ['notifications/progress', 1000, 5000],
      ['notifications/other', 1000, 5000],
    ] as const;
    const limiter = new Limiter(CLIENT_LIMITS, { clock: new ManualClock() });
    for (const [method, perSecond, burst] of rates)
      expect(limiter.rateOf(method), method).toEqual({ perSecond, burst });
    expect(limiter.rateOf('other/method')).toBeUndefined();
    const { limits } = opened();
    for (let count = 0; count < 100; count += 1) limits.admit('elicitation/create');
    expect(() => limits.admit('elicitation/create')).toThrow();
  });
});

describe('the limits of a server', () => {
  it('have the documented rates where the program says nothing', () => {
    const limiter = new Limiter(SERVER_LIMITS, { clock: new ManualClock() });
    const nameless = { perSecond: 4_000_000, burst: 4_000_000 };
    expect(limiter.rateOf('tools/call')).toEqual(nameless);
    expect(limiter.rateOf('tasks/get')).toEqual(nameless);
    expect(limiter.rateOf('completion/complete')).toEqual({ perSecond: 100, burst: 500 });
    expect(limiter.rateOf('notifications/progress')).toEqual({ perSecond: 20, burst: 50 });
    expect(limiter.rateOf('notifications/message')).toEqual({ perSecond: 200, burst: 1000 });
    expect(limiter.rateOf('notifications/cancelled')).toEqual({ perSecond: 1000, burst: 5000 });
    expect([limiter.limits('tools/call'), limiter.limits('tools/list')]).toEqual([true, false]);
    for (const method of ['tools/call', 'tasks/get']) {
      let taken = 0;
      while (taken < 3000 && limiter.takeLocally({ method, name: 'x', principal: 'ann' }, method) === undefined)
        taken += 1;
      expect(taken).toBe(2000);
    }
  });

  it('choose the longest prefix, whatever the order, and one that is lifted lifts', () => {
    const rate = (burst: number) => ({ perSecond: 1, burst });
    for (const limits of [
      { 'a/*': rate(1), 'a/b/*': rate(2), '*': rate(3), 'a/b/c/*': false as const },
      { 'a/b/c/*': false as const, '*': rate(3), 'a/b/*': rate(2), 'a/*': rate(1) },
    ]) {
      const limiter = new Limiter(limits, { clock: new ManualClock() });
      expect(['a/x', 'a/b/x', 'x', 'a/b/c/x'].map((method) => limiter.rateOf(method)?.burst)).toEqual([
        1,
        2,
        3,
        undefined,
      ]);
    }
  });

  it('count each rate of a function apart, and refuse one that no call could keep', () => {
    const [one, two] = [
      { perSecond: 1, burst: 1 },
      { perSecond: 1, burst: 2 },
    ];
    const limiter = new Limiter({ m: ({ name }) => (name === 'two' ? two : one) }, { clock: new ManualClock() });
    const take = (name: string): boolean => limiter.takeLocally({ ...CALL, method: 'm', name }, 'ann') === undefined;
    expect([take('one'), take('one'), take('two'), take('two'), take('two')]).toEqual([true, false, true, true, false]);
    for (const rate of [{ perSecond: 0 }, { perSecond: Infinity }, { perSecond: 1, burst: 0.5 }]) {
      const wrong = new Limiter({ m: () => rate }, { clock: new ManualClock() });
      expect(() => wrong.takeLocally({ ...CALL, method: 'm' }, 'ann')).toThrow(
        /The limit of m needs a perSecond above 0/,
      );
    }
    const late = new Limiter({ m: () => Promise.resolve(one) as never }, { clock: new ManualClock() });
    expect(() => late.takeLocally({ ...CALL, method: 'm' }, 'ann')).toThrow(/A limit returned a promise/);
    expect(new Limiter({ m: { perSecond: 1, burst: 1 } }, { clock: new ManualClock() }).limits('m')).toBe(true);
  });

  it('count names apart, also where their rates are the same', () => {
    const rate = { perSecond: 1, burst: 1 };
    const limiter = new Limiter(
      { m: { ...rate, names: { one: rate, two: { ...rate } } } },
      { clock: new ManualClock() },
    );
    const take = (name: string): boolean => limiter.takeLocally({ ...CALL, method: 'm', name }, 'ann') === undefined;
    expect([take('one'), take('one'), take('two'), take('two'), take('other')]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  it('in a store are for callers whose name means the same everywhere', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ now: () => clock.now() });
    const counts = new SharedLimits(store, clock, () => {});
    const limiter = new Limiter({ m: { perSecond: 1, burst: 1 } }, { clock, shared: () => counts });
    const call = { ...CALL, method: 'm' };
    expect(limiter.take(call, {})).toBeUndefined();
    expect(await store.keys('')).toEqual([]);
    expect(await limiter.take(call, 'ann')).toBeUndefined();
    expect(await store.keys('')).toEqual(['limit:5 m 1/1 ann']);
    expect(await limiter.take(call, 'ann')).toEqual({ rate: { perSecond: 1, burst: 1 }, waitMs: 1000 });
    expect(limiter.take({ ...call, method: 'other' }, 'ann')).toBeUndefined();
    expect(limiter.takeLocally(call, 'ann')).toBeUndefined();
    expect(limiter.takeLocally({ ...call, method: 'other' }, 'ann')).toBeUndefined();
  });
});

describe('a bucket', () => {
  it('is filled by the time that passes, never beyond its burst, and a fraction is no token', async () => {
    const clock = new ManualClock(5000);
    const limit = new RateLimit({ perSecond: 2, burst: 3 }, clock);
    expect([limit.take(), limit.take(), limit.take(), limit.take()]).toEqual([true, true, true, false]);
    expect(limit.waitMs).toBe(500);
    await clock.advance(250);
    expect([limit.waitMs, limit.take()]).toEqual([250, false]);
    await clock.advance(250);
    expect(limit.waitMs).toBe(0);
    expect([limit.take(), limit.take()]).toEqual([true, false]);
    await clock.advance(1500);
    expect([limit.take(), limit.take(), limit.take(), limit.take()]).toEqual([true, true, true, false]);
  });

  it('of a large burst is looked at on time: the whole burst and not one more', () => {
    for (const burst of [999, 1000, 5000, 100_000]) {
      const limit = new RateLimit({ perSecond: 1, burst }, new ManualClock());
      let taken = 0;
      while (taken <= burst && limit.take()) taken += 1;
      expect(taken).toBe(burst);
      expect(limit.waitMs).toBe(1000);
    }
  });
});

describe('a bucket in a store', () => {
  const never = (problem: Error): never => {
    throw problem;
  };
  const storeAt = (clock: ManualClock): Store => memoryStore({ now: () => clock.now() });

  it('waits as long as it must, exactly', async () => {
    const clock = new ManualClock(10_000);
    const shared = new SharedLimits(storeAt(clock), clock, never);
    const rate = { perSecond: 2, burst: 2 };
    expect([await shared.take('k', rate), await shared.take('k', rate), await shared.take('k', rate)]).toEqual([
      0, 0, 500,
    ]);
    await clock.advance(499);
    expect(await shared.take('k', rate)).toBe(1);
    await clock.advance(1);
    expect([await shared.take('k', rate), await shared.take('k', rate)]).toEqual([0, 500]);
    await clock.advance(100_000);
    expect([await shared.take('k', rate), await shared.take('k', rate), await shared.take('k', rate)]).toEqual([
      0, 0, 500,
    ]);
    // A rate without a burst has its rate for one, and at least one.
    expect([await shared.take('s', { perSecond: 0.5 }), await shared.take('s', { perSecond: 0.5 })]).toEqual([0, 2000]);
    expect([await shared.take('t', { perSecond: 1 }), await shared.take('t', { perSecond: 1 })]).toEqual([0, 1000]);
  });

  it('is one record with the time at which it is full, kept a second longer than that', async () => {
    const clock = new ManualClock(10_000);
    const store = storeAt(clock);
    const shared = new SharedLimits(store, clock, never);
    await shared.take('k', { perSecond: 1, burst: 5 });
    expect((await store.get('limit:k'))?.value).toBe(11_000);
    await clock.advance(1999);
    expect(await store.get('limit:k')).toBeDefined();
    await clock.advance(1);
    expect(await store.get('limit:k')).toBeUndefined();
    await store.put('limit:odd', 'no number');
    expect(await shared.take('odd', { perSecond: 1, burst: 1 })).toBe(0);
  });

  it('of a hundred times two and more is taken a hundredth at a time, until it is half empty', async () => {
    const clock = new ManualClock(10_000);
    const store = storeAt(clock);
    const at = async (): Promise<unknown> => (await store.get('limit:k'))?.value;
    const rate = { perSecond: 1, burst: 200 };
    const shared = new SharedLimits(store, clock, never);
    expect(await shared.take('k', rate)).toBe(0);
    expect(await at()).toBe(12_000);
    // Taken before: no access to the store, and no promise.
    expect(shared.take('k', rate)).toBe(0);
    expect(shared.take('k', rate)).toBeInstanceOf(Promise);
    await clock.advance(0);
    expect(await at()).toBe(14_000);
    const small = { perSecond: 1, burst: 199 };
    const other = new SharedLimits(store, clock, never);
    await other.take('small', small);
    expect(other.take('small', small)).toBeInstanceOf(Promise);
    // Half empty: one by one.
    await store.put('limit:k', 10_000 + 99_000);
    const late = new SharedLimits(store, clock, never);
    await late.take('k', rate);
    expect(await at()).toBe(10_000 + 100_000);
    expect(late.take('k', rate)).toBeInstanceOf(Promise);
  });

  it('taken ahead is used within a minute, or as long as the bucket fills', async () => {
    const clock = new ManualClock(0);
    const shared = new SharedLimits(storeAt(clock), clock, never);
    const rate = { perSecond: 1000, burst: 1000 };
    await shared.take('k', rate);
    await clock.advance(59_999);
    expect(shared.take('k', rate)).toBe(0);
    await clock.advance(1);
    expect(shared.take('k', rate)).toBeInstanceOf(Promise);
  });

  it('taken ahead is forgotten first for the caller that took it longest ago', async () => {
    const clock = new ManualClock(0);
    const store = { isShared: true, get: async () => undefined, put: async () => 'v' } as unknown as Store;
    const shared = new SharedLimits(store, clock, never);
    const rate = { perSecond: 1000, burst: 1000 };
    for (let caller = 0; caller < 10_000; caller += 1) await shared.take(`c${caller}`, rate);
    expect(shared.take('c0', rate)).toBe(0);
    await shared.take('one more', rate);
    expect(shared.take('c0', rate)).toBeInstanceOf(Promise);
    expect(shared.take('c2', rate)).toBe(0);
    expect(shared.take('one more', rate)).toBe(0);
  });

  it('that others write all the time is given up, and the store is told about once in ten seconds', async () => {
    const clock = new ManualClock(0);
    let puts = 0;
    const store = {
      get: async () => undefined,
      put: async () => void (puts += 1),
    } as unknown as Store;
    const problems: Error[] = [];
    const shared = new SharedLimits(store, clock, (problem) => problems.push(problem));
    const take = async (): Promise<unknown> => shared.take('k', { perSecond: 1 });
    expect(await take()).toBeUndefined();
    expect(puts).toBe(50);
    expect(problems[0]?.message).toContain('counted by this process alone');
    expect(problems[0]?.cause).toMatchObject({ message: 'Too many processes count the same caller at once.' });
    await clock.advance(9999);
    await take();
    expect(problems).toHaveLength(1);
    await clock.advance(1);
    await take();
    expect(problems).toHaveLength(2);
  });

  it('is asked once for all that came while it was busy', async () => {
    const clock = new ManualClock(0);
    const inner = storeAt(clock);
    let reads = 0;
    const store = Object.assign(Object.create(inner) as Store, {
      get: (key: string) => ((reads += 1), inner.get(key)),
      put: (...all: Parameters<Store['put']>) => inner.put(...all),
    });
    const shared = new SharedLimits(store, clock, never);
    const rate = { perSecond: 1, burst: 3 };
    const waits = await Promise.all(Array.from({ length: 5 }, async () => shared.take('k', rate)));
    expect(waits).toEqual([0, 0, 0, 1000, 1000]);
    expect(reads).toBe(2);
    expect(await shared.take('k', rate)).toBe(1000);
    expect(reads).toBe(3);
  });
});

/** A keeper that notes what it drops, by the number it gave. */
class Shelf implements Keeper {
  readonly shedded: number[] = [];
  readonly #numbers = new Map<Holding, number>();
  readonly #release: (holding: Holding) => void;

  constructor(release: (holding: Holding) => void) {
    this.#release = release;
  }

  make(number: number): Holding {
    const made = newHolding(this);
    this.#numbers.set(made, number);
    return made;
  }

  shed(holding: Holding): void {
    this.shedded.push(this.#numbers.get(holding) ?? -1);
    this.#release(holding);
  }
}

describe('slots', () => {
  const opened = (max: number): { slots: Slots; shelf: Shelf; take: (caller: string, number: number) => Holding } => {
    const slots = new Slots(max);
    const shelf = new Shelf((holding) => slots.release(holding));
    const take = (caller: string, number: number): Holding => {
      const made = shelf.make(number);
      slots.take(caller, made);
      return made;
    };
    return { slots, shelf, take };
  };

  it('are free until all are taken; reserved ones count', () => {
    const { slots, take } = opened(3);
    take('a', 1);
    expect([slots.size, slots.hasRoom('a'), slots.hasRoom('a', 1), slots.hasRoom('a', 2)]).toEqual([
      1,
      true,
      true,
      false,
    ]);
  });

  it('are taken from the caller with the most, the least recently used first, by one who has fewer', () => {
    const { slots, shelf, take } = opened(4);
    const first = take('a', 1);
    for (const number of [2, 3, 4]) take('a', number);
    slots.use(first);
    expect(slots.hasRoom('a')).toBe(false);
    expect(slots.hasRoom('b')).toBe(true);
    expect(shelf.shedded).toEqual([2]);
    take('b', 5);
    expect(slots.hasRoom('b')).toBe(true);
    take('b', 6);
    // Two each: nobody loses a slot to one that has as many, or would have.
    expect([slots.hasRoom('b'), slots.takeFromMost('b'), slots.takeFromMost('a')]).toEqual([false, false, false]);
    expect(slots.takeFromMost('c')).toBe(true);
    expect(slots.size).toBe(3);
    expect(opened(1).slots.takeFromMost('a')).toBe(false);
    // One slot is not taken from a caller that has just this one.
    const single = opened(1);
    single.take('a', 1);
    expect([single.slots.hasRoom('b'), single.shelf.shedded]).toEqual([false, []]);
    // A slot that is taken away may still be too few.
    const reserved = opened(2);
    reserved.take('a', 1);
    reserved.take('a', 2);
    expect([reserved.slots.hasRoom('b', 1), reserved.shelf.shedded]).toEqual([false, [1]]);
  });
});

describe('the bytes that callers leave behind', () => {
  const opened = (options: ConstructorParameters<typeof LeftBehind>[0]) => {
    const left = new LeftBehind(options);
    const shelf = new Shelf((holding) => left.release(holding));
    const hold = (caller: string, number: number, bytes: number): Holding => {
      const made = shelf.make(number);
      left.hold(caller, made, bytes);
      return made;
    };
    return { left, shelf, hold };
  };

  it('are bounded for each caller: its own oldest go', () => {
    const { left, shelf, hold } = opened({ maxBytes: 1000, maxBytesPerCaller: 100 });
    const first = hold('a', 1, 40);
    hold('a', 2, 60);
    expect([left.bytes, left.bytesOf('a'), left.bytesOf('b')]).toEqual([100, 100, 0]);
    expect([left.mayHold('a', 0), left.mayHold('a', 1), left.mayHold('b', 100), left.mayHold('b', 101)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    left.write(first, 41);
    expect(shelf.shedded).toEqual([2]);
    hold('a', 3, 101);
    expect(shelf.shedded).toEqual([2, 1, 3]);
    expect([left.bytes, left.bytesOf('a')]).toEqual([0, 0]);
  });

  it('are bounded for all: the caller with the most loses its oldest', () => {
    const { left, shelf, hold } = opened({ maxBytes: 100, maxBytesPerCaller: 100 });
    hold('a', 1, 30);
    hold('a', 2, 30);
    hold('b', 3, 40);
    expect(shelf.shedded).toEqual([]);
    hold('b', 4, 1);
    expect(shelf.shedded).toEqual([1]);
    const small = hold('c', 5, 20);
    left.shrink(small, 5);
    expect([left.bytes, left.bytesOf('c')]).toEqual([76, 5]);
    left.release(small);
    left.release(small);
    left.write(small, 50);
    left.shrink(small, 50);
    expect([left.bytes, left.bytesOf('c')]).toEqual([71, 0]);
  });

  it('are 64 MiB for all and a quarter of that for one, where the program says nothing', () => {
    const { left } = opened(undefined);
    const quarter = 16 * 1024 * 1024;
    expect([left.mayHold('a', quarter), left.mayHold('a', quarter + 1)]).toEqual([true, false]);
    const given = opened({ maxBytes: 400 });
    expect([given.left.mayHold('a', 100), given.left.mayHold('a', 101)]).toEqual([true, false]);
    const all = opened({ maxBytesPerCaller: Infinity });
    all.hold('a', 1, 64 * 1024 * 1024);
    expect(all.shelf.shedded).toEqual([]);
    all.hold('b', 2, 1);
    expect(all.shelf.shedded).toEqual([1]);
  });
});

describe('shares', () => {
  it('know the caller with the most through every change of order', () => {
    const shares = new Shares();
    const shelf = new Shelf((holding) => shares.release(holding));
    const held = new Map<string, Holding>();
    for (const [number, size] of [5, 9, 1, 7, 3, 8, 2, 6, 4].entries()) {
      const made = shelf.make(number);
      held.set(`c${size}`, made);
      shares.hold(`c${size}`, made, size);
    }
    expect([shares.size, shares.sizeOf('c7'), shares.sizeOf('x')]).toEqual([45, 7, 0]);
    const order: (string | undefined)[] = [];
    for (let left = 9; left > 0; left -= 1) {
      const most = shares.most;
      order.push(most?.caller);
      const own = held.get(most?.caller ?? '');
      if (left % 2 === 0 && own) shares.release(own);
      else if (own) shares.shrink(own, 0);
    }
    expect(order).toEqual(['c9', 'c8', 'c7', 'c6', 'c5', 'c4', 'c3', 'c2', 'c1']);
    expect(shares.size).toBe(0);
  });

  it('keep the order of use of one caller', () => {
    const shares = new Shares();
    const shelf = new Shelf((holding) => shares.release(holding));
    const [one, two, three] = [1, 2, 3].map((number) => {
      const made = shelf.make(number);
      shares.hold('a', made, 1);
      return made;
    }) as [Holding, Holding, Holding];
    const order = (): (Holding | undefined)[] => {
      const all: (Holding | undefined)[] = [];
      for (let next = shares.most?.oldest; next; next = next.newer) all.push(next);
      const back: (Holding | undefined)[] = [];
      for (let next = shares.most?.newest; next; next = next.older) back.unshift(next);
      expect(back).toEqual(all);
      return all;
    };
    expect(order()).toEqual([one, two, three]);
    shares.use(one, 1);
    expect(order()).toEqual([two, three, one]);
    shares.use(one, 5);
    expect([order(), shares.size]).toEqual([[two, three, one], 7]);
    shares.use(three, 1);
    expect(order()).toEqual([two, one, three]);
    shares.release(one);
    expect(order()).toEqual([two, three]);
    shares.release(three);
    shares.use(three, 9);
    expect([order(), shares.size, three.older, one.newer]).toEqual([[two], 1, undefined, undefined]);
    shares.release(two);
    expect([shares.most, shares.sizeOf('a')]).toEqual([undefined, 0]);
  });
});

describe('open things with many bytes', () => {
  it('are counted apart from what is left behind, and ended when there is no room', () => {
    const left = new LeftBehind({ maxBytes: 40_000, maxBytesPerCaller: 10_000 });
    expect([isLight(4096), isLight(4097)]).toEqual([true, false]);
    const ended: number[] = [];
    expect(holdHeavy(left, 'a', 4096, () => ended.push(0))).toBeUndefined();
    const held = holdHeavy(left, 'a', 5000, () => ended.push(1));
    expect([left.bytesOf('open:a'), left.bytesOf('a')]).toEqual([5000, 0]);
    refuseHeavy(left, 'a', 5000);
    refuseHeavy(left, 'a', 4096);
    refuseHeavy(left, 'b', 10_000);
    expect(() => refuseHeavy(left, 'a', 5001)).toThrow(expect.objectContaining({ kind: 'rate-limited' }));
    refuseHeavy(new LeftBehind({ maxBytes: 4, maxBytesPerCaller: 4 }), 'a', 4096);
    holdHeavy(left, 'a', 6000, () => ended.push(2));
    expect(ended).toEqual([1]);
    expect([left.bytesOf('open:a'), held?.share]).toEqual([6000, undefined]);
  });

  it.each([
    [undefined, 16],
    [null, 16],
    [5, 16],
    ['abc', 19],
    [[], 16],
    [['ab', 1], 16 + 18 + 16],
    [{ key: 'ab' }, 16 + 3 + 18],
    [{ a: [{ b: 'c' }] }, 16 + 1 + 16 + 16 + 1 + 17],
  ])('the size of %j is %d', (value, size) => expect(roughSize(value)).toBe(size));
});

describe('a caller', () => {
  const token = { token: 't', clientId: 'app', scopes: [] };

  it('is named by program, user and issuer of its token', () => {
    expect(principalOf(token)).toBe('["app",null]');
    expect(principalOf({ ...token, extra: { sub: 'ann' } })).toBe('["app","ann"]');
    expect(principalOf({ ...token, extra: { sub: 'ann', iss: 'https://as.example' } })).toBe(
      '["app","ann","https://as.example"]',
    );
    for (const without of [undefined, { ...token, clientId: '' }, { ...token, clientId: 5 as never }])
      expect(principalOf(without)).toBeUndefined();
  });

  it('is named by the transport first, which may say that it has no name', () => {
    expect(principalIn({ principal: 'ann', authInfo: token })).toBe('ann');
    expect(principalIn({ principal: null as never, authInfo: token })).toBeUndefined();
    expect(principalIn({ authInfo: token })).toBe('["app",null]');
    expect([principalIn(undefined), principalIn({})]).toEqual([undefined, undefined]);
  });

  it('is counted by name, by address, or by its connection', () => {
    expect(ownerIn({ principal: 'ann', address: '1.2.3.4' })).toBe('principal:ann');
    expect(ownerIn({ address: '1.2.3.4' })).toBe('address:1.2.3.4');
    expect(ownerIn({ address: '' })).toBe('address:');
    expect([ownerIn({}), ownerIn(undefined)]).toEqual([undefined, undefined]);
    const [one, two] = [{}, {}];
    expect(ownerKey('principal:ann')).toBe('principal:ann');
    expect(ownerKey(one)).toMatch(/^connection:[\da-f-]{36}$/);
    expect(ownerKey(one)).toBe(ownerKey(one));
    expect(ownerKey(two)).not.toBe(ownerKey(one));
    expect([leftBy({ owner: 'x' }), reliedOnBy({ owner: 'x' })]).toEqual(['x', 'once:x']);
  });

  it('of a notification has the facts of its session, or those of a caller without one', () => {
    expect(callerOf(undefined, undefined)).toEqual({
      client: undefined,
      capabilities: {},
      authInfo: undefined,
      principal: undefined,
      family: 'per-request',
      sessionId: undefined,
      group: undefined,
    });
    const facts = { client: { name: 'c', version: '1' }, capabilities: { roots: {} } };
    const connection = { session: { facts }, sessionId: 's', group: 'g' } as never;
    expect(callerOf(connection, { authInfo: token })).toEqual({
      ...facts,
      authInfo: token,
      principal: '["app",null]',
      family: 'handshake',
      sessionId: 's',
      group: 'g',
    });
  });
});

describe('admission', () => {
  const rate = { perSecond: 1, burst: 1 };
  const opened = (options: ConstructorParameters<typeof Admission>[0] = {}): Admission =>
    new Admission(options, new ManualClock(), () => {});
  const contextOf = (method: string, params: object = {}, owner: unknown = 'principal:ann'): never =>
    ({ inbound: { method, params }, principal: 'ann', owner }) as never;

  it('tells the rate, what is possible at once, and the time to wait', () => {
    const refused = (limit: object): string => {
      const admission = opened({ limits: { m: limit as never }, idempotency: false });
      while (admission.admit(contextOf('x')) !== undefined);
      for (let calls = 0; calls < 10; calls += 1)
        try {
          void admission.admit(contextOf('m'));
        } catch (error) {
          expect(error).toMatchObject({ kind: 'rate-limited', data: { retryAfterMs: expect.any(Number) as number } });
          return (error as Error).message;
        }
      return 'never';
    };
    expect(refused({ perSecond: 2, burst: 3 })).toBe(
      'm is limited to 2 calls per second, 3 at once. Try again in 500 ms.',
    );
    expect(refused({ perSecond: 2 })).toBe('m is limited to 2 calls per second, 2 at once. Try again in 500 ms.');
    expect(refused({ perSecond: 0.5 })).toBe('m is limited to 0.5 calls per second, 1 at once. Try again in 2000 ms.');
  });

  it.each([
    [{ name: 'dear' }],
    [{ uri: 'dear' }],
    [{ ref: { name: 'dear' } }],
    [{ ref: { uri: 'dear' } }],
    [{ name: 'dear', uri: 'cheap', ref: { name: 'cheap' } }],
  ])('finds the name in %j', (params) => {
    const names = { dear: rate };
    const admission = opened({ limits: { m: { perSecond: 100, names } }, idempotency: false });
    expect(admission.admit(contextOf('m', params))).toBeUndefined();
    expect(() => admission.admit(contextOf('m', params))).toThrow(/limited/);
    for (const other of [{}, { name: 5 }, { ref: 'dear' }, { name: 'cheap', uri: 'dear' }])
      expect(admission.admit(contextOf('m', other))).toBeUndefined();
  });

  it('of notifications goes by caller, otherwise by connection; without either all are heard', () => {
    const admission = opened({ limits: { 'notifications/*': rate } });
    const hears = (method: string, connection?: object, extra?: object): boolean =>
      admission.hears(method, connection, extra as never);
    const [one, two] = [{}, {}];
    expect([hears('notifications/a', one), hears('notifications/b', one), hears('notifications/a', two)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([
      hears('notifications/a', one, { principal: 'ann' }),
      hears('notifications/a', two, { principal: 'ann' }),
    ]).toEqual([true, false]);
    for (let count = 0; count < 3; count += 1) expect(hears('notifications/a')).toBe(true);
  });

  it('of progress and log messages of clients goes by the rate of notifications, not that of the own ones', () => {
    const admission = opened({
      limits: {
        'notifications/*': { perSecond: 1, burst: 3 },
        'notifications/progress': rate,
        'notifications/message': rate,
      },
    });
    const heard = ['progress', 'message', 'progress', 'message', 'other'].map((name) =>
      admission.hears(`notifications/${name}`, undefined, { principal: 'ann' }),
    );
    expect(heard).toEqual([true, true, true, false, false]);
  });

  it('announces keys where the program turns them on, and uses the first store that it is given', () => {
    expect(opened().announced).toEqual({});
    expect(opened({ idempotency: false }).announced).toEqual({});
    expect(Object.keys(opened({ idempotency: {} }).announced)).toEqual(['experimental']);
    const [one, two] = [memoryStore(), memoryStore()];
    const admission = opened();
    expect(admission.store).toBeUndefined();
    admission.useStore(one);
    admission.useStore(two);
    expect(admission.store).toBe(one);
    expect(opened({ store: two }).store).toBe(two);
    expect(opened({ leftBehind: { maxBytes: 40 } }).leftBehind.mayHold('a', 11)).toBe(false);
  });

  it('counts in the store only where processes share it', async () => {
    for (const shared of [true, false]) {
      const store = memoryStore({ shared });
      const admission = opened({ limits: { m: rate }, store, idempotency: false });
      await admission.admit(contextOf('m'));
      expect(await store.count('limit:')).toBe(shared ? 1 : 0);
      await expect((async () => admission.admit(contextOf('m')))()).rejects.toThrow(/limited/);
    }
  });
});
