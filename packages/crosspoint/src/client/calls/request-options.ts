import type { RequestId } from '../../jsonrpc/message.ts';
import type { OutgoingOptions } from '../../peer/outgoing.ts';
import type { Progress } from '../../peer/progress.ts';
import type { Retry } from '../../protocol/outcome.ts';
import type { Task } from '../../protocol/tasks.ts';
import type { Tool } from '../../protocol/tools.ts';
import { attempt } from '../../runtime/guard.ts';
import type { TransportSendOptions } from '../../transports/transport.ts';

export type ProgressCallback = (progress: Progress) => void;

/** What to do when the server asks for input: answer with the handlers and call again, or hand the questions to the caller. */
export type InputMode = 'auto' | 'manual';

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Longest silence in milliseconds; 0: none. Progress counts as a sign of life. */
  timeout?: number | undefined;
  /** Longest life in milliseconds, whatever happens; 0: none. */
  maxTotalTimeout?: number | undefined;
  /** False makes `timeout` a limit that progress does not move. */
  resetTimeoutOnProgress?: boolean | undefined;
  onprogress?: ProgressCallback | undefined;
  relatedRequestId?: RequestId | undefined;
  inputRequired?: InputMode | undefined;
  /** The answers to an `InputRequiredError`, for callers who gather them themselves. */
  retry?: Retry | undefined;
  /**
   * Whether the request may be sent again when nobody knows whether it was carried out. When absent: yes for what changes nothing, and for
   * tools that say of themselves that they are idempotent or only read.
   */
  replay?: boolean | undefined;
  /** Goes on with a stream of an earlier request instead of sending this one, where the transport can. */
  resumptionToken?: string | undefined;
  onresumptiontoken?: ((token: string) => void) | undefined;
  /** Sent beside the request where the transport has headers. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** `use` answers from memory while the server's hints allow it, `refresh` asks and remembers, `bypass` does neither. */
export type CacheMode = 'use' | 'refresh' | 'bypass';

export interface CacheableRequestOptions extends RequestOptions {
  cacheMode?: CacheMode | undefined;
}

export interface ListRequestOptions extends CacheableRequestOptions {
  /** 1: only one page, with its `nextCursor`. All pages when absent and no cursor is given. */
  pages?: 1 | undefined;
}

export interface CallToolOptions extends RequestOptions {
  /** Whose output schema the result is held against; the one last listed when absent. */
  toolDefinition?: Tool | undefined;
  /** Run it as a task where clients decide that, kept for `ttl` milliseconds if the server agrees. The call waits for its end all the same. */
  task?: { ttl?: number } | undefined;
  /** Told of every status that is seen of a task that the call became. */
  onstatus?: ((task: Task) => void) | undefined;
  /**
   * Says that this call is the same however often it is sent: a server that remembers keys carries it out once and answers every repeat with the
   * first outcome. Unguessable, such as a UUID. With a server that has promised to remember, a lost call is sent again by itself.
   */
  idempotencyKey?: string | undefined;
}

export interface DefaultTimers {
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface SendLimits {
  readonly idleMs: number;
  /** What is left of the longest life; 0: no limit. */
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

/** A callback of the program that fails must not end the reading of messages. */
function guarded(callback: ProgressCallback, told: ProgressListening): ProgressCallback {
  return (progress) => {
    if (!told.hears('notifications/progress')) return;
    attempt(
      () => callback(progress),
      (problem) => told.onproblem(problem),
    );
  };
}
