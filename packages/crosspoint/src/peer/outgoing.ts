import {
  isJsonObject,
  type ErrorObject,
  type JSONRPCRequest,
  type JsonObject,
  type RequestId,
} from '../jsonrpc/message.ts';
import { TransportError } from '../protocol/errors.ts';
import type { Clock } from './clock.ts';
import type { Progress } from './progress.ts';

export interface RequestTimers {
  /** Longest silence: progress starts it anew. 0 or Infinity: none. */
  readonly idleTimeoutMs?: number;
  /** Longest life whatever happens. 0 or Infinity: none. */
  readonly totalTimeoutMs?: number;
}

export interface OutgoingOptions extends RequestTimers {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
  /** The incoming request on whose behalf this one is sent. */
  readonly relatedRequestId?: RequestId;
  /** False for the one request that must not be cancelled on the wire. */
  readonly cancellable?: boolean;
}

/** What the table needs from the connection it belongs to. */
export interface OutgoingPort {
  /** Throws or rejects when the request cannot be sent. */
  send(request: JSONRPCRequest, relatedRequestId: RequestId | undefined): Promise<void> | void;
  cancel(id: RequestId, reason: string, relatedRequestId: RequestId | undefined): void;
  readError(error: ErrorObject): Error;
  /** When the last message came in, for error texts. */
  lastReceivedAt(): number;
}

interface Pending {
  readonly method: string;
  readonly options: OutgoingOptions;
  readonly startedAt: number;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  lastActivity: number;
  timer: unknown;
  abandon: (() => void) | undefined;
}

/** Timers beyond this fire at once instead; a longer wait is made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const isLimit = (ms: number | undefined): ms is number => ms !== undefined && ms > 0 && ms < Number.POSITIVE_INFINITY;

/** The requests this side has sent and not yet seen answered. Ids grow and are never used twice. */
export class OutgoingRequests {
  readonly #port: OutgoingPort;
  readonly #clock: Clock;
  readonly #pending = new Map<RequestId, Pending>();
  #nextId = 1;

  constructor(port: OutgoingPort, clock: Clock) {
    this.#port = port;
    this.#clock = clock;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Reserves an id, so that params can carry it as their progress token before the request is sent. */
  reserveId(): number {
    return this.#nextId++;
  }

  /** Whether this side ever used the id: tells a late answer from one that nobody asked for. */
  wasIssued(id: unknown): boolean {
    return typeof id === 'number' && id >= 1 && id < this.#nextId;
  }

  /** Whether someone still waits for this id. */
  isWaiting(id: RequestId): boolean {
    return this.#pending.has(id);
  }

  send(
    id: RequestId,
    method: string,
    params: JsonObject | undefined,
    options: OutgoingOptions = {},
  ): Promise<JsonObject> {
    return new Promise<JsonObject>((resolve, reject) => {
      if (options.signal?.aborted) {
        reject(abortError(method, options.signal));
        return;
      }
      const now = this.#clock.now();
      const pending: Pending = {
        method,
        options,
        startedAt: now,
        resolve,
        reject,
        lastActivity: now,
        timer: undefined,
        abandon: undefined,
      };
      this.#pending.set(id, pending);
      if (options.signal) {
        pending.abandon = () =>
          this.#abandon(id, abortError(method, options.signal), 'The caller cancelled the request.');
        options.signal.addEventListener('abort', pending.abandon, { once: true });
      }
      this.#arm(id, pending);
      try {
        const request: JSONRPCRequest =
          params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
        const sent = this.#port.send(request, options.relatedRequestId);
        if (sent !== undefined) sent.catch((error: unknown) => this.#take(id)?.reject(error));
      } catch (error) {
        this.#take(id)?.reject(error);
      }
    });
  }

  /** False when nobody waits for this id. */
  settle(id: RequestId, result: JsonObject): boolean {
    const pending = this.#take(id);
    pending?.resolve(result);
    return pending !== undefined;
  }

  fail(id: RequestId, error: ErrorObject | Error): boolean {
    const pending = this.#take(id);
    if (pending === undefined) return false;
    pending.reject(error instanceof Error ? error : this.#port.readError(error));
    return true;
  }

  /** Progress of a request still waiting; anything else is ignored, as it may merely be late. */
  progress(params: JsonObject | undefined): void {
    if (!isJsonObject(params) || typeof params['progress'] !== 'number') return;
    const pending = this.#pending.get(params['progressToken'] as RequestId);
    if (pending === undefined) return;
    pending.lastActivity = this.#clock.now();
    const { progress, total, message } = params;
    const value: Progress = { progress };
    if (typeof total === 'number') value.total = total;
    if (typeof message === 'string') value.message = message;
    pending.options.onprogress?.(value);
  }

  /** Ends everything, as when the connection has closed. Nothing is sent. */
  failAll(reason: (method: string) => Error): void {
    for (const id of this.#pending.keys()) {
      const pending = this.#take(id);
      pending?.reject(reason(pending.method));
    }
  }

  /** Ends the requests sent on behalf of an incoming one that is over, and tells the peer. */
  abandonRelated(relatedRequestId: RequestId, reason: string): void {
    for (const [id, pending] of this.#pending) {
      if (pending.options.relatedRequestId === relatedRequestId)
        this.#abandon(id, new TransportError('aborted', reason), reason);
    }
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    if (pending.timer !== undefined) this.#clock.clearTimeout(pending.timer);
    if (pending.abandon) pending.options.signal?.removeEventListener('abort', pending.abandon);
    return pending;
  }

  #abandon(id: RequestId, error: unknown, reason: string): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    if (pending.options.cancellable !== false) this.#port.cancel(id, reason, pending.options.relatedRequestId);
    pending.reject(error);
  }

  /** One timer a request: activity moves a number, and the timer looks at it when it fires. */
  #arm(id: RequestId, pending: Pending): void {
    const { idleTimeoutMs, totalTimeoutMs } = pending.options;
    const now = this.#clock.now();
    const idleLeft = isLimit(idleTimeoutMs) ? pending.lastActivity + idleTimeoutMs - now : Number.POSITIVE_INFINITY;
    const totalLeft = isLimit(totalTimeoutMs) ? pending.startedAt + totalTimeoutMs - now : Number.POSITIVE_INFINITY;
    const left = Math.min(idleLeft, totalLeft);
    if (left === Number.POSITIVE_INFINITY) return;
    if (left <= 0) {
      const error = this.#timeoutError(pending, totalLeft <= 0 ? 'total' : 'idle', now);
      this.#abandon(id, error, error.message);
      return;
    }
    pending.timer = this.#clock.setTimeout(() => this.#arm(id, pending), Math.min(left, LONGEST_TIMER_MS));
  }

  #timeoutError(pending: Pending, timer: 'idle' | 'total', now: number): TransportError {
    const timeoutMs = timer === 'idle' ? pending.options.idleTimeoutMs : pending.options.totalTimeoutMs;
    const sinceLastMessageMs = now - this.#port.lastReceivedAt();
    const elapsedMs = now - pending.startedAt;
    const what =
      timer === 'idle'
        ? `no answer and no progress for ${timeoutMs} ms (idle timeout)`
        : `not finished after ${timeoutMs} ms (total timeout)`;
    return new TransportError(
      timer === 'idle' ? 'idle-timeout' : 'total-timeout',
      `${pending.method}: ${what}; the last message of any kind came ${sinceLastMessageMs} ms ago.`,
      { method: pending.method, timer, timeoutMs, elapsedMs, sinceLastMessageMs },
    );
  }
}

/** The caller's own reason where it gave one, as `fetch` does. */
function abortError(method: string, signal: AbortSignal | undefined): unknown {
  const reason: unknown = signal?.reason;
  if (reason instanceof Error && reason.name !== 'AbortError') return reason;
  return new TransportError('aborted', `${method} was cancelled by the caller.`, { method }, { cause: reason });
}
