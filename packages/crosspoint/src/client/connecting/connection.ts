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
import type { Outbound, Outcome } from '../../protocol/outcome.ts';
import type { Revision } from '../../revisions/revision.ts';
import { httpFailureOf } from '../../transports/http/client/http-failure.ts';
import { observe } from '../../transports/attach-side.ts';
import type { MessageExtraInfo, Transport, TransportSendOptions } from '../../transports/transport.ts';
import { Outbox } from './outbox.ts';

/** What the client puts around a connection. None of these may throw. */
export interface ConnectionSide {
  onrequest(connection: Connection, request: JSONRPCRequest, extra: MessageExtraInfo | undefined): void;
  onnotification(connection: Connection, notification: JSONRPCNotification): void;
  /** A request of the server is over before it was answered. */
  oncancel(id: RequestId, reason: string | undefined): void;
  onproblem(problem: Error): void;
  /** Called once. Requests still wait: whoever is told ends them with `peer.close`. */
  onclosed(connection: Connection): void;
}

/** The callbacks that the program had put on the transport: they go on being called. */
export type TransportObservers = Pick<Transport, 'onclose' | 'onerror' | 'onmessage'>;

/** A request to send. Its progress token is its id, reserved beforehand by callers who need to know it. */
export interface ClientCall extends Outbound {
  /** What the transport is told beside the message. */
  readonly send?: TransportSendOptions | undefined;
  /** The time now, from callers who have just looked at the clock. */
  readonly sentAt?: number | undefined;
}

/** One run of a transport, from start to close, and the revision spoken over it. */
export class Connection {
  readonly transport: Transport;
  readonly peer: Peer;
  readonly #side: ConnectionSide;
  readonly #observers: TransportObservers;
  /** Answers and notifications that wait to be sent. Requests and their cancellation do not pass through it. */
  readonly #outbox = new Outbox((message, relatedRequestId) => this.#send(message, relatedRequestId));
  #revision: Revision;
  /** What the transport is to be told beside the request that is being sent. */
  #sendOptions: TransportSendOptions | undefined;
  readonly #told = { onerror: (error: Error): void => this.#side.onproblem(error) };
  #answers = false;
  #closed = false;

  constructor(
    transport: Transport,
    revision: Revision,
    setup: { side: ConnectionSide; observers: TransportObservers; clock: Clock },
  ) {
    this.transport = transport;
    this.#revision = revision;
    this.#side = setup.side;
    this.#observers = setup.observers;
    this.peer = new Peer(this.#peerSide(), setup.clock);
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

  /** Whether requests of the server are answered: only where a handshake has been offered or made. */
  get answers(): boolean {
    return this.#answers;
  }

  /** Whether the server takes so few of the answers that no more of its requests can be worked on. */
  get isOverrun(): boolean {
    return this.#outbox.isFull;
  }

  speak(revision: Revision): void {
    this.#revision = revision;
    this.#answers = revision.family === 'handshake';
    this.transport.setHttpRules?.(revision.http);
  }

  /** Every request carries its id as progress token, so that progress keeps it alive whether or not anybody looks at it. */
  call(call: ClientCall, options?: OutgoingOptions): Promise<Outcome>;
  call<T>(call: ClientCall, options: OutgoingOptions, reader: ResultReader<T>): Promise<T>;
  call(call: ClientCall, options?: OutgoingOptions, reader: ResultReader<unknown> = this.#revision): Promise<unknown> {
    const { method, progressToken: id } = call;
    if (id === undefined)
      return this.call({ ...call, progressToken: this.peer.outgoing.reserveId() }, options ?? {}, reader);
    const request = { jsonrpc: '2.0', id, method, params: this.#revision.writeRequest(call) } as const;
    this.#sendOptions = call.send;
    const outcome = this.peer.outgoing.send(request, reader, options, call.sentAt);
    // It has been sent by now, or will never be.
    this.#sendOptions = undefined;
    return outcome;
  }

  /** A notification that others must not overtake: resolves when it has left, and where there is such a thing, when it was taken. */
  async tell(method: string): Promise<void> {
    try {
      await this.#send({ jsonrpc: '2.0', method }, undefined);
    } catch (error) {
      this.#side.onproblem(asError(error));
    }
  }

  /** Ends the run. `onclosed` has been called when this resolves. */
  async close(): Promise<void> {
    try {
      await this.transport.close();
    } catch (error) {
      this.#side.onproblem(asError(error));
    }
    this.#onclose();
  }

  #peerSide(): PeerSide {
    const side = this.#side;
    return {
      send: (message, relatedRequestId) => {
        if (this.#closed) throw new TransportError('closed', 'The connection is closed.');
        return isOwn(message) ? this.#send(message, relatedRequestId) : this.#outbox.send(message, relatedRequestId);
      },
      onrequest: (request, extra) => side.onrequest(this, request, extra),
      onnotification: (notification) => side.onnotification(this, notification),
      oncancel: (id, reason) => side.oncancel(id, reason),
      onproblem: (problem) => side.onproblem(problem),
      revision: () => this.#revision,
      // Text on a server's output that is no message is most often a log line: an answer to it would only confuse.
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

  /** An HTTP status is no obstacle to reading the error that came with it. The failure stays the cause, for those who decide by it. */
  #readFailure(error: unknown): unknown {
    const failure = error instanceof TransportError && error.code === 'http' ? httpFailureOf(error) : undefined;
    if (failure?.error === undefined || failure.status >= 500 || failure.status === 403) return error;
    const { kind, code, message, data } = this.#revision.readError(failure.error);
    return new ProtocolError(kind, message, data, { code, cause: error });
  }

  #onclose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#outbox.close();
    Object.assign(this.transport, {
      onbadframe: undefined,
      onmessage: this.#observers.onmessage,
      onerror: this.#observers.onerror,
      onclose: this.#observers.onclose,
    });
    attempt(
      () => this.#observers.onclose?.(),
      (error) => this.#side.onproblem(error),
    );
    this.#side.onclosed(this);
  }
}

/** Whether a message is a request of the program, or cancels one: only the program decides how many there are. */
function isOwn(message: JSONRPCMessage | JSONRPCBatch): boolean {
  return 'method' in message && ('id' in message || message.method === 'notifications/cancelled');
}

/** The `_meta` of a message, where it has one. */
export function metaOf(message: JSONRPCRequest | JSONRPCNotification): JsonObject | undefined {
  const meta = message.params?.['_meta'];
  return isJsonObject(meta) ? meta : undefined;
}
