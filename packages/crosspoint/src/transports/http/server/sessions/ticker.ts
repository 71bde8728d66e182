import { report } from '../../../../runtime/guard.ts';
import type { Clock } from '../../../../peer/clock.ts';
import { RenewedSet } from '../../../../runtime/renewed-set.ts';

/** Called at intervals. */
export interface Ticking {
  tick(now: number): void;
}

/**
 * One timer for all exchanges and streams, which turn silent exchanges into streams and keep streams alive. Runs only while it has members.
 */
export class Ticker {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #onproblem: (error: Error) => void;
  #members = new RenewedSet<Ticking>();
  #timer: unknown;
  #lastAt: number;

  constructor(clock: Clock, everyMs: number, onproblem: (error: Error) => void = () => {}) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#onproblem = onproblem;
    this.#lastAt = clock.now();
  }

  add(member: Ticking): void {
    this.#members.add(member);
    if (this.#timer === undefined) this.#schedule();
  }

  delete(member: Ticking): void {
    this.#members.delete(member);
  }

  /**
   * Ticks all members if that is overdue. On workerd a timer ends with the request that set it, so this one may never fire again: each
   * pending request calls `beat` from a timer of its own.
   */
  beat(): void {
    if (this.#clock.now() - this.#lastAt >= this.#everyMs) this.#tickAll();
  }

  stop(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#members = new RenewedSet();
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#tickAll();
      if (this.#members.size > 0 && this.#timer === undefined) this.#schedule();
    }, this.#everyMs);
    // Keep-alives must not keep the process alive.
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  #tickAll(): void {
    const now = this.#clock.now();
    this.#lastAt = now;
    for (const member of this.#members) this.#tick(member, now);
  }

  /** A member that throws must not stop the others. */
  #tick(member: Ticking, now: number): void {
    try {
      member.tick(now);
    } catch (error) {
      report(this.#onproblem, error);
    }
  }
}
