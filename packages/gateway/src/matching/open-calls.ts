import { RenewedSet } from '../values/renewed-set.ts';
import { matchCall, type Belonging } from './match-call.ts';
import type { OpenCall } from './open-call.ts';

/** Most questions that wait in one session: a server may ask without end. */
const MOST_WAITING = 100;

/** The calls that are open in one session of the server. */
export class OpenCalls extends RenewedSet<OpenCall> {
  readonly #waiting = new Set<() => void>();

  override delete(call: OpenCall): boolean {
    const wasOpen = super.delete(call);
    for (const wake of this.#waiting) wake();
    return wasOpen;
  }

  /** Whether a client can be asked during one of them. */
  get mayAsk(): boolean {
    return [...this].some(({ mayBeAsked }) => mayBeAsked);
  }

  /**
   * The call that a question belongs to. One on the standing stream, which several calls could have asked, waits until only one of them is left, for so many
   * milliseconds at most. `undefined` where it belongs to none, or to one of several all the same.
   */
  async askedBy(
    belonging: Belonging,
    { signal, forMs }: { readonly signal: AbortSignal; readonly forMs: number },
  ): Promise<OpenCall | undefined> {
    const found = matchCall(belonging, this);
    if (found !== undefined || belonging.relatedRequestId !== null || belonging.taskId !== undefined) return found;
    if (this.#waiting.size >= MOST_WAITING) return undefined;
    const until = performance.now() + forMs;
    for (let left = forMs; this.mayAsk && left > 0 && !signal.aborted; left = until - performance.now()) {
      await this.#change(left, signal);
      const call = signal.aborted ? undefined : matchCall(belonging, this);
      if (call !== undefined) return call;
    }
    return undefined;
  }

  /** Waits until a call has ended, the time is over, or the signal aborts. */
  #change(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
