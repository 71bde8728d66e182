import type { Clock } from './clock.ts';

export interface Rate {
  /** Sustained events per second. */
  readonly perSecond: number;
  /** How many may come at once after a quiet time; `perSecond` when absent. */
  readonly burst?: number;
}

/** A token bucket. Holds two numbers, whatever the rate. */
export class RateLimit {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor(rate: Rate, clock: Clock) {
    this.#perMs = rate.perSecond / 1000;
    this.#burst = Math.max(1, rate.burst ?? rate.perSecond);
    this.#clock = clock;
    this.#tokens = this.#burst;
    this.#at = clock.now();
  }

  /** Takes one token if there is one. */
  take(): boolean {
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
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, now - this.#at) * this.#perMs);
    this.#at = now;
  }
}
