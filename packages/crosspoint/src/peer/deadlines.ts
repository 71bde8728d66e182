import { LONGEST_TIMER_MS, type Clock } from './clock.ts';

const LINGER_MS = 1;

/**
 * One timer for all requests with a deadline. It is set for the earliest deadline and checks every request when it fires, so a request that
 * is answered in time costs no timer of its own.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #expire: (now: number) => number;
  #timer: unknown;
  #firesAt = Number.POSITIVE_INFINITY;
  /** The delay that the timer was set with, in milliseconds. */
  #span = 0;
  #watched = 0;
  #isLingering = false;

  /** `expire` ends the requests that are due and returns the earliest deadline of the others, or infinity. */
  constructor(clock: Clock, expire: (now: number) => number) {
    this.#clock = clock;
    this.#expire = expire;
  }

  /** Starts watching one more deadline, `patienceMs` from now. */
  add(patienceMs: number, now: number): void {
    this.#watched += 1;
    // A deadline at least as far away as the whole span of the timer comes after the timer fires.
    if (this.#timer !== undefined && patienceMs >= this.#span) return;
    if (now + patienceMs < this.#firesAt) this.#set(now + patienceMs, now);
  }

  /** Stops watching one deadline: its request has ended. */
  delete(): void {
    this.#watched -= 1;
    if (this.#watched === 0 && this.#timer !== undefined && !this.#isLingering) this.#linger(this.#timer);
  }

  /**
   * Keeps the timer for another millisecond when nothing is watched: requests that come one at a time would otherwise set and clear it for each. On
   * runtimes where a timer belongs to the request being served, it is cleared at once.
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
    // A request that began while `expire` ran may have set the timer already.
    if (next < this.#firesAt) this.#set(next, now);
  }
}
