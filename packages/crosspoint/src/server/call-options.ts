import type { Progress } from '../peer/progress.ts';
import type { AskOptions } from './edge.ts';

export type ProgressCallback = (progress: Progress) => void;

/** How long and how a request to the client is waited for. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Longest silence in milliseconds; none when absent, because people take their time. */
  timeout?: number;
  /** Longest wait in milliseconds, whatever happens. */
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
