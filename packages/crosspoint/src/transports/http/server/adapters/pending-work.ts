import type { Clock } from '../../../../peer/clock.ts';
import { RenewedSet } from '../../../../runtime/renewed-set.ts';

/** Requests being served, so that closing can wait for them. */
export class PendingWork {
  readonly #members = new RenewedSet<object>();
  readonly #waiting = new Set<() => void>();

  get size(): number {
    return this.#members.size;
  }

  /** A snapshot of the members. */
  get members(): readonly object[] {
    return [...this.#members];
  }

  add(member: object): void {
    this.#members.add(member);
  }

  delete(member: object): void {
    if (!this.#members.delete(member) || this.#members.size > 0) return;
    for (const done of this.#waiting) done();
  }

  /** Resolves when no work is left, or after `ms`. */
  drained(ms: number, clock: Clock): Promise<void> {
    if (this.#members.size === 0 || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clock.clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = clock.setTimeout(done, ms);
      this.#waiting.add(done);
    });
  }
}
