import type { ErrorObject, JsonObject, RequestId } from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import { noSession } from '../../revisions/faults.ts';
import { ProtocolError, TransportError, isProtocolError, toProtocolError } from '../../protocol/errors.ts';
import type { LoggingMessage } from '../../protocol/logging.ts';
import type { Inbound, Outcome } from '../../protocol/outcome.ts';
import { asError } from '../../runtime/guard.ts';
import type { Revision } from '../../revisions/revision.ts';
import { isStoreUnavailable } from '../../stores/store-unavailable-error.ts';
import { jsonHeaders, streamHeaders } from '../../transports/http/server/adapters/reply-headers.ts';
import type { HttpHeaders, HttpReply, HttpStream } from '../../transports/http/server/adapters/exchange.ts';
import type { MessageExtraInfo } from '../../transports/transport.ts';
import { SSE_COMMENT, writeSseEvent } from '../../wire/sse.ts';
import { Call } from '../calls/call.ts';
import { ServerContext } from '../calls/context.ts';
import type { Edge } from '../calls/edge.ts';
import type { ServerCore } from '../core.ts';
import { completed, type RequestHandler } from '../calls/handler.ts';
import type { Change } from '../changes/listening.ts';
import type { LogGate } from '../calls/log-gate.ts';
import { ASSUMED_FACTS } from '../session/session.ts';
import type { Ticker, Ticking } from '../../transports/http/server/sessions/ticker.ts';
import type { TurnEndListener } from '../../transports/http/server/adapters/end-of-turn.ts';
import type { PendingWork } from '../../transports/http/server/adapters/pending-work.ts';
import { retryAfter, sendError } from '../../transports/http/server/adapters/refuse.ts';
import { httpOf } from '../../revisions/http-rules.ts';

/** Parts and options that all exchanges of one endpoint share. */
export interface ExchangeShared {
  readonly core: ServerCore;
  readonly logs: LogGate;
  readonly ticker: Ticker;
  /** The open requests of the endpoint. */
  readonly work: PendingWork;
  /** After how many milliseconds of silence an answer becomes a stream, so that no proxy takes the connection for dead. */
  readonly streamAfterMs: number;
  readonly keepAliveMs: number;
  /** Always answers with JSON; notifications during the call are dropped. */
  readonly jsonOnly: boolean;
  readonly builtIn: (exchange: StatelessExchange, method: string) => RequestHandler | undefined;
}

/**
 * One request without a session, from its POST to its answer; nothing outlives it. The answer is JSON unless a notification comes first or the handler stays
 * silent for long; then it is a stream. A client that disconnects has cancelled, where its revision says so.
 */
export class StatelessExchange implements Edge, Ticking, TurnEndListener {
  readonly core: ServerCore;
  readonly reply: HttpReply;
  readonly #shared: ExchangeShared;
  readonly #headers: HttpHeaders;
  #stream: HttpStream | undefined;
  #call: Call | undefined;
  #held = false;
  #isWaiting = false;
  #isWatched = false;
  /** Time of the last activity; set when the request is first watched, at the end of the turn it came in. */
  #lastActivity = 0;

  constructor(shared: ExchangeShared, reply: HttpReply, headers: HttpHeaders) {
    this.core = shared.core;
    this.#shared = shared;
    this.reply = reply;
    this.#headers = headers;
  }

  get sessionId(): undefined {
    return undefined;
  }

  /** Runs the request. Facts of the client that it does not bring are assumed. */
  serve(inbound: Inbound, revision: Revision, extra: MessageExtraInfo): void {
    this.#call = new Call(this, new ServerContext(inbound, inbound.facts ?? ASSUMED_FACTS, revision, extra));
    this.#call.run();
  }

  /** Refuses a request that could not be read. */
  refuse(id: RequestId, error: ErrorObject): void {
    sendError(this.reply, 400, error, { id, headers: this.#headers });
  }

  /** Keeps the stream open after its handler has returned; `end` closes it. */
  hold(): void {
    this.#held = true;
    this.#open();
    this.#watch();
  }

  /** Sends a message on a held stream. False when the client no longer reads it. */
  push(text: string): boolean {
    this.#lastActivity = this.core.clock.now();
    return this.#stream?.write(text) ?? false;
  }

  /** Ends a held stream with the result of its request. */
  end(result: JsonObject): void {
    if (!this.#call || !this.#held) return;
    this.#held = false;
    this.finish(this.#call, completed(result));
  }

  /** Aborts the request, when the server closes. */
  stop(): void {
    const call = this.#call;
    if (!call?.isLive) return;
    call.abort(new TransportError('closed', 'The server is closing.'));
    this.#leave();
    const { requestId: id, revision } = call.context;
    const body = revision.writeError(new ProtocolError('internal', 'The server is closing.'));
    if (this.#stream === undefined)
      sendError(this.reply, 503, body, { id, headers: { ...this.#headers, 'Retry-After': '1' } });
    else this.#close(JSON.stringify({ jsonrpc: '2.0', id, error: body }));
  }

  tick(now: number): void {
    const { streamAfterMs, keepAliveMs, jsonOnly } = this.#shared;
    if (this.#stream === undefined) {
      if (!jsonOnly && now - this.#lastActivity >= streamAfterMs) this.#open();
    } else if (keepAliveMs > 0 && now - this.#lastActivity >= keepAliveMs) {
      this.push(SSE_COMMENT);
    }
  }

  // ---- Edge

  builtIn(method: string): RequestHandler | undefined {
    return this.#shared.builtIn(this, method);
  }

  tell(change: Change): void {
    this.core.tell(change);
  }

  /** There is no session. */
  notifySession(): void {}

  deliver(_call: Call, method: string, params: JsonObject): void {
    if (this.#shared.jsonOnly) return;
    this.#open();
    this.push(writeSseEvent({ data: JSON.stringify({ jsonrpc: '2.0', method, params }) }));
  }

  /** All exchanges of an endpoint have one gate, which counts by caller. */
  logsFor({ context }: Call, message: LoggingMessage): readonly LoggingMessage[] {
    const { logLevel } = context.facts;
    return logLevel === undefined ? [] : this.#shared.logs.pass(message, logLevel, context.owner);
  }

  request(_call: Call | undefined, method: string): Promise<JsonObject> {
    return Promise.reject(noSession(method));
  }

  /** Registers the request as open: closing waits for it. */
  waits(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    if (this.reply.atEndOfTurn) this.reply.atEndOfTurn(this);
    else this.onTurnEnd();
  }

  onTurnEnd(): void {
    if (!this.#call?.isLive) return;
    this.#watch();
    if (!this.#held) this.#shared.work.add(this);
  }

  failed(error: unknown): void {
    if (this.#call) this.fail(this.#call, error);
  }

  /** Watches a request that was not answered at once: for silence, and for a disconnect. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#lastActivity = this.core.clock.now();
    this.#shared.ticker.add(this);
    this.reply.onabort(() => this.#left());
  }

  #left(): void {
    const call = this.#call;
    if (call === undefined || call.over || !httpOf(call.context.revision).cancelsByClosing) return;
    this.#leave();
    call.abort(new TransportError('aborted', 'The client closed the connection.'));
  }

  #leave(): void {
    if (!this.#isWatched) return;
    this.#shared.ticker.delete(this);
    this.#shared.work.delete(this);
  }

  #open(): void {
    this.#stream ??= this.reply.open(200, streamHeaders(this.#headers));
  }

  finish(call: Call, outcome: Outcome): void {
    if (this.#held || !call.isLive) return;
    let text: string;
    try {
      text = serialise({ jsonrpc: '2.0', id: call.context.requestId, result: call.written(outcome) });
    } catch (error) {
      return this.fail(call, error);
    }
    this.#over(call);
    if (this.#stream === undefined) this.reply.send(200, jsonHeaders(this.#headers), text);
    else this.#close(text);
  }

  fail(call: Call, error: unknown): void {
    if (!isProtocolError(error)) this.core.onproblem(asError(error));
    if (!call.isLive) return;
    this.#held = false;
    const { requestId: id, revision } = call.context;
    const body = revision.writeError(toProtocolError(error));
    this.#over(call);
    if (this.#stream !== undefined) return this.#close(JSON.stringify({ jsonrpc: '2.0', id, error: body }));
    const status = isStoreUnavailable(error) ? 503 : httpOf(revision).errorStatus(body);
    sendError(this.reply, status, body, { id, headers: { ...this.#headers, ...retryAfter(status, body) } });
  }

  #close(text: string): void {
    this.push(writeSseEvent({ data: text }));
    this.#stream?.end();
  }

  #over(call: Call): void {
    call.end();
    this.#leave();
  }
}
