import type { Progress } from '../../peer/progress.ts';
import type { AskOptions } from './edge.ts';

/** Receives progress: how much is done, of how much, and in words. */
export type ProgressCallback = (progress: Progress) => void;

/** Options of a request to the client. */
export interface CallOptions {
  /** Cancels the request when it aborts. */
  signal?: AbortSignal;
  /** Longest silence in milliseconds; progress starts it anew. With 0 the request waits for as long as the session lasts. */
  timeout?: number;
  /**
   * Longest wait in milliseconds, with or without progress. When absent: `asking.ttlMs` of the server (10 minutes), or `timeout` where that is longer; in
   * a task, as long as the task lives.
   */
  maxTotalTimeout?: number;
  /** Called with each report of the client's progress: `({ progress, total, message }) => …`. */
  onprogress?: ProgressCallback;
  /** The task on whose behalf the request is made, for programs that run their tasks themselves; the request waits until the client asks for the result. */
  relatedTask?: { taskId: string };
  /** The question is that of another server: only whether the client has declared it is checked, and its words are not changed. */
  relayed?: boolean;
}

export function toOutgoingOptions(options: CallOptions = {}): AskOptions {
  return {
    ...(options.signal && { signal: options.signal }),
    ...(options.onprogress && { onprogress: options.onprogress }),
    ...(options.timeout !== undefined && { idleTimeoutMs: options.timeout }),
    ...(options.maxTotalTimeout !== undefined && { totalTimeoutMs: options.maxTotalTimeout }),
  };
}

/** Adds a limit where there is none: a client that never answers must not hold a call for ever. */
export function withLimit(options: AskOptions, limitMs: number): AskOptions {
  const { idleTimeoutMs, totalTimeoutMs } = options;
  if (totalTimeoutMs !== undefined || idleTimeoutMs === 0 || idleTimeoutMs === Number.POSITIVE_INFINITY) return options;
  return { ...options, totalTimeoutMs: Math.max(limitMs, idleTimeoutMs ?? 0) };
}
