import type { ErrorObject, JsonObject } from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import { ProtocolError, TransportError, isProtocolError, toProtocolError } from '../../protocol/errors.ts';
import type { LoggingLevel } from '../../protocol/logging.ts';
import type { Inbound, Outcome } from '../../protocol/outcome.ts';
import { asError } from '../../runtime/guard.ts';
import type { Revision } from '../../revisions/revision.ts';
import { isStoreUnavailable } from '../../stores/store-unavailable-error.ts';
import { jsonHeaders, streamHeaders } from '../../transports/http/server/adapters/reply-headers.ts';
import type { HttpHeaders, HttpReply, HttpStream } from '../../transports/http/server/adapters/exchange.ts';
import type { MessageExtraInfo } from '../../transports/transport.ts';
import { SSE_COMMENT, writeSseEvent } from '../../wire/sse.ts';
import { CallEdge } from '../calls/call-edge.ts';
import { ServerContext } from '../calls/context.ts';
import type { ServerCore } from '../core.ts';
import { completed, type RequestHandler } from '../calls/handler.ts';
import type { Change } from '../changes/listening.ts';
import type { LogGate } from '../calls/log-gate.ts';
import { ASSUMED_FACTS } from '../session/session.ts';
import type { Ticker, Ticking } from '../../transports/http/server/sessions/ticker.ts';
import type { Lasting } from '../../transports/http/server/adapters/end-of-turn.ts';
import type { Work } from '../../transports/http/server/adapters/pending-work.ts';
import { retryAfter, sendError } from '../../transports/http/server/adapters/refuse.ts';

/** What all exchanges of one endpoint share. */
export interface ExchangeSurroundings {
  readonly core: ServerCore;
  readonly logs: LogGate;
  readonly ticker: Ticker;
  /** Holds what is being worked on. */
  readonly work: Work;
  /** After how long a silence an answer becomes a stream, so that nobody between takes the connection for dead. */
  readonly streamAfterMs: number;
  readonly keepAliveMs: number;
  /** Answers are JSON whatever happens; what is emitted meanwhile is lost. */
  readonly jsonOnly: boolean;
  readonly builtIn: (exchange: StatelessExchange, method: string) => RequestHandler | undefined;
}

/**
 * One request that is served for itself: from its POST to its answer, and nothing that outlives it. The answer is JSON unless something is
 * emitted first or the handler stays silent for long; then it is a stream. A client that goes away has cancelled, where its revision says so.
 */
export class StatelessExchange extends CallEdge implements Ticking, Lasting {
  readonly reply: HttpReply;
  readonly #lane: ExchangeSurroundings;
  readonly #headers: HttpHeaders;
  #stream: HttpStream | undefined;
  #ctx: ServerContext | undefined;
  #held = false;
  #isWaiting = false;
  #isWatched = false;
  /** Counted from when it is watched, which is the end of the turn it came in. */
  #lastActivity = 0;

  constructor(lane: ExchangeSurroundings, reply: HttpReply, headers: HttpHeaders) {
    super(lane.core);
    this.#lane = lane;
    this.reply = reply;
    this.#headers = headers;
  }

  get sessionId(): undefined {
    return undefined;
  }

  protected get logs(): LogGate {
    return this.#lane.logs;
  }

  /** What the request does not say of its client is not known. */
  serve(inbound: Inbound, revision: Revision, extra: MessageExtraInfo): void {
    const ctx = new ServerContext(inbound, inbound.facts ?? ASSUMED_FACTS, revision, { edge: this, extra });
    this.#ctx = ctx;
    try {
      this.run(ctx);
    } catch (error) {
      this.fail(ctx, error);
    }
  }

  /** Keeps the stream open after its handler has returned; `end` closes it. */
  hold(): void {
    this.#held = true;
    this.#open();
    this.#watch();
  }

  /** Sends a message on a stream that is held. False when nobody reads it any more. */
  push(text: string): boolean {
    this.#lastActivity = this.core.clock.now();
    return this.#stream?.write(text) ?? false;
  }

  /** Ends a held stream with the result of its request. */
  end(result: JsonObject): void {
    const ctx = this.#ctx;
    if (!ctx || !this.#held) return;
    this.#held = false;
    this.finish(ctx, completed(result));
  }

  /** Ends what is still being worked on: the server closes. */
  stop(): void {
    const ctx = this.#ctx;
    if (!ctx || !this.isLive(ctx)) return;
    ctx.abort(new TransportError('closed', 'The server is closing.'));
    this.#leave();
    const body = ctx.revision.writeError(new ProtocolError('internal', 'The server is closing.'));
    if (this.#stream === undefined)
      sendError(this.reply, 503, body, { id: ctx.requestId, headers: { ...this.#headers, 'Retry-After': '1' } });
    else this.#close(JSON.stringify({ jsonrpc: '2.0', id: ctx.requestId, error: body }));
  }

  tick(now: number): void {
    const { streamAfterMs, keepAliveMs, jsonOnly } = this.#lane;
    if (this.#stream === undefined) {
      if (!jsonOnly && now - this.#lastActivity >= streamAfterMs) this.#open();
    } else if (keepAliveMs > 0 && now - this.#lastActivity >= keepAliveMs) {
      this.push(SSE_COMMENT);
    }
  }

  // ---- CallEdge

  protected builtIn(method: string): RequestHandler | undefined {
    return this.#lane.builtIn(this, method);
  }

  tell(change: Change): void {
    this.core.tell(change);
  }

  /** There is no session. */
  notifySession(): void {}

  protected isLive(ctx: ServerContext): boolean {
    return this.#ctx === ctx && !ctx.over && !ctx.aborted;
  }

  protected deliver(_ctx: ServerContext, method: string, params: JsonObject): void {
    if (this.#lane.jsonOnly) return;
    this.#open();
    this.push(writeSseEvent({ data: JSON.stringify({ jsonrpc: '2.0', method, params }) }));
  }

  protected override logReader(ctx: ServerContext): string | object {
    return ctx.owner;
  }

  protected logThreshold(ctx: ServerContext): LoggingLevel | undefined {
    return ctx.facts.logLevel;
  }

  request(_ctx: ServerContext, method: string): Promise<JsonObject> {
    return Promise.reject(
      new ProtocolError('cannot-ask', `${method}: a client without a session cannot be sent requests.`),
    );
  }

  // ---- inside

  /** The answer is being worked on, and closing waits for it. */
  protected waits(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    if (this.reply.onlasting) this.reply.onlasting(this);
    else this.lasts();
  }

  lasts(): void {
    const ctx = this.#ctx;
    if (ctx === undefined || !this.isLive(ctx)) return;
    this.#watch();
    if (!this.#held) this.#lane.work.add(this);
  }

  failed(error: unknown): void {
    if (this.#ctx) this.fail(this.#ctx, error);
  }

  /** From here on the answer is not immediate: silence is watched, and so is whether the client stays. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#lastActivity = this.core.clock.now();
    this.#lane.ticker.add(this);
    this.reply.onabort(() => this.#left());
  }

  #left(): void {
    const ctx = this.#ctx;
    if (ctx === undefined || ctx.over || !ctx.revision.http.cancelsByClosing) return;
    this.#leave();
    ctx.abort(new TransportError('aborted', 'The client closed the connection.'));
  }

  #leave(): void {
    if (!this.#isWatched) return;
    this.#lane.ticker.delete(this);
    this.#lane.work.delete(this);
  }

  #open(): void {
    this.#stream ??= this.reply.open(200, streamHeaders(this.#headers));
  }

  protected finish(ctx: ServerContext, outcome: Outcome): void {
    if (this.#held || !this.isLive(ctx)) return;
    let text: string;
    try {
      text = serialise({ jsonrpc: '2.0', id: ctx.requestId, result: this.writeOutcome(ctx, outcome) });
    } catch (error) {
      return this.fail(ctx, error);
    }
    this.#over(ctx);
    if (this.#stream === undefined) this.reply.send(200, jsonHeaders(this.#headers), text);
    else this.#close(text);
  }

  protected fail(ctx: ServerContext, error: unknown): void {
    if (!isProtocolError(error)) this.core.onproblem(asError(error));
    if (!this.isLive(ctx)) return;
    this.#held = false;
    const body = ctx.revision.writeError(toProtocolError(error));
    this.#over(ctx);
    if (this.#stream === undefined) this.#refuse(ctx, body, isStoreUnavailable(error));
    else this.#close(JSON.stringify({ jsonrpc: '2.0', id: ctx.requestId, error: body }));
  }

  #refuse(ctx: ServerContext, body: ErrorObject, isAway = false): void {
    const status = isAway ? 503 : ctx.revision.http.errorStatus(body);
    sendError(this.reply, status, body, {
      id: ctx.requestId,
      headers: { ...this.#headers, ...retryAfter(status, body) },
    });
  }

  #close(text: string): void {
    this.push(writeSseEvent({ data: text }));
    this.#stream?.end();
  }

  #over(ctx: ServerContext): void {
    ctx.reporter?.end();
    ctx.end();
    this.#leave();
  }
}
