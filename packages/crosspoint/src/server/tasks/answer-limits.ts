import type { Clock } from '../../peer/clock.ts';
import { TransportError } from '../../protocol/errors.ts';
import type { AskOptions } from '../calls/edge.ts';

/** Combines the reasons to stop waiting for an answer (abort, silence, total time) into one signal; `done` releases them. */
export function answerLimits(
  call: AbortSignal,
  { signal, idleTimeoutMs, totalTimeoutMs }: AskOptions,
  clock: Clock,
): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const follow = (from: AbortSignal) => (): void => controller.abort(from.reason);
  const followed = [call, ...(signal ? [signal] : [])].map((from) => ({ from, abort: follow(from) }));
  for (const { from, abort } of followed) {
    if (from.aborted) abort();
    else from.addEventListener('abort', abort, { once: true });
  }
  const limit = Math.min(...[idleTimeoutMs, totalTimeoutMs].map((ms) => (ms === undefined || ms <= 0 ? Infinity : ms)));
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
      for (const { from, abort } of followed) from.removeEventListener('abort', abort);
    },
  };
}
