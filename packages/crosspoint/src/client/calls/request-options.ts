import type { RequestId } from '../../jsonrpc/message.ts';
import type { OutgoingOptions } from '../../peer/outgoing.ts';
import type { Progress } from '../../peer/progress.ts';
import type { Retry } from '../../protocol/outcome.ts';
import type { Task } from '../../protocol/tasks.ts';
import type { Tool } from '../../protocol/tools.ts';
import { attempt } from '../../runtime/guard.ts';
import type { TransportSendOptions } from '../../transports/transport.ts';

/** Receives progress: how much is done, of how much, and in words. */
export type ProgressCallback = (progress: Progress) => void;

/**
 * `auto`: questions of the server are answered by the handlers and the call is repeated. `manual`: the call rejects with
 * `InputRequiredError`.
 */
export type InputMode = 'auto' | 'manual';

/** Options of one request. */
export interface RequestOptions {
  /** Cancels the request when it aborts; the server is told. */
  signal?: AbortSignal | undefined;
  /** Longest silence in milliseconds; 0 means no limit. Progress restarts it. */
  timeout?: number | undefined;
  /** Longest duration in milliseconds, progress or not; 0 means no limit. */
  maxTotalTimeout?: number | undefined;
  /** `false`: progress does not restart `timeout`. */
  resetTimeoutOnProgress?: boolean | undefined;
  /**
   * Called with each report of progress, which the server is thereby asked for.
   *
   * ```ts
   * await client.callTool({ name: 'copy' }, { onprogress: ({ progress, total, message }) => console.log(`${progress}/${total} ${message}`) });
   * ```
   */
  onprogress?: ProgressCallback | undefined;
  /**
   * Called with the id of the request each time it is sent: a call that answers questions, or that is repeated, is sent several times. A question
   * that comes on the stream of the call names the id as its `relatedRequestId`.
   */
  onsent?: ((id: RequestId) => void) | undefined;
  /** Id of the server's request that this one is made for, so that it goes over the same stream. */
  relatedRequestId?: RequestId | undefined;
  /** Overrides the client's `inputRequired` for this request. */
  inputRequired?: InputMode | undefined;
  /** Answers to an `InputRequiredError`, for callers that collect them themselves. */
  retry?: Retry | undefined;
  /**
   * Whether the request may be sent again when its fate is unknown. When absent: yes for methods that change nothing, for tools annotated
   * as read-only or idempotent, and for calls with a key that the server remembers. A request refused because its session is gone was not
   * carried out and is sent again in a new session, unless this is `false`.
   */
  replay?: boolean | undefined;
  /** Resumes the stream of an earlier request instead of sending this one, where the transport can. */
  resumptionToken?: string | undefined;
  /** Called with a token from which the stream of this request can be resumed: `resumptionToken` of a later one. */
  onresumptiontoken?: ((token: string) => void) | undefined;
  /** Extra headers, where the transport has headers. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * `use`: answer from the cache while the server's hints allow it. `refresh`: ask the server and cache the result. `bypass`: neither read
 * nor write the cache.
 */
export type CacheMode = 'use' | 'refresh' | 'bypass';

/** Options of a request whose result may come from the cache. */
export interface CacheableRequestOptions extends RequestOptions {
  /** Whether the cache is used; `use` when absent. */
  cacheMode?: CacheMode | undefined;
}

/** Options of a list. */
export interface ListRequestOptions extends CacheableRequestOptions {
  /** `1`: a single page, with its `nextCursor`. All pages when absent and no cursor is given. */
  pages?: 1 | undefined;
}

/** Options of a call of a tool. */
export interface CallToolOptions extends RequestOptions {
  /** Definition whose output schema the result is checked against; the one last listed when absent. */
  toolDefinition?: Tool | undefined;
  /**
   * Run the call as a task, where clients decide that; `ttl` asks the server to keep it for so many milliseconds. The call still waits for
   * the result.
   */
  task?: { ttl?: number } | undefined;
  /** Called with every status of the task that the call became. */
  onstatus?: ((task: Task) => void) | undefined;
  /**
   * Marks repeats as the same call: a server that supports keys carries it out once and answers every repeat with the first outcome. Must
   * be unguessable, such as a UUID. With such a server, a lost call is repeated automatically.
   */
  idempotencyKey?: string | undefined;
}

export interface DefaultTimers {
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface SendLimits {
  readonly idleMs: number;
  /** Milliseconds left of the total timeout; 0 means no limit. */
  readonly remainingMs: number;
  readonly progressOutlives?: boolean | undefined;
}

interface ProgressListening {
  hears(method: string): boolean;
  onproblem(problem: Error): void;
}

export function toOutgoing(options: RequestOptions, limits: SendLimits, told: ProgressListening): OutgoingOptions {
  const { signal, onprogress, relatedRequestId } = options;
  const idle = options.timeout ?? limits.idleMs;
  const total = limits.remainingMs;
  const isMovable = options.resetTimeoutOnProgress !== false;
  return {
    idleTimeoutMs: isMovable ? idle : 0,
    totalTimeoutMs: isMovable ? total : idle > 0 && total > 0 ? Math.min(idle, total) : Math.max(idle, total),
    signal,
    onprogress: onprogress && guarded(onprogress, told),
    relatedRequestId,
    progressOutlives: limits.progressOutlives,
  };
}

export function toSendOptions(
  options: RequestOptions,
  headers: RequestOptions['headers'] = options.headers,
): TransportSendOptions | undefined {
  const { resumptionToken, onresumptiontoken } = options;
  if (headers === undefined && resumptionToken === undefined && onresumptiontoken === undefined) return undefined;
  return {
    ...(headers && { headers }),
    ...(resumptionToken !== undefined && { resumptionToken }),
    ...(onresumptiontoken && { onresumptiontoken }),
  };
}

/** An error in the program's callback must not stop the reading of messages. */
function guarded(callback: ProgressCallback, told: ProgressListening): ProgressCallback {
  return (progress) => {
    if (!told.hears('notifications/progress')) return;
    attempt(
      () => callback(progress),
      (problem) => told.onproblem(problem),
    );
  };
}
