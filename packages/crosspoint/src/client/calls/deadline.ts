import { LONGEST_TIMER_MS, type Clock } from '../../peer/clock.ts';
import { TransportError } from '../../protocol/errors.ts';
import { follow, untilAborted } from './abort.ts';

export interface Deadline {
  readonly clock: Clock;
  /** The subject of the limit; begins the message of the error. */
  readonly what: string;
  /** In milliseconds, counted from `startedAt`; 0 or Infinity: no limit. */
  readonly totalMs: number;
  readonly startedAt: number;
  /** The caller's own. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs work of several steps within one limit. The work gets a signal to wait with, which the caller's signal and the end of the time abort; when the time
 * is up, the promise rejects with `total-timeout`, also where the work does not heed the signal.
 */
export async function within<T>(deadline: Deadline, work: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> {
  const { clock, what, totalMs, startedAt, signal } = deadline;
  const leftMs = startedAt + totalMs - clock.now();
  if (!(totalMs > 0) || leftMs > LONGEST_TIMER_MS) return work(signal);
  const controller = new AbortController();
  const unfollow = follow(controller, signal);
  const timer = clock.setTimeout(
    () => controller.abort(timeoutError(what, totalMs, clock.now() - startedAt)),
    Math.max(0, leftMs),
  );
  try {
    return await untilAborted(work(controller.signal), what, controller.signal);
  } finally {
    clock.clearTimeout(timer);
    unfollow();
  }
}

function timeoutError(what: string, timeoutMs: number, elapsedMs: number): TransportError {
  const message = `${what}: not finished after ${timeoutMs} ms (total timeout).`;
  return new TransportError('total-timeout', message, { method: what, timer: 'total', timeoutMs, elapsedMs });
}
