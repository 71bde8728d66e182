import type { Store } from '../stores/store.ts';
import type { Clock } from './clock.ts';
import type { Counted } from './call-counts.ts';
import type { Excess } from './limiter.ts';
import type { Rate } from './rate-limit.ts';

interface Waiting {
  readonly rate: Rate;
  readonly settle: (waitMs: number | undefined) => void;
}

/** Attempts to write a bucket. Each lost attempt means that another process has written it. */
const MAX_RACES = 50;
/** Milliseconds before an unreachable store is reported again. */
const QUIET_MS = 10_000;
/** The share of a burst that a process takes at a time, and the least milliseconds for which it may use it. */
const LOT = 1 / 100;
const LOT_MS = 60_000;
const MAX_LOTS = 10_000;

/** Tokens taken from the store and not used yet. */
interface Lot {
  tokens: number;
  readonly until: number;
}

/**
 * The token buckets of `RateLimit`, kept in a store that processes share. A bucket is one number: the time at which it is full again. Requests for one
 * bucket that come while the store is busy with it are answered by one further access, so a process never races against itself.
 *
 * Of a large bucket that is more than half full, a process takes a hundredth of the burst at a time, so that most calls need no access to the store. Tokens
 * that a process has taken and not used when the bucket is full again are the amount by which it may exceed the limit.
 */
export class SharedLimits {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onproblem: (problem: Error) => void;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #lots = new Map<string, Lot>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, clock: Clock, onproblem: (problem: Error) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onproblem = onproblem;
  }

  /** Takes one token. 0: taken; above 0: milliseconds to wait; `undefined`: the store does not answer. Synchronous where the store need not be asked. Never rejects. */
  take(key: string, rate: Rate): number | Promise<number | undefined> {
    const lot = this.#lots.get(key);
    if (lot !== undefined && lot.tokens >= 1 && lot.until > this.#clock.now()) {
      lot.tokens -= 1;
      return 0;
    }
    return new Promise((settle) => {
      const busy = this.#waiting.get(key);
      if (busy) return void busy.push({ rate, settle });
      const first = [{ rate, settle }];
      this.#waiting.set(key, first);
      void this.#serve(key, first);
    });
  }

  /** Counts one call of a caller. `here` counts it in this process alone, while the store cannot be reached: service and limits both go on. */
  count(
    { key, rate }: Counted,
    caller: string,
    here: () => Excess | undefined,
  ): Excess | undefined | Promise<Excess | undefined> {
    const excess = (waitMs: number): Excess | undefined => (waitMs === 0 ? undefined : { rate, waitMs });
    const taken = this.take(`${key.length} ${key} ${caller}`, rate);
    if (typeof taken === 'number') return excess(taken);
    return taken.then((waitMs) => (waitMs === undefined ? here() : excess(waitMs)));
  }

  async #serve(key: string, first: Waiting[]): Promise<void> {
    let batch = first.splice(0);
    while (batch.length > 0) {
      await this.#serveBatch(key, batch);
      batch = first.splice(0);
    }
    this.#waiting.delete(key);
  }

  async #serveBatch(key: string, batch: readonly Waiting[]): Promise<void> {
    let waits: readonly (number | undefined)[] = [];
    try {
      waits = await this.#takeAll(key, batch);
    } catch (error) {
      this.#tell(error);
    }
    batch.forEach(({ settle }, index) => settle(waits[index]));
  }

  async #takeAll(caller: string, batch: readonly Waiting[]): Promise<readonly (number | undefined)[]> {
    const key = `limit:${caller}`;
    for (let races = 0; races < MAX_RACES; races += 1) {
      const found = await this.#store.get(key);
      const now = this.#clock.now();
      let fullAt = typeof found?.value === 'number' ? found.value : now;
      const waits = batch.map(({ rate }) => {
        const next = takeOne(fullAt, rate, now);
        fullAt = next.fullAt;
        return next.waitMs;
      });
      // Not told from the time: one call at a rate beyond eight million a second is too short to change a time since 1970.
      if (waits.every((waitMs) => waitMs > 0)) return waits;
      const lot = batch[0] && lotOf(batch[0].rate, fullAt, now);
      if (lot) fullAt = lot.until;
      const ttlMs = Math.max(1000, Math.ceil(fullAt - now) + 1000);
      if ((await this.#store.put(key, fullAt, { ttlMs, ifVersion: found?.version ?? null })) === undefined) continue;
      if (lot) this.#keep(caller, { tokens: lot.tokens, until: Math.max(lot.until, now + LOT_MS) });
      return waits;
    }
    throw new Error('Too many processes count the same caller at once.');
  }

  #keep(caller: string, lot: Lot): void {
    this.#lots.delete(caller);
    if (this.#lots.size >= MAX_LOTS) this.#lots.delete(this.#lots.keys().next().value ?? '');
    this.#lots.set(caller, lot);
  }

  #tell(error: unknown): void {
    const now = this.#clock.now();
    if (now - this.#toldAt < QUIET_MS) return;
    this.#toldAt = now;
    this.#onproblem(
      new Error('The store does not answer, so calls are counted by this process alone.', { cause: error }),
    );
  }
}

/** The tokens to take ahead, and the time at which the bucket is then full again. `undefined` for a small bucket, or one that is half empty. */
function lotOf({ perSecond, burst = perSecond }: Rate, fullAt: number, now: number): Lot | undefined {
  const interval = 1000 / perSecond;
  const tokens = Math.floor(burst * LOT) - 1;
  const until = Math.max(fullAt, now) + tokens * interval;
  return tokens >= 1 && until - now <= (burst * interval) / 2 ? { tokens, until } : undefined;
}

/** A bucket that is full at `fullAt` lacks one token for each interval until then. */
function takeOne(fullAt: number, rate: Rate, now: number): { fullAt: number; waitMs: number } {
  const interval = 1000 / rate.perSecond;
  const burst = Math.max(1, rate.burst ?? rate.perSecond);
  const taken = Math.max(fullAt, now) + interval;
  const waitMs = Math.ceil(taken - burst * interval - now);
  return waitMs <= 0 ? { fullAt: taken, waitMs: 0 } : { fullAt, waitMs };
}
