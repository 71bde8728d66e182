import { LONGEST_TIMER_MS, type Clock } from '../../peer/clock.ts';
import { TransportError } from '../../protocol/errors.ts';
import { follow, untilAborted } from './abort.ts';

export interface Deadline {
  readonly clock: Clock;
  /** Subject of the error message. */
  readonly what: string;
  /** Milliseconds from `startedAt`; 0 or `Infinity` means no limit. */
  readonly totalMs: number;
  readonly startedAt: number;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs work of several steps under one time limit. `work` gets a signal that aborts with the caller's signal or when the time is over.
 * Rejects with `total-timeout` even if the work ignores that signal.
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
