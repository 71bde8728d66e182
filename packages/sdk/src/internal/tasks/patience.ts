import type { TaskHost } from 'crosspoint/server/tasks';
import { TransportError } from 'crosspoint';

interface Limits {
  readonly signal?: AbortSignal | undefined;
  readonly idleTimeoutMs?: number | undefined;
  readonly totalTimeoutMs?: number | undefined;
}

/**
 * One signal for every reason not to wait for an answer any longer; `done` lets go of all of them. Where nothing limits the wait, `limitMs` does; an
 * idle timeout of 0 means that nothing is to limit it.
 */
export function patience(
  { signal, idleTimeoutMs, totalTimeoutMs }: Limits,
  limitMs: number,
  clock: TaskHost['clock'],
): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  const isEndless = idleTimeoutMs === 0 || idleTimeoutMs === Number.POSITIVE_INFINITY;
  const total = totalTimeoutMs ?? (isEndless ? 0 : Math.max(limitMs, idleTimeoutMs ?? 0));
  const limit = Math.min(...[idleTimeoutMs, total].map((ms) => (ms === undefined || ms <= 0 ? Infinity : ms)));
  const timer = Number.isFinite(limit)
    ? clock.setTimeout(
        () => controller.abort(new TransportError('total-timeout', `The question was not answered in ${limit} ms.`)),
        limit,
      )
    : undefined;
  return {
    signal: controller.signal,
    done: () => {
      if (timer !== undefined) clock.clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}
