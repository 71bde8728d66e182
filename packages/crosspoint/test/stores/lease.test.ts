import { describe, expect, test } from 'vitest';
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
});
