import { describe, expect, test, vi } from 'vitest';
import { acquireLease, leaseHolder } from '../../src/stores/lease.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { StoreUnavailableError } from '../../src/stores/store-unavailable-error.ts';
import type { Store } from '../../src/stores/store.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

const TTL = 9000;

interface Bench {
  readonly clock: ManualClock;
  readonly store: Store;
  /** Whether the store can be reached, and whether it then is heard. */
  readonly link: { isUp: boolean; isHeard: boolean };
}

function bench(): Bench {
  const clock = new ManualClock();
  const link = { isUp: true, isHeard: true };
  const inner = memoryStore({ now: () => clock.now() });
  const store = new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        if (!link.isUp) throw new StoreUnavailableError(new Error('down'));
        const result = await (member as (...given: unknown[]) => unknown).apply(target, args);
        if (!link.isHeard && name === 'put') throw new StoreUnavailableError(new Error('too late'));
        return result;
      };
    },
  });
  return { clock, store, link };
}

const take = ({ store, clock }: Bench, holder: string): ReturnType<typeof acquireLease> =>
  acquireLease(store, 'job', { ttlMs: TTL, holder, timers: clock });

describe('a lease', () => {
  test('belongs to one, until it is given back', async () => {
    const b = bench();
    const first = await take(b, 'a');
    expect(first?.lost.aborted).toBe(false);
    expect(await take(b, 'b')).toBeUndefined();
    expect(await leaseHolder(b.store, 'job')).toBe('a');
    await first?.release();
    expect(await leaseHolder(b.store, 'job')).toBeUndefined();
    expect(await take(b, 'b')).toBeDefined();
    expect(first?.lost.aborted).toBe(false);
    expect(await first?.renew()).toBe(false);
  });

  test('is renewed for as long as its holder lives', async () => {
    const b = bench();
    const lease = await take(b, 'a');
    for (let turn = 0; turn < 10; turn += 1) await b.clock.advance(TTL / 3);
    expect(lease?.lost.aborted).toBe(false);
    expect(await leaseHolder(b.store, 'job')).toBe('a');
  });

  test('is lost when somebody else has taken its record', async () => {
    const b = bench();
    const lease = await take(b, 'a');
    await b.store.put('job', { holder: 'b', token: 'of b' });
    expect(await lease?.renew()).toBe(false);
    expect(lease?.lost.aborted).toBe(true);
    await lease?.release();
    expect(await leaseHolder(b.store, 'job')).toBe('b');
  });

  test('outlives a store that is away for a while, and not one that is away for longer', async () => {
    const b = bench();
    const lease = await take(b, 'a');
    b.link.isUp = false;
    await b.clock.advance(TTL - 4000);
    expect(lease?.lost.aborted).toBe(false);
    b.link.isUp = true;
    await b.clock.advance(TTL / 3);
    expect(await lease?.renew()).toBe(true);
    b.link.isUp = false;
    await b.clock.advance(TTL);
    expect(lease?.lost.aborted).toBe(true);
  });

  test('goes on when a renewal was written though nobody heard of it', async () => {
    const b = bench();
    const lease = await take(b, 'a');
    b.link.isHeard = false;
    expect(await lease?.renew()).toBe(true);
    b.link.isHeard = true;
    expect(await lease?.renew()).toBe(true);
    expect(lease?.lost.aborted).toBe(false);
  });

  test('is renewed every third of its time, for all of it each time', async () => {
    const b = bench();
    const puts: [number, unknown][] = [];
    const store: Store = Object.assign(Object.create(b.store) as Store, {
      put: (...all: Parameters<Store['put']>) => (puts.push([b.clock.now(), all[2]]), b.store.put(...all)),
    });
    const lease = await acquireLease(store, 'job', { ttlMs: TTL, holder: 'a', timers: b.clock });
    await b.clock.advance(TTL / 3 - 1);
    expect(puts).toEqual([[0, { ifVersion: null, ttlMs: TTL }]]);
    await b.clock.advance(1);
    await b.clock.advance(TTL / 3);
    expect(puts.map(([at]) => at)).toEqual([0, TTL / 3, (2 * TTL) / 3]);
    expect(puts[2]?.[1]).toEqual({ ifVersion: expect.any(String) as string, ttlMs: TTL });
    await lease?.release();
    await b.clock.advance(TTL);
    expect(puts).toHaveLength(3);
  });

  test('that another took is never written over, and its holder is told once, with the reason', async () => {
    const b = bench();
    let told = 0;
    const options = { ttlMs: TTL, holder: 'a', timers: b.clock, onlost: () => void (told += 1) };
    const lease = await acquireLease(b.store, 'job', options);
    expect(lease?.key).toBe('job');
    const { lost } = lease ?? {};
    await b.store.put('job', { holder: 'b', token: 'of b' });
    await b.clock.advance(TTL / 3);
    expect(lost?.reason).toMatchObject({ message: 'job: Somebody else has the lease.' });
    expect([told, await lease?.renew()]).toEqual([1, false]);
    await b.clock.advance(TTL);
    await lease?.release();
    expect([told, await leaseHolder(b.store, 'job')]).toEqual([1, 'b']);
  });

  test('that was not renewed in time is lost then, and not before; the signal may be looked at later', async () => {
    const b = bench();
    let told = 0;
    const onlost = (): void => {
      told += 1;
      throw new Error('of the program');
    };
    const lease = await acquireLease(b.store, 'job', { ttlMs: TTL, holder: 'a', timers: b.clock, onlost });
    b.link.isUp = false;
    await b.clock.advance(TTL - 1);
    expect(told).toBe(0);
    await b.clock.advance(1);
    expect(told).toBe(1);
    expect(lease?.lost.aborted).toBe(true);
    expect(lease?.lost.reason).toMatchObject({ message: 'job: The lease could not be renewed in time.' });
    expect(lease?.lost).toBe(lease?.lost);
    b.link.isUp = true;
    expect(await lease?.renew()).toBe(false);
  });

  test('whose renewal failed is read again: gone or taken is lost', async () => {
    for (const other of [undefined, { holder: 'a', token: 'of a later one' }]) {
      const b = bench();
      const lease = await take(b, 'a');
      const store = b.store;
      b.link.isHeard = false;
      const renewing = lease?.renew();
      // The put has failed by now; another has the record before it is read again.
      if (other) await Promise.all([store.put('job', other).catch(() => {}), renewing]);
      else await Promise.all([store.delete('job'), renewing]);
      b.link.isHeard = true;
      await b.clock.advance(TTL / 3);
      expect(lease?.lost.aborted).toBe(true);
    }
  });

  test('is given back after a renewal that is under way, and not asked for twice at once', async () => {
    const b = bench();
    const lease = await take(b, 'a');
    const [one, two] = [lease?.renew(), lease?.renew()];
    expect(one).toBe(two);
    await lease?.release();
    expect(await one).toBe(true);
    expect(await leaseHolder(b.store, 'job')).toBeUndefined();
    expect(await take(b, 'b')).toBeDefined();
    await lease?.release();
    expect(await leaseHolder(b.store, 'job')).toBe('b');
  });

  test('needs no timers of the program', async () => {
    vi.useFakeTimers();
    try {
      const store = memoryStore();
      const lease = await acquireLease(store, 'job', { ttlMs: TTL, holder: 'a' });
      await vi.advanceTimersByTimeAsync(3 * TTL);
      expect([lease?.lost.aborted, await leaseHolder(store, 'job')]).toEqual([false, 'a']);
      await lease?.release();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
