import type { Clock } from '../../peer/clock.ts';
import { ProtocolError } from '../../protocol/errors.ts';

/** Bytes of a key beside its outcome. */
const KEY_BYTES = 500;

interface Spending {
  total: number;
  readonly entries: { readonly bytes: number; readonly until: number }[];
}

/** Counts the bytes that this process has stored for each caller, so that no caller fills the store. */
export class RememberedBytes {
  readonly #max: number;
  readonly #ttlMs: number;
  readonly #clock: Clock;
  readonly #callers = new Map<string, Spending>();

  #sweptAt: number;

  constructor(max: number, ttlMs: number, clock: Clock) {
    this.#max = max;
    this.#ttlMs = ttlMs;
    this.#clock = clock;
    this.#sweptAt = clock.now();
  }

  /** Counts one more key. Throws `rate-limited` when the caller has used up its bytes. */
  admit(caller: string): void {
    if (this.spend(caller, KEY_BYTES)) return;
    const until = this.#callers.get(caller)?.entries[0]?.until ?? 0;
    const retryAfterMs = Math.max(1, until - this.#clock.now());
    throw new ProtocolError(
      'rate-limited',
      'Too many outcomes of calls with an idempotency key are remembered. Call without a key, or try again later.',
      { retryAfterMs },
    );
  }

  /** Counts bytes. False, with nothing counted, when there is no room. */
  spend(caller: string, bytes: number): boolean {
    const spending = this.#current(caller);
    if (spending.total + bytes > this.#max) return false;
    spending.total += bytes;
    spending.entries.push({ bytes, until: this.#clock.now() + this.#ttlMs });
    this.#callers.set(caller, spending);
    return true;
  }

  /** Removes callers whose bytes have all expired. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < this.#ttlMs) return;
    this.#sweptAt = now;
    for (const [caller, { entries }] of this.#callers)
      if ((entries.at(-1)?.until ?? 0) <= now) this.#callers.delete(caller);
  }

  #current(caller: string): Spending {
    const now = this.#clock.now();
    const spending = this.#callers.get(caller) ?? { total: 0, entries: [] };
    const alive = spending.entries.findIndex(({ until }) => until > now);
    for (const { bytes } of spending.entries.splice(0, alive === -1 ? spending.entries.length : alive))
      spending.total -= bytes;
    this.#sweep(now);
    return spending;
  }
}
