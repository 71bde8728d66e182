import type { Clock } from './clock.ts';

export interface Rate {
  /** Sustained events per second. */
  readonly perSecond: number;
  /** How many may come at once after a quiet time; `perSecond` when absent. */
  readonly burst?: number;
}

/** Of a burst, one in so many may be taken between two looks at the clock, which costs more than all the rest of counting. */
const UNSEEN_SHARE = 1000;
const MOST_UNSEEN = 64;

/**
 * A token bucket. Holds a few numbers, whatever the rate. What is taken between two looks at the clock counts as taken at the second, so that never
 * more is given than the rate allows.
 */
export class RateLimit {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #unseen: number;
  readonly #clock: Clock;
  /** At the last look. */
  #tokens: number;
  #at: number;
  /** Since the last look. */
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
