import type { Progress } from '../../peer/progress.ts';
import type { AskOptions } from './edge.ts';

export type ProgressCallback = (progress: Progress) => void;

/** How long and how a request to the client is waited for. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Longest silence in milliseconds; progress ends it. With 0 the client is waited for as long as its session lasts. */
  timeout?: number;
  /**
   * Longest wait in milliseconds, whatever happens. When absent: `asking.ttlMs` of the server (10 minutes), or `timeout` where that is longer; in a task,
   * for as long as the task lives.
   */
  maxTotalTimeout?: number;
  onprogress?: ProgressCallback;
  /** The task, of a program that runs its tasks itself, on whose behalf the request is made; it waits until the client comes for the result. */
  relatedTask?: { taskId: string };
}

export function toOutgoingOptions(options: CallOptions = {}): AskOptions {
  return {
    ...(options.signal && { signal: options.signal }),
    ...(options.onprogress && { onprogress: options.onprogress }),
    ...(options.timeout !== undefined && { idleTimeoutMs: options.timeout }),
    ...(options.maxTotalTimeout !== undefined && { totalTimeoutMs: options.maxTotalTimeout }),
  };
}

/** The same with a limit, where they have none: a client that never answers must not hold what waits for it for ever. */
export function withLimit(options: AskOptions, limitMs: number): AskOptions {
  const { idleTimeoutMs, totalTimeoutMs } = options;
  if (totalTimeoutMs !== undefined || idleTimeoutMs === 0 || idleTimeoutMs === Number.POSITIVE_INFINITY) return options;
  return { ...options, totalTimeoutMs: Math.max(limitMs, idleTimeoutMs ?? 0) };
}
