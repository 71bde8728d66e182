import type { Clock } from '../../peer/clock.ts';

/** Something that wants to be looked at now and then. */
export interface Ticking {
  tick(now: number): void;
  /** Whether somebody is owed an answer by it. */
  readonly isWorking: boolean;
}

/** One timer for all exchanges: those that have been silent too long, and streams that need a sign of life. Runs only while there are any. */
export class Ticker {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #members = new Set<Ticking>();
  #timer: unknown;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  get isWorking(): boolean {
    for (const member of this.#members) if (member.isWorking) return true;
    return false;
  }

  add(member: Ticking): void {
    this.#members.add(member);
    if (this.#timer === undefined) this.#schedule();
  }

  delete(member: Ticking): void {
    this.#members.delete(member);
  }

  stop(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#members.clear();
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      const now = this.#clock.now();
      for (const member of this.#members) member.tick(now);
      if (this.#members.size > 0) this.#schedule();
    }, this.#everyMs);
    // What waits for a sign of life must not keep a process alive.
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }
}
