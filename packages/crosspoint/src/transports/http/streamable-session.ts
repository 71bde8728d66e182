import { kindOf, type JSONRPCBatch, type JSONRPCMessage, type JSONRPCRequest, type JSONRPCResponse, type RequestId } from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import { TransportError } from '../../protocol/errors.ts';
import type { Clock } from '../../peer/clock.ts';
import type { HttpRules } from '../../revisions/revision.ts';
import type { MessageExtraInfo, Transport, TransportSendOptions } from '../transport.ts';
import { JSON_HEADERS, STREAM_HEADERS } from './answers.ts';
import type { EventStore } from './event-store.ts';
import type { HttpHeaders, HttpReply, HttpRequest } from './exchange.ts';
import { SessionStream } from './session-stream.ts';
import type { Ticker, Ticking } from './ticker.ts';

export interface StreamableSessionOptions {
  readonly sessionId: string | undefined;
  /** Answers are JSON, whatever is emitted meanwhile; what cannot be part of one is lost. */
  readonly jsonOnly: boolean;
  /** With it, streams can be resumed, and every answer but that to a handshake is a stream. */
  readonly events: EventStore | undefined;
  readonly streamAfterMs: number;
  readonly keepAliveMs: number;
  /** How long a client waits before it comes back to a stream that was closed early. */
  readonly retryMs: number;
  readonly ticker: Ticker;
  readonly clock: Clock;
  /** What the revision of this name makes of HTTP. */
  readonly rulesOf: (version: string) => HttpRules | undefined;
  /** The rules of a request that brings its own revision; `undefined` for one that belongs to the session. */
  readonly ownRulesOf: (request: JSONRPCRequest) => HttpRules | undefined;
  /** Called when everything that came in has been answered and nobody reads. */
  readonly onidle?: () => void;
}

/** An answer to a POST that is not decided yet: JSON if the answers come first, a stream if anything else does. */
interface Exchange {
  readonly stream: SessionStream;
  readonly reply: HttpReply;
  readonly headers: HttpHeaders;
  readonly isBatch: boolean;
  readonly answers: JSONRPCResponse[];
  readonly since: number;
  readonly errorStatus: ((answer: JSONRPCResponse) => number) | undefined;
}

const STANDING = 'standing';

/**
 * Streamable HTTP towards one client: messages come in by POST, and leave on the stream of the request they belong to, or on the standing
 * stream of a GET. Each message leaves on one stream only. A client that disconnects has cancelled nothing, unless its request was stateless.
 */
export class StreamableSession implements Transport, Ticking {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  readonly sessionId: string | undefined;
  readonly #options: StreamableSessionOptions;
  readonly #standing: SessionStream;
  readonly #streams = new Map<RequestId, SessionStream>();
  readonly #open = new Set<SessionStream>();
  readonly #exchanges = new Map<SessionStream, Exchange>();
  #polling = false;
  #closed = false;

  constructor(options: StreamableSessionOptions) {
    this.#options = options;
    this.sessionId = options.sessionId;
    this.#standing = this.#makeStream(STANDING);
  }

  async start(): Promise<void> {
    this.#options.ticker.add(this);
  }

  setProtocolVersion(version: string): void {
    this.#polling = this.#options.rulesOf(version)?.polling === true;
  }

  /** Whether the client can be reached without having asked anything. */
  get isListening(): boolean {
    return this.#standing.isOpen;
  }

  /** Whether anything is going on: requests that are worked on, or a stream that is read. */
  get isActive(): boolean {
    return this.#streams.size > 0 || this.#open.size > 0;
  }

  get isWorking(): boolean {
    return this.#streams.size > 0;
  }

  /** Hands over what a POST brought and answers it. Only messages that were recognised as such come here, or things the peer will refuse. */
  post(body: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders = {}): void {
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    const requests = messages.filter((message): message is JSONRPCRequest => kindOf(message) === 'request');
    if (requests.length === 0 && messages.every((message) => kindOf(message) !== 'invalid')) reply.send(202, headers);
    else this.#expect(requests, { reply, headers, isBatch: Array.isArray(body), messages });
    const stream = requests[0] && this.#streams.get(requests[0].id);
    const extra: MessageExtraInfo = { authInfo: request.authInfo, requestInfo: { headers: request.allHeaders() }, ...(stream && this.#controls(stream)) };
    this.onmessage?.(body as JSONRPCMessage, extra);
    if (requests.length === 0) this.#refuseUnanswered();
  }

  /** What is no message and got no answer, such as a broken response, is refused all the same. */
  #refuseUnanswered(): void {
    const stream = this.#unnamed();
    const exchange = stream && this.#exchanges.get(stream);
    if (!exchange) return;
    this.#exchanges.delete(exchange.stream);
    exchange.reply.send(400, exchange.headers);
  }

  /** Opens the standing stream, or goes on with any stream after the event that was seen last. */
  async get(request: HttpRequest, reply: HttpReply, headers: HttpHeaders = {}): Promise<void> {
    const lastEventId = request.header('last-event-id');
    const { events } = this.#options;
    if (lastEventId !== undefined && events) return this.#resume(lastEventId, events, reply, headers);
    if (this.#standing.isOpen) return reply.send(409, { ...JSON_HEADERS, ...headers }, JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: 'There is a standing stream already; one is enough.' } }));
    this.#attach(this.#standing, reply, headers);
  }

  send(message: JSONRPCMessage | JSONRPCBatch, options: TransportSendOptions = {}): void {
    if (this.#closed) throw new TransportError('closed', 'The session is closed.');
    const all = Array.isArray(message) ? (message as JSONRPCMessage[]) : [message as JSONRPCMessage];
    for (const one of all) this.#sendOne(one, options.relatedRequestId);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.ticker.delete(this);
    for (const exchange of this.#exchanges.values()) exchange.reply.send(503, exchange.headers);
    for (const stream of this.#open) stream.end();
    this.#exchanges.clear();
    this.#streams.clear();
    this.#open.clear();
    this.onclose?.();
  }

  tick(now: number): void {
    const { streamAfterMs, keepAliveMs, jsonOnly } = this.#options;
    for (const exchange of this.#exchanges.values()) if (!jsonOnly && now - exchange.since >= streamAfterMs) this.#becomeStream(exchange);
    for (const stream of this.#open) stream.keepAlive(now, keepAliveMs);
  }

  // ---- inside

  #makeStream(id: string): SessionStream {
    return new SessionStream(id, this.#options.events, (error) => this.onerror?.(error));
  }

  #expect(requests: readonly JSONRPCRequest[], from: { reply: HttpReply; headers: HttpHeaders; isBatch: boolean; messages: readonly unknown[] }): void {
    const { reply, headers, isBatch } = from;
    const stream = this.#makeStream(crypto.randomUUID());
    for (const { id } of requests) {
      stream.owed.add(id);
      this.#streams.set(id, stream);
    }
    const [first] = requests;
    const stateless = first && this.#options.ownRulesOf(first);
    const errorStatus = stateless && ((answer: JSONRPCResponse) => ('error' in answer ? stateless.errorStatus(answer.error) : 200));
    const exchange: Exchange = { stream, reply, headers, isBatch, answers: [], since: this.#options.clock.now(), errorStatus };
    this.#exchanges.set(stream, exchange);
    reply.onabort(() => this.#left(stream, stateless !== undefined));
    const opens = requests.some((request) => request.method === 'initialize');
    if (this.#options.events && !this.#options.jsonOnly && !opens && stateless === undefined && requests.length > 0) this.#becomeStream(exchange);
  }

  #controls(stream: SessionStream): Pick<MessageExtraInfo, 'closeSSEStream'> {
    if (!this.#options.events || !this.#polling) return {};
    return {
      closeSSEStream: () => {
        const exchange = this.#exchanges.get(stream);
        if (exchange) this.#becomeStream(exchange);
        this.#open.delete(stream);
        stream.pause(this.#options.retryMs);
      },
    };
  }

  #sendOne(message: JSONRPCMessage, related: RequestId | undefined): void {
    const kind = kindOf(message);
    if (kind === 'result' || kind === 'error') return this.#answer(message as JSONRPCResponse);
    const stream = related === undefined ? undefined : this.#streams.get(related);
    const exchange = stream && this.#exchanges.get(stream);
    if (exchange && this.#options.jsonOnly) {
      if (kind === 'request') throw new TransportError('closed', 'This session answers with JSON only, so the client cannot be asked anything.');
      return;
    }
    if (exchange) this.#becomeStream(exchange);
    const target = stream ?? this.#standing;
    if (!target.isOpen && !this.#options.events && kind === 'request') throw new TransportError('closed', 'The client reads no stream on which it could be asked.');
    target.send(message);
  }

  #answer(answer: JSONRPCResponse): void {
    const { id } = answer;
    const stream = id === undefined || id === null ? this.#unnamed() : this.#streams.get(id);
    if (stream === undefined) return;
    if (id !== undefined && id !== null) {
      stream.owed.delete(id);
      this.#streams.delete(id);
    }
    const exchange = this.#exchanges.get(stream);
    if (exchange) exchange.answers.push(answer);
    else stream.send(answer);
    if (stream.owed.size > 0) return;
    if (exchange) this.#respond(exchange);
    else {
      this.#open.delete(stream);
      stream.end();
      this.#settled();
    }
  }

  /** An answer without an id is to what came last and could not be read. */
  #unnamed(): SessionStream | undefined {
    return [...this.#exchanges.keys()].findLast((stream) => stream.owed.size === 0);
  }

  #respond({ stream, reply, headers, isBatch, answers, errorStatus }: Exchange): void {
    this.#exchanges.delete(stream);
    const [only] = answers;
    if (only === undefined) {
      reply.send(202, headers);
      return this.#settled();
    }
    const isUnreadable = 'error' in only && (only.id === undefined || only.id === null);
    const status = isUnreadable ? 400 : (errorStatus?.(only) ?? 200);
    reply.send(status, { ...JSON_HEADERS, ...headers }, isBatch ? serialise(answers) : serialise(only));
    this.#settled();
  }

  #settled(): void {
    if (!this.isActive && this.#exchanges.size === 0) this.#options.onidle?.();
  }

  #becomeStream(exchange: Exchange): void {
    const { stream, reply, headers, answers } = exchange;
    this.#exchanges.delete(stream);
    this.#open.add(stream);
    stream.attach(reply.open(200, { ...STREAM_HEADERS, ...headers }), this.#polling);
    for (const answer of answers) stream.send(answer);
  }

  #attach(stream: SessionStream, reply: HttpReply, headers: HttpHeaders): void {
    reply.onabort(() => this.#detach(stream));
    this.#open.add(stream);
    stream.attach(reply.open(200, { ...STREAM_HEADERS, ...headers }), this.#polling);
  }

  async #resume(lastEventId: string, events: EventStore, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    const id = await events.getStreamIdForEventId?.(lastEventId);
    const live = id === STANDING ? this.#standing : [...this.#streams.values(), ...this.#open].find((stream) => stream.id === id);
    const stream = live ?? this.#makeStream(id ?? STANDING);
    const sink = reply.open(200, { ...STREAM_HEADERS, ...headers });
    reply.onabort(() => this.#detach(stream));
    this.#open.add(stream);
    await stream.resume(sink, lastEventId);
    if (live === undefined) {
      this.#open.delete(stream);
      stream.end();
    }
  }

  #detach(stream: SessionStream): void {
    stream.detach();
    this.#open.delete(stream);
  }

  /** The client of a POST has gone. Only a stateless request is cancelled by that. */
  #left(stream: SessionStream, isStateless: boolean): void {
    this.#detach(stream);
    this.#exchanges.delete(stream);
    if (!isStateless) return;
    for (const requestId of stream.owed) {
      this.#streams.delete(requestId);
      this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'The client closed the connection.' } });
    }
  }
}
