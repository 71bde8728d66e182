import type { Clock } from './clock.ts';

export interface Rate {
  /** Sustained events per second. */
  readonly perSecond: number;
  /** Events allowed at once after a quiet time; `perSecond` when absent. */
  readonly burst?: number;
}

/** Between two clock reads at most 1/1000 of the burst, and never more than 64 tokens, may be taken: reading the clock (40 ns) costs more than the rest of the check. */
const UNSEEN_SHARE = 1000;
const MOST_UNSEEN = 64;

/**
 * A token bucket; it holds a few numbers, whatever the rate. Tokens taken between two clock reads count as taken at the second one, so the rate is
 * never exceeded.
 */
export class RateLimit {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #unseen: number;
  readonly #clock: Clock;
  /** Tokens at the last clock read. */
  #tokens: number;
  #at: number;
  /** Tokens taken since the last clock read. */
  #taken = 0;

  constructor(rate: Rate, clock: Clock) {
    this.#perMs = rate.perSecond / 1000;
    this.#burst = Math.max(1, rate.burst ?? rate.perSecond);
    this.#unseen = Math.min(MOST_UNSEEN, Math.floor(this.#burst / UNSEEN_SHARE));
    this.#clock = clock;
    this.#tokens = this.#burst;
    this.#at = clock.now();
  }

  /** Takes one token if there is one. */
  take(): boolean {
    if (this.#taken < this.#unseen && this.#tokens - this.#taken >= 1) {
      this.#taken += 1;
      return true;
    }
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds from now until the next token. */
  get waitMs(): number {
    this.#refill();
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) / this.#perMs);
  }

  #refill(): void {
    const now = this.#clock.now();
    // A wall clock may be set back; that must not take tokens away.
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, now - this.#at) * this.#perMs) - this.#taken;
    this.#taken = 0;
    this.#at = now;
  }
}
