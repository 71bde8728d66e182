import {
  isJsonObject,
  type ErrorObject,
  type JSONRPCRequest,
  type JsonObject,
  type RequestId,
} from '../jsonrpc/message.ts';
import { TransportError } from '../protocol/errors.ts';
import type { Clock } from './clock.ts';
import { Deadlines } from './deadlines.ts';
import { IdTable } from './id-table.ts';
import type { Progress } from './progress.ts';

export interface RequestTimers {
  /** Longest silence in milliseconds; progress starts it anew. 0 or Infinity: none. */
  readonly idleTimeoutMs?: number | undefined;
  /** Longest time until the answer in milliseconds, with or without progress. 0 or Infinity: none. */
  readonly totalTimeoutMs?: number | undefined;
}

export interface OutgoingOptions extends RequestTimers {
  readonly signal?: AbortSignal | undefined;
  readonly onprogress?: ((progress: Progress) => void) | undefined;
  /** The incoming request on whose behalf this request is sent. */
  readonly relatedRequestId?: RequestId | undefined;
  /** False for the requests that open a connection (`server/discover`, `initialize`): they must not be cancelled on the wire. */
  readonly cancellable?: boolean | undefined;
  /** Keeps reporting progress after the answer, until `endProgress`: a task goes on. */
  readonly progressOutlives?: boolean | undefined;
}

/** The connection, as the table of outgoing requests uses it. */
export interface OutgoingPort {
  /** Throws or rejects when the request cannot be sent. */
  send(request: JSONRPCRequest, relatedRequestId: RequestId | undefined): Promise<void> | void;
  cancel(id: RequestId, reason: string, relatedRequestId: RequestId | undefined): void;
  readError(error: ErrorObject): Error;
}

/** Turns a result into the value that the caller waits for; usually a revision. An error that it throws rejects the caller's promise. */
export interface ResultReader<T> {
  readResult(method: string, result: JsonObject): T | PromiseLike<T>;
  /** Turns a failure into a value; without it the caller's promise rejects. */
  readFailure?(error: unknown): T | PromiseLike<T>;
}

interface Pending {
  readonly id: RequestId;
  readonly method: string;
  readonly options: OutgoingOptions;
  readonly startedAt: number;
  readonly reader: ResultReader<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Time of the last progress; `undefined` before the first. */
  lastActivity: number | undefined;
  readonly isLimited: boolean;
  abandon: (() => void) | undefined;
}

const NO_OPTIONS: OutgoingOptions = {};

/** The requests this side has sent and not yet seen answered. Ids grow and are never used twice. */
export class OutgoingRequests {
  /** Begins every id, where another peer has used numbers in the same session. */
  declare prefix: string | undefined;
  /** The time at which the silence of all requests was last broken, if something else than progress breaks it. */
  declare brokenAt: ((now: number) => number) | undefined;
  readonly #port: OutgoingPort;
  readonly #clock: Clock;
  /** Keeps its places: there are as many as the program needs, and with 1,024 calls in flight a call takes an eighth less (bench, w16). */
  readonly #pending = new IdTable<Pending>(Number.POSITIVE_INFINITY);
  // Made on first use: most connections of a server send no requests, and there may be many of them.
  #deadlines: Deadlines | undefined;
  /** Ids of the requests sent on behalf of an incoming one, by the id of the latter. */
  #related: Map<RequestId, Set<RequestId>> | undefined;
  /** Progress listeners of requests that have been answered but whose progress goes on. */
  #outliving: Map<RequestId, (progress: Progress) => void> | undefined;
  #nextId = 1;
  /** Time of the last message of any kind that came while a request was waiting. */
  #lastReceivedAt = Number.NEGATIVE_INFINITY;

  constructor(port: OutgoingPort, clock: Clock) {
    this.#port = port;
    this.#clock = clock;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Reserves an id, so that params can carry it as their progress token before the request is sent. */
  reserveId(): RequestId {
    const number = this.#nextId++;
    return this.prefix === undefined ? number : this.prefix + number;
  }

  /** Whether this side ever used the id. Tells a late answer from an unsolicited one. */
  wasIssued(id: unknown): boolean {
    return typeof id === 'number' && id >= 1 && id < this.#nextId;
  }

  /** Whether the request with this id is still unanswered. */
  isWaiting(id: RequestId): boolean {
    return this.#pending.has(id);
  }

  /** Sends a request. `now` is the current time, where the caller has just read the clock. */
  send<T>(
    request: JSONRPCRequest,
    reader: ResultReader<T>,
    options: OutgoingOptions = NO_OPTIONS,
    now: number = this.#clock.now(),
  ): Promise<T> {
    const { signal, relatedRequestId } = options;
    if (signal?.aborted) return Promise.reject(abortError(request.method, signal));
    const patienceMs = patienceOf(options);
    let resolve!: Pending['resolve'];
    let reject!: Pending['reject'];
    const promise = new Promise<unknown>((fulfill, fail) => {
      resolve = fulfill;
      reject = fail;
    });
    const pending: Pending = {
      id: request.id,
      method: request.method,
      options,
      startedAt: now,
      reader,
      resolve,
      reject,
      lastActivity: undefined,
      isLimited: patienceMs !== Number.POSITIVE_INFINITY,
      abandon: undefined,
    };
    this.#pending.set(request.id, pending);
    if (signal) this.#follow(pending, signal);
    if (relatedRequestId !== undefined) this.#relate(request.id, relatedRequestId);
    if (pending.isLimited) this.#limit(patienceMs, now);
    try {
      const sent = this.#port.send(request, relatedRequestId);
      if (sent !== undefined) sent.catch((error: unknown) => failed(this.#take(request.id), error));
    } catch (error) {
      failed(this.#take(request.id), error);
    }
    return promise as Promise<T>;
  }

  #follow(pending: Pending, signal: AbortSignal): void {
    pending.abandon = () => this.#abandon(pending.id, abortError(pending.method, signal), String(signal.reason));
    signal.addEventListener('abort', pending.abandon, { once: true });
  }

  #relate(id: RequestId, relatedRequestId: RequestId): void {
    this.#related ??= new Map();
    const ids = this.#related.get(relatedRequestId);
    if (ids === undefined) this.#related.set(relatedRequestId, new Set([id]));
    else ids.add(id);
  }

  #limit(patienceMs: number, now: number): void {
    this.#deadlines ??= new Deadlines(this.#clock, (then) => this.#expire(then));
    this.#deadlines.add(patienceMs, now);
  }

  /** Notes that a message of any kind has come. The time appears in the error text of a timeout, so it is read only while a request is waiting. */
  noteReceived(): void {
    if (this.#pending.size > 0) this.#lastReceivedAt = this.#clock.now();
  }

  /** Settles a request with its result. Returns false when no request waits under this id. */
  settle(id: RequestId, result: JsonObject): boolean {
    const pending = this.#take(id);
    if (pending === undefined) return false;
    const { onprogress, progressOutlives } = pending.options;
    if (progressOutlives === true && onprogress !== undefined) (this.#outliving ??= new Map()).set(id, onprogress);
    try {
      pending.resolve(pending.reader.readResult(pending.method, result));
    } catch (error) {
      pending.reject(error);
    }
    return true;
  }

  fail(id: RequestId, error: ErrorObject | Error): boolean {
    const pending = this.#take(id);
    if (pending === undefined) return false;
    failed(pending, error instanceof Error ? error : this.#port.readError(error));
    return true;
  }

  /** Passes progress to the listener of its request and returns what the listener returned. Progress of an unknown or ended request is ignored: it may be late. */
  progress(params: JsonObject | undefined): unknown {
    if (!isJsonObject(params) || typeof params['progress'] !== 'number') return undefined;
    const token = params['progressToken'] as RequestId;
    const pending = this.#pending.get(token);
    const onprogress = pending === undefined ? this.#outliving?.get(token) : pending.options.onprogress;
    if (pending !== undefined) pending.lastActivity = this.#clock.now();
    const { progress, total, message } = params;
    const value: Progress = { progress };
    if (typeof total === 'number') value.total = total;
    if (typeof message === 'string') value.message = message;
    return onprogress?.(value);
  }

  /** Ends the progress of a request whose progress outlived its answer. */
  endProgress(id: RequestId): void {
    this.#outliving?.delete(id);
  }

  /** Fails all requests, as when the connection has closed. Sends nothing. */
  failAll(reason: (method: string, id: RequestId) => Error): void {
    for (const [id] of this.#pending.entries()) {
      const pending = this.#take(id);
      if (pending !== undefined) failed(pending, reason(pending.method, id));
    }
    this.#deadlines?.stop();
    this.#outliving?.clear();
  }

  /** Fails the requests sent on behalf of an incoming request that is over, and cancels them at the peer. */
  abandonRelated(relatedRequestId: RequestId, reason: string): void {
    const ids = this.#related?.get(relatedRequestId);
    if (ids === undefined) return;
    for (const id of ids) this.#abandon(id, new TransportError('aborted', reason), reason);
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    const { options, isLimited, abandon } = pending;
    if (isLimited) this.#deadlines?.delete();
    if (abandon) options.signal?.removeEventListener('abort', abandon);
    if (options.relatedRequestId !== undefined) this.#unrelate(id, options.relatedRequestId);
    return pending;
  }

  #unrelate(id: RequestId, relatedRequestId: RequestId): void {
    const ids = this.#related?.get(relatedRequestId);
    ids?.delete(id);
    if (ids?.size === 0) this.#related?.delete(relatedRequestId);
  }

  #abandon(id: RequestId, error: unknown, reason: string): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    if (pending.options.cancellable !== false) this.#port.cancel(id, reason, pending.options.relatedRequestId);
    failed(pending, error);
  }

  /** Fails the requests whose deadline has passed. Progress only stores a time; it moves the deadline here. */
  #expire(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    const brokenAt = this.brokenAt?.(now) ?? 0;
    for (const [id, pending] of this.#pending.entries()) {
      if (!pending.isLimited) continue;
      const deadline = deadlineOf(pending, brokenAt);
      if (deadline > now) next = Math.min(next, deadline);
      else {
        const error = this.#timeoutError(pending, now);
        this.#abandon(id, error, error.message);
      }
    }
    return next;
  }

  #timeoutError(pending: Pending, now: number): TransportError {
    const { totalTimeoutMs } = pending.options;
    const timer = isLimit(totalTimeoutMs) && pending.startedAt + totalTimeoutMs <= now ? 'total' : 'idle';
    const timeoutMs = timer === 'idle' ? pending.options.idleTimeoutMs : pending.options.totalTimeoutMs;
    const elapsedMs = now - pending.startedAt;
    const what =
      timer === 'idle'
        ? `no answer and no progress for ${timeoutMs} ms (idle timeout)`
        : `not finished after ${timeoutMs} ms (total timeout)`;
    const sinceLastMessageMs = this.#lastReceivedAt < pending.startedAt ? undefined : now - this.#lastReceivedAt;
    const silence =
      sinceLastMessageMs === undefined
        ? 'no message of any kind has come since it was sent'
        : `the last message of any kind came ${sinceLastMessageMs} ms ago`;
    return new TransportError(
      timer === 'idle' ? 'idle-timeout' : 'total-timeout',
      `${pending.method}: ${what}; ${silence}.`,
      { method: pending.method, timer, timeoutMs, elapsedMs, sinceLastMessageMs },
    );
  }
}

function failed(pending: Pending | undefined, error: unknown): void {
  if (pending?.reader.readFailure === undefined) pending?.reject(error);
  else pending.resolve(pending.reader.readFailure(error));
}

const isLimit = (ms: number | undefined): ms is number => ms !== undefined && ms > 0 && ms < Number.POSITIVE_INFINITY;

/** Milliseconds that a request may take without any progress; infinity without a limit. */
function patienceOf({ idleTimeoutMs, totalTimeoutMs }: RequestTimers): number {
  const idle = isLimit(idleTimeoutMs) ? idleTimeoutMs : Number.POSITIVE_INFINITY;
  return isLimit(totalTimeoutMs) && totalTimeoutMs < idle ? totalTimeoutMs : idle;
}

/** The time at which a request has taken too long. `brokenAt`: when the silence of all requests was last broken. */
function deadlineOf({ options, startedAt, lastActivity = startedAt }: Pending, brokenAt: number): number {
  const { idleTimeoutMs, totalTimeoutMs } = options;
  const heardAt = Math.max(lastActivity, brokenAt);
  const idle = isLimit(idleTimeoutMs) ? heardAt + idleTimeoutMs : Number.POSITIVE_INFINITY;
  const total = isLimit(totalTimeoutMs) ? startedAt + totalTimeoutMs : Number.POSITIVE_INFINITY;
  return Math.min(idle, total);
}

/** The signal's own reason where it is an error, as `fetch` does it. */
function abortError(method: string, signal: AbortSignal | undefined): unknown {
  const reason: unknown = signal?.reason;
  if (reason instanceof Error && reason.name !== 'AbortError') return reason;
  return new TransportError('aborted', `${method} was cancelled by the caller.`, { method }, { cause: reason });
}
