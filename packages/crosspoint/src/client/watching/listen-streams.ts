import { isJsonObject, type JSONRPCNotification, type JsonObject, type RequestId } from '../../jsonrpc/message.ts';
import { pause } from '../../peer/clock.ts';
import { ProtocolError, TransportError } from '../../protocol/errors.ts';
import { META_SUBSCRIPTION_ID } from '../../protocol/meta.ts';
import { clientWordsOf } from '../../revisions/client-words.ts';
import { asError } from '../../runtime/guard.ts';
import { follow } from '../calls/abort.ts';
import { RELISTEN, SETTLED_MS, backoff } from '../connecting/healing.ts';
import { failureKind } from '../calls/replay.ts';
import { metaOf, type ClientConnection } from '../connecting/connection.ts';
import type { Message, NotificationHandler } from '../answering/handlers.ts';
import type { Loss } from '../connecting/link.ts';
import type { Engine } from '../engine.ts';

/** Which notifications a stream carries; each kind is requested by name. */
export interface SubscriptionFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  resourceSubscriptions?: string[];
  /** Tasks (of the tasks extension) whose status is reported. */
  taskIds?: string[];
}

/** Cause of the end of a stream: `local`, this side; `graceful`, the server; `remote`, an error. */
export type ListenEnd = 'local' | 'graceful' | 'remote';

export interface ListenHandle {
  /** Filter that the server agreed to; may be less than requested. */
  readonly honored: SubscriptionFilter;
  /** The official SDK's name for `honored`. */
  readonly honoredFilter: SubscriptionFilter;
  readonly closed: Promise<ListenEnd>;
  close(): void;
}

export interface ListenOptions {
  /** Closes the stream when aborted. */
  signal?: AbortSignal | undefined;
  /** Additional filter members of extensions, with their items. */
  filters?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Called with the notifications of this stream only. */
  onnotification?: NotificationHandler | undefined;
  /** Called when another connection carries the stream. Changes in between were not reported. */
  onrestored?: (() => void) | undefined;
}

/** One stream over its lifetime; several connections may carry it in turn. */
class ListenStream implements ListenHandle {
  readonly filter: SubscriptionFilter;
  readonly onnotification: NotificationHandler | undefined;
  readonly onrestored: (() => void) | undefined;
  readonly closed: Promise<ListenEnd>;
  /** Whether notifications above the client's limits are dropped. False for callers that merge changes themselves. */
  readonly isLimited: boolean;
  honored: SubscriptionFilter = {};
  get honoredFilter(): SubscriptionFilter {
    return this.honored;
  }
  /** Id of the request that carries the stream now. */
  id: RequestId | undefined;
  acknowledge: ((honored: SubscriptionFilter) => void) | undefined;
  /** Time of the last acknowledgement. */
  acknowledgedAt: number | undefined;
  /** Failures since the stream last stayed open for `SETTLED_MS`. */
  failures = 0;
  readonly controller = new AbortController();
  readonly #settle: (end: ListenEnd) => void;
  readonly #release: (listen: ListenStream) => void;

  constructor(
    filter: SubscriptionFilter,
    options: ListenOptions & { readonly isLimited: boolean },
    release: (listen: ListenStream) => void,
  ) {
    this.isLimited = options.isLimited;
    this.filter = options.filters === undefined ? filter : { ...filter, ...options.filters };
    this.onnotification = options.onnotification;
    this.onrestored = options.onrestored;
    this.#release = release;
    const { promise, resolve } = withResolver<ListenEnd>();
    this.closed = promise;
    this.#settle = resolve;
  }

  end(how: ListenEnd): void {
    this.#settle(how);
    this.#release(this);
  }

  close(): void {
    this.end('local');
    this.controller.abort();
  }
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Notifications that arrive only on a stream. */
const STREAMED: ReadonlySet<string> = new Set([
  'notifications/subscriptions/acknowledged',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/tasks',
]);

/** The `subscriptions/listen` streams of a client, by the id of the request that opened them. */
export class ClientListenStreams {
  readonly #engine: Engine;
  readonly #open = new Set<ListenStream>();
  readonly #byId = new Map<RequestId, ListenStream>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Opens a stream; resolves when the server has acknowledged it. `isLimited`: notifications above the client's limits are dropped. */
  async listen(filter: SubscriptionFilter, options: ListenOptions = {}, isLimited = false): Promise<ListenHandle> {
    const listen = new ListenStream(filter, { ...options, isLimited }, (ended) => this.#release(ended));
    const connection = await this.#engine.link.connection(options.signal);
    this.#open.add(listen);
    const unfollow = follow(listen.controller, options.signal);
    void listen.closed.then(unfollow);
    try {
      await this.#carry(listen, connection);
      return listen;
    } catch (error) {
      listen.close();
      throw error;
    }
  }

  /**
   * Delivers a notification. `used`: consumed here; `event`: of an open stream; `stray`: of no open stream; `unrelated`: not of a stream.
   */
  route(
    connection: ClientConnection,
    notification: JSONRPCNotification,
    isHeard: boolean,
  ): 'used' | 'event' | 'stray' | 'unrelated' {
    const { method, params } = notification;
    if (method === 'notifications/cancelled') return this.#cancelled(connection, params);
    const subscription = metaOf(notification)?.[META_SUBSCRIPTION_ID];
    if (subscription === undefined) return STREAMED.has(method) ? 'stray' : 'unrelated';
    const listen = this.#byId.get(subscription as RequestId);
    if (listen === undefined) return connection.peer.outgoing.wasIssued(subscription) ? 'used' : 'stray';
    if (method === 'notifications/subscriptions/acknowledged') {
      const honored = params?.['notifications'];
      listen.acknowledge?.(isJsonObject(honored) ? honored : {});
      return 'used';
    }
    if (isHeard || !listen.isLimited) this.#deliver(listen, notification);
    return 'event';
  }

  /** The connection was lost. While it is being restored the streams wait, otherwise they end. */
  onlost(loss: Loss): void {
    this.#byId.clear();
    for (const listen of this.#open) {
      listen.id = undefined;
      if (loss !== 'healing') listen.end(loss === 'closed' ? 'local' : 'remote');
    }
  }

  /** Opens all streams again on the new connection. */
  restore(connection: ClientConnection): void {
    for (const listen of this.#open) {
      this.#carry(listen, connection).then(
        () => this.#restored(listen),
        (error: unknown) => {
          this.#report(error);
          if (!connection.closed) listen.end('remote');
        },
      );
    }
  }

  #carry(listen: ListenStream, connection: ClientConnection): Promise<void> {
    const { peer, revision } = connection;
    const method = 'subscriptions/listen';
    if (!revision.methods.has(method))
      return Promise.reject(
        new ProtocolError('method-not-found', `${method} is not part of the protocol revision in use, ${revision.id}.`),
      );
    const id = peer.outgoing.reserveId();
    listen.id = id;
    this.#byId.set(id, listen);
    const params = clientWordsOf(revision).writeRequest({
      method,
      params: { notifications: listen.filter },
      facts: this.#engine.facts,
    });
    const answered = peer.request(id, method, params, { signal: listen.controller.signal });
    return new Promise<void>((resolve, reject) => {
      const { clock } = this.#engine;
      const acknowledgeMs = this.#engine.timers.idleMs;
      const late = (): void =>
        reject(
          new TransportError('idle-timeout', `${method}: no acknowledgement for ${acknowledgeMs} ms.`, {
            method,
            timeoutMs: acknowledgeMs,
          }),
        );
      const timer = acknowledgeMs > 0 ? clock.setTimeout(late, acknowledgeMs) : undefined;
      listen.acknowledge = (honored) => {
        clock.clearTimeout(timer);
        listen.honored = honored;
        listen.acknowledgedAt = clock.now();
        resolve();
      };
      const over = (how: ListenEnd, error: unknown): void => {
        clock.clearTimeout(timer);
        reject(
          error instanceof Error
            ? error
            : new TransportError('closed', `${method}: the server ended the stream before it acknowledged it.`, {
                method,
              }),
        );
        if (listen.id !== id) return;
        if (listen.controller.signal.aborted) listen.end('local');
        else if (
          how === 'graceful' ||
          connection.closed ||
          listen.acknowledgedAt === undefined ||
          failureKind(error) === 'final'
        )
          listen.end(how);
        else void this.#again(listen, connection, listen.acknowledgedAt);
      };
      answered.then(
        (result: JsonObject) => over('graceful', result),
        (error: unknown) => over('remote', error),
      );
    });
  }

  /** Reopens a stream that broke while the connection still stands, with growing delays until one stays open. */
  async #again(listen: ListenStream, connection: ClientConnection, acknowledgedAt: number): Promise<void> {
    const { clock } = this.#engine;
    this.#byId.delete(listen.id as RequestId);
    listen.id = undefined;
    if (clock.now() - acknowledgedAt > SETTLED_MS) listen.failures = 0;
    await pause(backoff(listen.failures, RELISTEN, Math.random()), clock, listen.controller.signal);
    listen.failures += 1;
    // The stream may have been closed meanwhile, or moved to another connection.
    if (!this.#open.has(listen) || listen.id !== undefined || connection.closed) return;
    // Changes in between were not reported, so `onrestored` is called.
    await this.#carry(listen, connection).then(
      () => this.#restored(listen),
      (error: unknown) => this.#report(error),
    );
  }

  /** The server cancelled the request that carries the stream: the second way to end one. A response that still arrives is ignored. */
  #cancelled(connection: ClientConnection, params: JsonObject | undefined): 'used' | 'unrelated' {
    const id = params?.['requestId'] as RequestId;
    const listen = this.#byId.get(id);
    if (listen === undefined) return 'unrelated';
    listen.end('graceful');
    connection.peer.outgoing.fail(
      id,
      new TransportError('closed', 'subscriptions/listen: the server ended the stream.'),
    );
    return 'used';
  }

  #deliver(listen: ListenStream, notification: Message): void {
    this.#engine.guard(() => listen.onnotification?.(notification, {}));
  }

  #restored(listen: ListenStream): void {
    this.#engine.guard(() => listen.onrestored?.());
  }

  #report(error: unknown): void {
    this.#engine.onproblem(asError(error));
  }

  #release(listen: ListenStream): void {
    this.#open.delete(listen);
    if (listen.id !== undefined) this.#byId.delete(listen.id);
    listen.id = undefined;
  }
}
