import type { Clock } from '../peer/clock.ts';

interface Timer {
  readonly id: number;
  readonly at: number;
  readonly run: () => void;
}

/** Enough turns of the microtask queue for chains of promises to settle between two timers. */
const TURNS = 50;

/** A clock that moves only when told to. Timers run in the order in which they are due; those due at the same time, in the order they were set. */
export class ManualClock implements Clock {
  readonly #timers = new Map<number, Timer>();
  #now: number;
  #nextId = 1;

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(run: () => void, ms: number): unknown {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#timers.set(id, { id, at: this.#now + Math.max(0, ms), run });
    return id;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as number);
  }

  /** Timers that are set and have not run. */
  get pending(): number {
    return this.#timers.size;
  }

  /**
   * Moves time on by `ms` and runs the timers that fall due, including those that other timers set, with `now()` at each timer's own time.
   * Promises settle before, between and after. Rejects with the error that a timer throws; the clock then stands at that time.
   */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError('advance() takes 0 or more milliseconds: time does not run backwards.');
    const end = this.#now + ms;
    await this.flush();
    for (let timer = this.#nextDue(end); timer !== undefined; timer = this.#nextDue(end)) {
      this.#timers.delete(timer.id);
      this.#now = timer.at;
      timer.run();
      await this.flush();
    }
    this.#now = end;
  }

  /** Lets pending promises settle without moving time. */
  async flush(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
  }

  #nextDue(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values()) {
      if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }
}
