import { LONGEST_TIMER_MS, type Clock } from './clock.ts';

const LINGER_MS = 1;

/**
 * One timer for everything that may take too long. It is set for the earliest deadline and looks at all of them when it fires, so that
 * what ends in time costs no timer of its own.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #expire: (now: number) => number;
  #timer: unknown;
  #firesAt = Number.POSITIVE_INFINITY;
  /** How long the timer runs in all. */
  #span = 0;
  #watched = 0;
  #isLingering = false;

  /** `expire` ends what is due and gives the earliest deadline of the rest; infinity where there is none. */
  constructor(clock: Clock, expire: (now: number) => number) {
    this.#clock = clock;
    this.#expire = expire;
  }

  /** Something has begun that may take so long. */
  add(patienceMs: number, now: number): void {
    this.#watched += 1;
    // What may take as long as the timer was set for ends after it fires.
    if (this.#timer !== undefined && patienceMs >= this.#span) return;
    if (now + patienceMs < this.#firesAt) this.#set(now + patienceMs, now);
  }

  /** Something with a deadline has ended. */
  delete(): void {
    this.#watched -= 1;
    if (this.#watched === 0 && this.#timer !== undefined && !this.#isLingering) this.#linger(this.#timer);
  }

  /**
   * Nothing is watched. Calls that come one at a time would set the timer and clear it for each, so it stays for a moment. Where timers belong to
   * what happens to be running, it must not.
   */
  #linger(timer: unknown): void {
    if (this.#clock.keepsRunning?.(timer, true) !== true) return this.stop();
    this.#isLingering = true;
    this.#clock.setTimeout(() => {
      this.#isLingering = false;
      if (this.#watched === 0) this.stop();
    }, LINGER_MS);
  }

  stop(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
  }

  /** A wait that is longer than a timer can be is made of several. */
  #set(deadline: number, now: number): void {
    this.stop();
    this.#firesAt = deadline;
    this.#span = Math.min(Math.max(0, deadline - now), LONGEST_TIMER_MS);
    this.#timer = this.#clock.setTimeout(() => this.#fire(), this.#span);
  }

  #fire(): void {
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
    if (this.#watched === 0) return;
    const now = this.#clock.now();
    const next = this.#expire(now);
    // What was begun meanwhile may have set it already.
    if (next < this.#firesAt) this.#set(next, now);
  }
}
