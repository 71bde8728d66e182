import {
  explainInvalid,
  isJsonObject,
  isRequestId,
  kindOf,
  type ErrorObject,
  type InvalidMessage,
  type JSONRPCBatch,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type JSONRPCResultResponse,
  type JsonObject,
  type RequestId,
} from '../jsonrpc/message.ts';
import { isSerialisable } from '../jsonrpc/serialise.ts';
import { ProtocolError, TransportError, toProtocolError } from '../protocol/errors.ts';
import { asError, attempt } from '../runtime/guard.ts';
import type { Revision } from '../revisions/revision.ts';
import type { BadFrame, MessageExtraInfo } from '../transports/transport.ts';
import { BatchAnswers } from './batch.ts';
import { problemIn } from './bad-frame.ts';
import type { Clock } from './clock.ts';
import { IdTable } from './id-table.ts';
import { OutgoingRequests, type OutgoingOptions, type OutgoingPort, type ResultReader } from './outgoing.ts';

/** The callbacks of a client or server around its peer. None of them may throw, except `send`. */
export interface PeerSide {
  /** Sends a message; called once for each. Throws or rejects when the message cannot be sent. */
  send(message: JSONRPCMessage | JSONRPCBatch, relatedRequestId: RequestId | undefined): Promise<void> | void;
  /** Receives a well-formed request. It must end in `respond`, `refuse`, `drop` or a cancellation. */
  onrequest(request: JSONRPCRequest, extra: MessageExtraInfo | undefined, place: InFlight): void;
  onnotification(notification: JSONRPCNotification, extra: MessageExtraInfo | undefined): void;
  /** The peer cancelled a request that is being worked on. */
  oncancel(id: RequestId, reason: string | undefined, place: InFlight): void;
  /** Receives a problem that ends nothing: reported, never thrown. */
  onproblem(problem: Error): void;
  /** The revision in use; before one is agreed, the one whose rules apply to input that cannot be understood. */
  revision(): Revision;
  /** Reads an error that the peer answered with. */
  readError(error: ErrorObject): Error;
  /**
   * Whether this side may answer input that it could not understand: a stateless client never writes a response. `id` is absent when even the id
   * was unreadable, as with a log line of a server that writes to stdout.
   */
  mayAnswer(id?: RequestId): boolean;
}

/** A request that is being worked on. */
export interface InFlight {
  /** The batch that its answer belongs to, if it came in one. */
  readonly batch: BatchAnswers | undefined;
  /** The call that serves the request: set by the side, and handed back to `oncancel`. */
  call: { abort(reason: unknown): void } | undefined;
}

/** One end of a connection: matches answers to requests in both directions, and survives any input. No I/O, no MCP feature. */
export class Peer {
  readonly #side: PeerSide;
  readonly #clock: Clock;
  readonly #inFlight = new IdTable<InFlight>();
  // Made on first use: most connections of a server send no requests, and there may be many of them.
  #outgoing: OutgoingRequests | undefined;

  constructor(side: PeerSide, clock: Clock) {
    this.#side = side;
    this.#clock = clock;
  }

  /** The requests sent to the peer, and their answers. */
  get outgoing(): OutgoingRequests {
    return (this.#outgoing ??= this.#makeOutgoing());
  }

  #makeOutgoing(): OutgoingRequests {
    const side = this.#side;
    const port: OutgoingPort = {
      send: (request, related) => side.send(request, related),
      cancel: (requestId, reason, related) =>
        this.#tryWrite({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }, related),
      readError: (error) => side.readError(error),
    };
    return new OutgoingRequests(port, this.#clock);
  }

  /** Fails the requests that were sent on behalf of an incoming request that is over. */
  abandonRelated(id: RequestId, reason: string): void {
    this.#outgoing?.abandonRelated(id, reason);
  }

  /** Number of requests to the peer that are not answered yet. */
  get asked(): number {
    return this.#outgoing?.size ?? 0;
  }

  /** Number of the peer's requests that are being worked on. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  request(
    id: RequestId,
    method: string,
    params: JsonObject | undefined,
    options?: OutgoingOptions,
  ): Promise<JsonObject> {
    const request: JSONRPCRequest =
      params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
    return this.outgoing.send(request, AS_IT_CAME, options);
  }

  /** Sends a notification. Never throws: one that cannot be sent is reported as a problem and fails nothing else. */
  notify(method: string, params: JsonObject | undefined, relatedRequestId?: RequestId): void {
    this.#tryWrite(
      params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params },
      relatedRequestId,
    );
  }

  /** Like `notify`, with a message that other connections are sent as well: its JSON text may be kept. */
  tell(notification: JSONRPCNotification): void {
    this.#tryWrite(notification, undefined);
  }

  /** Answers a request. Does nothing for one that was cancelled meanwhile. */
  respond(id: RequestId, result: JsonObject): void {
    this.#answer(id, { jsonrpc: '2.0', id, result });
  }

  /** Answers a request with an error, with the codes of the revision that it came in. */
  refuse(id: RequestId, error: unknown, revision: Revision = this.#side.revision()): void {
    this.#answer(id, { jsonrpc: '2.0', id, error: revision.writeError(toProtocolError(error)) });
  }

  /** Forgets a request that will never be answered. */
  drop(id: RequestId): void {
    const place = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    place?.batch?.add(undefined);
  }

  isInFlight(id: RequestId): boolean {
    return this.#inFlight.has(id);
  }

  receive(message: unknown, extra?: MessageExtraInfo): void {
    if (Array.isArray(message)) this.#receiveBatch(message, extra);
    else this.#receiveOne(message, extra, undefined);
    this.#outgoing?.noteReceived();
  }

  #receiveOne(message: unknown, extra: MessageExtraInfo | undefined, batch: BatchAnswers | undefined): void {
    switch (kindOf(message)) {
      case 'request':
        return this.#request(message as JSONRPCRequest, extra, batch);
      case 'notification':
        return this.#notification(message as JSONRPCNotification, extra);
      case 'result': {
        const { id, result } = message as JSONRPCResultResponse;
        if (!this.outgoing.settle(id, result)) this.#unclaimed(id);
        return;
      }
      case 'error': {
        const { id, error } = message as JSONRPCErrorResponse;
        if (id === undefined || id === null)
          this.#side.onproblem(new ProtocolError(error.code, `The peer reports: ${error.message}`, error.data));
        else if (!this.outgoing.fail(id, error)) this.#unclaimed(id);
        return;
      }
      case 'invalid':
        return this.#invalid(message, batch);
    }
  }

  receiveBadFrame(frame: BadFrame): void {
    this.#outgoing?.noteReceived();
    const problem = problemIn(frame);
    this.#side.onproblem(problem);
    if (frame.kind === 'unparsable') {
      if (this.#side.mayAnswer())
        this.#refuseUnreadable(new ProtocolError('parse-error', `Parse error: ${frame.reason}`), undefined);
      return;
    }
    const { id, limit } = frame;
    if (frame.isResponse) {
      if (id !== undefined) this.outgoing.fail(id, problem);
    } else if (this.#side.mayAnswer(id)) {
      const refusal = new ProtocolError('invalid-request', `The message is larger than the limit of ${limit} bytes.`, {
        limit,
      });
      this.#refuseInvalid(id, refusal, undefined);
    }
  }

  /** The connection is gone: everything waiting fails, everything being worked on is cancelled. */
  close(reason: (method: string, id: RequestId) => Error): void {
    const working = this.#inFlight.entries();
    this.#inFlight.clear();
    for (const [id, place] of working) this.#side.oncancel(id, 'The connection closed.', place);
    this.#outgoing?.failAll(reason);
  }

  #request(request: JSONRPCRequest, extra: MessageExtraInfo | undefined, batch: BatchAnswers | undefined): void {
    if (this.#inFlight.has(request.id)) {
      // An error with this id would settle the first request of the same id, so the complaint names it in words only.
      const error = new ProtocolError(
        'invalid-request',
        `The id ${JSON.stringify(request.id)} is in use by a request that is not answered yet.`,
      );
      this.#side.onproblem(error);
      if (this.#side.mayAnswer()) this.#refuseUnreadable(error, batch);
      return;
    }
    const place: InFlight = { batch, call: undefined };
    this.#inFlight.set(request.id, place);
    try {
      this.#side.onrequest(request, extra, place);
    } catch (error) {
      this.#problem(error);
      this.refuse(request.id, error);
    }
  }

  #notification(notification: JSONRPCNotification, extra: MessageExtraInfo | undefined): void {
    if (notification.method === 'notifications/progress') this.#progress(notification.params);
    else if (notification.method === 'notifications/cancelled') this.#cancelled(notification.params);
    this.#side.onnotification(notification, extra);
  }

  /** Passes progress on. The listener is the caller's own code: an error that it throws must not end the reading of messages. */
  #progress(params: JsonObject | undefined): void {
    attempt(
      () => this.outgoing.progress(params),
      (problem) => this.#problem(problem),
    );
  }

  /** Cancels a request. Unknown, finished and absent ids are ignored: cancellation and answer may cross on the way. */
  #cancelled(params: JsonObject | undefined): void {
    const id = params?.['requestId'];
    if (!isRequestId(id)) return;
    const place = this.#inFlight.get(id);
    if (place === undefined) return;
    this.#inFlight.delete(id);
    place.batch?.add(undefined);
    const reason = params?.['reason'];
    this.#side.oncancel(id, typeof reason === 'string' ? reason : undefined, place);
  }

  #receiveBatch(messages: readonly unknown[], extra: MessageExtraInfo | undefined): void {
    if (!this.#side.revision().batches || messages.length === 0) return this.#invalid(messages, undefined);
    const batch = new BatchAnswers(messages.filter((message) => this.#owesAnswer(message)).length, (answers) =>
      this.#writeBatch(answers),
    );
    for (const message of messages) {
      if (isJsonObject(message) && message['method'] === 'initialize' && isRequestId(message['id'])) {
        batch.add(
          this.#error(message['id'], new ProtocolError('invalid-request', 'initialize must not be part of a batch.')),
        );
      } else this.#receiveOne(message, extra, batch);
    }
  }

  #owesAnswer(message: unknown): boolean {
    const kind = kindOf(message);
    return kind === 'request' || (kind === 'invalid' && this.#mayRefuse(message));
  }

  #mayRefuse(message: unknown): boolean {
    const { id, answerable } = this.#explain(message);
    return answerable && this.#side.mayAnswer(id);
  }

  /** A message that is neither a request nor an answer counts as an answer when a request waits under its id: refusing it would leave that request to its timeout. */
  #explain(message: unknown): InvalidMessage {
    const found = explainInvalid(message);
    const answers =
      found.answerable &&
      found.id !== undefined &&
      !('method' in (message as JsonObject)) &&
      this.outgoing.isWaiting(found.id);
    return answers ? { ...found, answerable: false } : found;
  }

  #invalid(message: unknown, batch: BatchAnswers | undefined): void {
    const { reason, id, answerable } = this.#explain(message);
    this.#side.onproblem(new ProtocolError('invalid-request', `Not a message: ${reason}`));
    if (answerable) {
      if (this.#side.mayAnswer(id))
        this.#refuseInvalid(id, new ProtocolError('invalid-request', `Invalid request: ${reason}`), batch);
    } else if (id !== undefined) {
      // A broken answer is still the answer: the request fails now, and not by its timeout.
      this.outgoing.fail(id, new TransportError('invalid-result', `The peer's answer is not valid: ${reason}`, { id }));
    }
  }

  /** Refuses a message that never became a request. An id that is in use belongs to another request's answer. */
  #refuseInvalid(id: RequestId | undefined, error: ProtocolError, batch: BatchAnswers | undefined): void {
    if (id === undefined || this.#inFlight.has(id)) this.#refuseUnreadable(error, batch);
    else this.#emit(this.#error(id, error), batch);
  }

  #refuseUnreadable(error: ProtocolError, batch: BatchAnswers | undefined): void {
    const revision = this.#side.revision();
    const body = { jsonrpc: '2.0', error: revision.writeError(error) } as const;
    this.#emit(
      revision.unreadableId === undefined ? body : { jsonrpc: '2.0', id: revision.unreadableId, error: body.error },
      batch,
    );
  }

  #error(id: RequestId, error: ProtocolError): JSONRPCErrorResponse {
    return { jsonrpc: '2.0', id, error: this.#side.revision().writeError(error) };
  }

  #unclaimed(id: RequestId): void {
    if (!this.outgoing.wasIssued(id))
      this.#side.onproblem(
        new ProtocolError('invalid-request', `Received a response for an unknown message ID: ${JSON.stringify(id)}`),
      );
  }

  #answer(id: RequestId, message: JSONRPCResponse): void {
    const place = this.#inFlight.get(id);
    if (place === undefined) return;
    this.#inFlight.delete(id);
    if (place.batch) place.batch.add(message);
    else this.#writeAnswer(message, id);
  }

  /**
   * Writes an answer. A result that cannot be written still owes its caller an answer. A transport that throws has sent nothing; one that rejects may
   * have sent it, so only a message that can never be serialised is then answered a second time.
   */
  #writeAnswer(message: JSONRPCResponse, related: RequestId | undefined): void {
    try {
      const sent = this.#side.send(message, related);
      if (sent !== undefined) sent.catch((error: unknown) => this.#unwritten(message, related, error));
    } catch (error) {
      this.#problem(error);
      this.#substitute(message, related);
    }
  }

  #unwritten(message: JSONRPCResponse, related: RequestId | undefined, error: unknown): void {
    this.#problem(error);
    if (!isSerialisable(message)) this.#substitute(message, related);
  }

  #substitute({ id }: JSONRPCResponse, related: RequestId | undefined): void {
    if (isRequestId(id))
      this.#tryWrite(this.#error(id, new ProtocolError('internal', 'The result cannot be sent as JSON.')), related);
  }

  /** One answer that cannot be written must not take the others of its batch with it. */
  #writeBatch(answers: readonly JSONRPCResponse[]): void {
    const failed = (error: unknown): void => {
      this.#problem(error);
      if (isSerialisable(answers)) return;
      const internal = new ProtocolError('internal', 'The result cannot be sent as JSON.');
      this.#tryWrite(
        answers.map((answer) =>
          isSerialisable(answer) || !isRequestId(answer.id) ? answer : this.#error(answer.id, internal),
        ),
        undefined,
      );
    };
    attempt(() => this.#side.send(answers, undefined), failed);
  }

  /** Adds an error to its batch, or sends it straight to the peer. */
  #emit(message: JSONRPCErrorResponse, batch: BatchAnswers | undefined): void {
    if (batch) batch.add(message);
    else this.#tryWrite(message, undefined);
  }

  /** Sends a message; a failure is reported as a problem and nothing more. */
  #tryWrite(message: JSONRPCMessage | JSONRPCBatch, related: RequestId | undefined): void {
    try {
      this.#side.send(message, related)?.catch((error: unknown) => this.#problem(error));
    } catch (error) {
      this.#problem(error);
    }
  }

  #problem(error: unknown): void {
    this.#side.onproblem(error instanceof Error ? error : new TransportError('write-failed', asError(error).message));
  }
}

const AS_IT_CAME: ResultReader<JsonObject> = { readResult: (_method, result) => result };
