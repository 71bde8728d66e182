import { asError, attempt, report } from '../../runtime/guard.ts';
import {
  isJsonObject,
  type JSONRPCBatch,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JsonObject,
  type RequestId,
} from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { OutgoingOptions, ResultReader } from '../../peer/outgoing.ts';
import { Peer, type PeerSide } from '../../peer/peer.ts';
import { ProtocolError, TransportError } from '../../protocol/errors.ts';
import { ofItsClass } from '../../protocol/messages/error-classes.ts';
import type { Outbound, Outcome } from '../../protocol/outcome.ts';
import { clientWordsOf } from '../../revisions/client-words.ts';
import type { ClientWords, Revision } from '../../revisions/revision.ts';
import { httpFailureOf } from '../../transports/http/client/http-failure.ts';
import { observe } from '../../transports/attach-side.ts';
import type {
  MessageExtraInfo,
  RestartableTransport,
  Transport,
  TransportSendOptions,
} from '../../transports/transport.ts';
import { Outbox } from './outbox.ts';
import { httpOf } from '../../revisions/http-rules.ts';

/** Callbacks of the client for its connection. None of them may throw. */
export interface ConnectionSide {
  onrequest(connection: ClientConnection, request: JSONRPCRequest, extra: MessageExtraInfo | undefined): void;
  onnotification(
    connection: ClientConnection,
    notification: JSONRPCNotification,
    extra: MessageExtraInfo | undefined,
  ): void;
  /** The server cancelled one of its own requests before it was answered. */
  oncancel(id: RequestId, reason: string | undefined): void;
  onproblem(problem: Error): void;
  /** Called once. Pending requests still wait; this callback settles them with `peer.close`. */
  onclosed(connection: ClientConnection): void;
}

/** Callbacks that the program had set on the transport before connecting; they are still called. */
export type TransportObservers = Pick<Transport, 'onclose' | 'onerror' | 'onmessage'>;

/** A request to send. `progressToken` is its id; a caller that must know the id reserves it first. */
export interface ClientCall extends Outbound {
  /** Transport options for this request, such as extra headers. */
  readonly send?: TransportSendOptions | undefined;
  /** Current time, from a caller that has just read the clock. */
  readonly sentAt?: number | undefined;
}

/** One run of a transport, from start to close, with the revision in use. */
export class ClientConnection {
  readonly transport: Transport;
  readonly peer: Peer;
  readonly #side: ConnectionSide;
  readonly #observers: TransportObservers;
  /** Queue of answers and notifications waiting to be sent. Requests and cancellations bypass it. */
  readonly #outbox = new Outbox((message, relatedRequestId) => this.#send(message, relatedRequestId));
  #revision: Revision;
  #words: ClientWords;
  /** Transport options (headers, related request) for the message currently being sent. */
  #sendOptions: TransportSendOptions | undefined;
  readonly #told = { onerror: (error: Error): void => this.#side.onproblem(error) };
  #answers = false;
  /** Time of the last answer or notification to the server. */
  #answeredAt = 0;
  #closed = false;

  constructor(
    transport: Transport,
    revision: Revision,
    setup: { side: ConnectionSide; observers: TransportObservers; clock: Clock },
  ) {
    this.transport = transport;
    this.#revision = revision;
    this.#words = clientWordsOf(revision);
    this.#side = setup.side;
    this.#observers = setup.observers;
    this.peer = new Peer(this.#peerSide(setup.clock), setup.clock);
    // A call may wait for the answer to a question of the server, as for that of a person: meanwhile the server is not silent.
    this.peer.outgoing.brokenAt = (now) => (this.peer.inFlight > 0 ? now : this.#answeredAt);
    // Another process has used ids in a session that it opened.
    if ((transport as Partial<RestartableTransport>).resumed) this.peer.outgoing.prefix = `${crypto.randomUUID()}-`;
    transport.onmessage = (message, extra) => {
      const { onmessage } = this.#observers;
      if (onmessage) observe(onmessage, this.#told, message, extra);
      this.peer.receive(message, extra);
    };
    transport.onbadframe = (frame) => this.peer.receiveBadFrame(frame);
    transport.onerror = (error) => {
      report(this.#observers.onerror, error);
      this.#side.onproblem(error);
    };
    transport.onclose = () => this.#onclose();
  }

  get revision(): Revision {
    return this.#revision;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether requests of the server are answered: only in revisions with a handshake. */
  get answers(): boolean {
    return this.#answers;
  }

  /** Whether the outbox is full because the server does not read its answers; its further requests are then dropped. */
  get isOverrun(): boolean {
    return this.#outbox.isFull;
  }

  useRevision(revision: Revision): void {
    this.#revision = revision;
    this.#words = clientWordsOf(revision);
    this.#answers = revision.family === 'handshake';
    this.transport.setHttpRules?.(httpOf(revision));
  }

  /** Sends a request. Its id is also its progress token, so that progress restarts the idle timeout of every request. */
  call(call: ClientCall, options?: OutgoingOptions): Promise<Outcome>;
  call<T>(call: ClientCall, options: OutgoingOptions, reader: ResultReader<T>): Promise<T>;
  call(call: ClientCall, options?: OutgoingOptions, reader: ResultReader<unknown> = this.#words): Promise<unknown> {
    const { method, progressToken: id } = call;
    if (id === undefined)
      return this.call({ ...call, progressToken: this.peer.outgoing.reserveId() }, options ?? {}, reader);
    const request = { jsonrpc: '2.0', id, method, params: this.#words.writeRequest(call) } as const;
    this.#sendOptions = call.send;
    const outcome = this.peer.outgoing.send(request, reader, options, call.sentAt);
    // The transport was called synchronously, or never will be.
    this.#sendOptions = undefined;
    return outcome;
  }

  /** Sends a notification without queueing it. Resolves when the transport has sent it; over HTTP, when the server has accepted it. */
  async tell(method: string): Promise<void> {
    try {
      await this.#send({ jsonrpc: '2.0', method }, undefined);
    } catch (error) {
      this.#side.onproblem(asError(error));
    }
  }

  /** Closes the transport. `onclosed` has been called when this resolves. */
  async close(): Promise<void> {
    try {
      await this.transport.close();
    } catch (error) {
      this.#side.onproblem(asError(error));
    }
    this.#onclose();
  }

  /** Gives the transport its own callbacks back and leaves it open. Sends nothing from then on. */
  release(): void {
    this.#closed = true;
    this.#outbox.close();
    Object.assign(this.transport, {
      onbadframe: undefined,
      onmessage: this.#observers.onmessage,
      onerror: this.#observers.onerror,
      onclose: this.#observers.onclose,
    });
  }

  #peerSide(clock: Clock): PeerSide {
    const side = this.#side;
    return {
      send: (message, relatedRequestId) => {
        if (this.#closed) throw new TransportError('closed', 'The connection is closed.');
        if (isOwn(message)) return this.#send(message, relatedRequestId);
        this.#answeredAt = clock.now();
        return this.#outbox.send(message, relatedRequestId);
      },
      onrequest: (request, extra) => side.onrequest(this, request, extra),
      onnotification: (notification, extra) => side.onnotification(this, notification, extra),
      oncancel: (id, reason) => side.oncancel(id, reason),
      onproblem: (problem) => side.onproblem(problem),
      revision: () => this.#revision,
      readError: (error) => ofItsClass(this.#revision.readError(error)),
      // Text on a server's output that is no message is usually a log line; answering it would confuse the server.
      mayAnswer: (id) => this.#answers && id !== undefined,
    };
  }

  #send(message: JSONRPCMessage | JSONRPCBatch, relatedRequestId: RequestId | undefined): Promise<void> | void {
    const own = this.#sendOptions;
    const options = relatedRequestId === undefined ? own : { relatedRequestId, ...own };
    const sent = options === undefined ? this.transport.send(message) : this.transport.send(message, options);
    return sent?.catch((error: unknown) => {
      throw this.#readFailure(error);
    });
  }

  /**
   * Reads the JSON-RPC error in the body of a failed HTTP response. The HTTP failure stays its `cause`, because negotiation decides by the
   * status.
   */
  #readFailure(error: unknown): unknown {
    const failure = error instanceof TransportError && error.code === 'http' ? httpFailureOf(error) : undefined;
    if (failure?.error === undefined || failure.status >= 500 || failure.status === 403) return error;
    const { kind, code, message, data } = this.#revision.readError(failure.error);
    return new ProtocolError(kind, message, data, { code, cause: error });
  }

  #onclose(): void {
    if (this.#closed) return;
    this.release();
    attempt(
      () => this.#observers.onclose?.(),
      (error) => this.#side.onproblem(error),
    );
    this.#side.onclosed(this);
  }
}

/**
 * Whether a message is a request of the program or its cancellation. The program itself bounds how many of those there are, so they need no
 * queue.
 */
function isOwn(message: JSONRPCMessage | JSONRPCBatch): boolean {
  return 'method' in message && ('id' in message || message.method === 'notifications/cancelled');
}

/** The `_meta` of a message, where it has one. */
export function metaOf(message: JSONRPCRequest | JSONRPCNotification): JsonObject | undefined {
  const meta = message.params?.['_meta'];
  return isJsonObject(meta) ? meta : undefined;
}
