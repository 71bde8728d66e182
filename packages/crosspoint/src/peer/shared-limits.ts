import type { Store } from '../stores/store.ts';
import type { Clock } from './clock.ts';
import type { Rate } from './rate-limit.ts';

interface Waiting {
  readonly rate: Rate;
  readonly settle: (waitMs: number | undefined) => void;
}

/** Each lost race means that another process has won one. */
const MAX_RACES = 50;
/** How long nobody is told again of a store that cannot be reached. */
const QUIET_MS = 10_000;
/** The part of a burst that a process takes at a time, and how long it may take to use it up. */
const LOT = 1 / 100;
const LOT_MS = 60_000;
const MAX_LOTS = 10_000;

/** Tokens that were taken and are not used yet. */
interface Lot {
  tokens: number;
  readonly until: number;
}

/**
 * The token buckets of `RateLimit`, kept in a store and shared by every process that uses it. A bucket is one number: when it would be full
 * again. What is asked of one bucket while the store is busy with it is asked in one go, so a process never races against itself.
 *
 * Of a large bucket that is more than half full a process takes a hundredth at a time, so that not every call has to ask the store. What it
 * has not used when the bucket is full again is what all together may be over, for each process.
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

  /** 0 when a token was taken, else how long to wait; `undefined` when the store does not answer. At once where it need not be asked. Never rejects. */
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
      const before = fullAt;
      const waits = batch.map(({ rate }) => {
        const next = takeOne(fullAt, rate, now);
        fullAt = next.fullAt;
        return next.waitMs;
      });
      if (fullAt === before) return waits;
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

/** What may be taken beyond what was asked for, and when the bucket is full again if it is. Nothing of a small bucket, or of one that is half empty. */
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
