import type { JSONRPCMessage, RequestId, Transport } from 'crosspoint';
import type { HttpRequest, StreamableHTTPServerTransportOptions } from 'crosspoint/server';
import { resolveMaxRequestBodySize } from '../../../server/requestBody.ts';
import { DEFAULT_SSE_KEEP_ALIVE_MS } from '../../../server/sseKeepAlive.ts';
import { isInitializeRequest, isInitializedNotification } from '../../types/guards.ts';
import { SUPPORTED_PROTOCOL_VERSIONS } from '../../types/versions.ts';
import { EventStreams, writeReplay, type Reader } from './event-streams.ts';
import { hostFault } from './allowed-requests.ts';
import { isPerRequest, namesItsRevision, type HttpReply } from './exchange.ts';
import { PendingExchange } from './pending-exchange.ts';
import { mediaFault, messagesIn, polls, readBody, requestIdOf, versionOf, type Post } from './posted.ts';
import {
  REFUSED,
  REPLAY_FAILED,
  forbidden,
  parseError,
  sendRefusal,
  unsupportedVersion,
  type Refusal,
} from './refusals.ts';

/** The transport for which handshake clients are served. */
export type HandshakeSide = Pick<Transport, 'onmessage' | 'onerror' | 'onassumed' | 'close'>;

/**
 * Streamable HTTP towards clients that open with a handshake, as v1 speaks it: a POST with requests opens a stream at once, and a refusal has v1's
 * code and words and is told to `onerror`.
 */
export class HandshakeHttp {
  sessionId: string | undefined;
  readonly #options: StreamableHTTPServerTransportOptions;
  readonly #side: HandshakeSide;
  readonly #isElsewhere: (id: RequestId) => boolean;
  readonly #maxBytes: number;
  readonly #streams: EventStreams;
  readonly #exchanges = new Map<RequestId, PendingExchange>();
  /** The caller who opened the session; for others it does not exist. */
  #opener: string | null | undefined;
  #isStarted = false;
  #isInitialized = false;
  #isUsed = false;
  #isClosed = false;

  /** `isElsewhere` says whether a request of an id is served by the rest of the transport. */
  constructor(
    options: StreamableHTTPServerTransportOptions,
    side: HandshakeSide,
    isElsewhere: (id: RequestId) => boolean,
  ) {
    const { eventStore, retryInterval, keepAliveMs = DEFAULT_SSE_KEEP_ALIVE_MS } = options;
    this.#options = options;
    this.#side = side;
    this.#isElsewhere = isElsewhere;
    this.#maxBytes = resolveMaxRequestBodySize(options.maxRequestBodySize);
    const onproblem = (error: Error): void => side.onerror?.(error);
    this.#streams = new EventStreams({ eventStore, retryInterval, keepAliveMs, onproblem });
  }

  start(): void {
    if (this.#isStarted) throw new Error('Transport already started');
    this.#isStarted = true;
  }

  /** Begins a request. Throws where there are no sessions and one was served before: the ids of two clients would meet. */
  begin(): void {
    if (this.#isClosed || this.#options.sessionIdGenerator !== undefined) return;
    if (this.#isUsed)
      throw new Error('Stateless transport cannot be reused across requests. Create a new transport per request.');
    this.#isUsed = true;
  }

  /** Serves a request. False for one of a client without handshakes; its body is in `parsedBody` if only that told. */
  async serve(request: HttpRequest, reply: HttpReply): Promise<boolean> {
    const fault = hostFault({ host: request.header('host'), origin: request.header('origin') }, this.#options);
    if (fault !== undefined) return this.refuse(reply, forbidden(fault));
    if (isPerRequest(request.header('mcp-protocol-version'))) return false;
    if (this.#isClosed) return this.refuse(reply, REFUSED.closed);
    if (request.method === 'POST') return this.#post(request, reply);
    if (request.method === 'GET') return this.#get(request, reply);
    if (request.method === 'DELETE') return this.#delete(request, reply);
    return this.refuse(reply, REFUSED.method);
  }

  /** Sends a message; `undefined` for one that belongs to a request served elsewhere. */
  send(message: Parameters<Transport['send']>[0], relatedRequestId: RequestId | undefined): Promise<void> | undefined {
    // Batches are answered message by message here.
    if (Array.isArray(message)) return undefined;
    const one = message as JSONRPCMessage;
    const id = 'method' in one ? relatedRequestId : (one.id ?? undefined);
    if (id === undefined) return 'method' in one ? this.#sendStanding(one) : undefined;
    return this.#isElsewhere(id) ? undefined : this.#sendFor(id, one);
  }

  async #sendFor(id: RequestId, message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    const isAnswer = !('method' in message);
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) throw noConnection(id);
    const isJson = this.#options.enableJsonResponse === true;
    if (isJson && isQuestion(message))
      throw new Error('The client cannot be asked: this transport answers with JSON alone.');
    const written = isJson ? undefined : await this.#streams.write(exchange.stream, message);
    if (written?.hasCursor) exchange.hasCursor = true;
    if (isAnswer && exchange.answer(id, message)) this.#finish(exchange, id, written?.isRead === true);
  }

  /** Ends the connection that carries the answer to a request. */
  closeSSEStream(requestId: RequestId): void {
    const exchange = this.#exchanges.get(requestId);
    if (exchange === undefined) return;
    exchange.reply = undefined;
    this.#streams.endAfterWrites(exchange.stream);
  }

  closeStandaloneSSEStream(): void {
    this.#streams.endAfterWrites(this.#streams.standing);
  }

  close(): void {
    this.#isClosed = true;
    this.#streams.endAll();
    for (const { reply } of this.#exchanges.values()) if (reply) sendRefusal(reply, REFUSED.closed);
    this.#exchanges.clear();
  }

  /** Sends a refusal, and tells of it. Returns true: the request has been served. */
  refuse(reply: HttpReply, refusal: Refusal): true {
    if (refusal.isExpected !== true) this.#side.onerror?.(new Error(refusal.message));
    sendRefusal(reply, refusal);
    return true;
  }

  // ---- incoming

  async #post(request: HttpRequest, reply: HttpReply): Promise<boolean> {
    try {
      const unread = mediaFault(request) ?? (await readBody(request, this.#maxBytes));
      if (unread) return this.refuse(reply, unread);
      if (namesItsRevision(request.parsedBody)) return false;
      const messages = messagesIn(request.parsedBody);
      if ('status' in messages) return this.refuse(reply, messages);
      if (this.#isClosed) return this.refuse(reply, REFUSED.closed);
      const isOpening = messages.some(isInitializeRequest);
      const isEnding = messages.some(isInitializedNotification);
      const fault = isOpening ? await this.#initialize(messages, request) : this.#fault(request, isEnding);
      if (fault) return this.refuse(reply, fault);
      // The program may have closed the transport while its callback ran.
      if (this.#isClosed) return this.refuse(reply, REFUSED.closed);
      await this.#receive({ request, reply, messages });
    } catch (error) {
      this.#side.onerror?.(error as Error);
      this.refuse(reply, parseError(error));
    }
    return true;
  }

  async #initialize(messages: readonly JSONRPCMessage[], request: HttpRequest): Promise<Refusal | undefined> {
    const { sessionIdGenerator, onsessioninitialized } = this.#options;
    if (this.#isInitialized && this.sessionId !== undefined) return REFUSED.initialized;
    if (messages.length > 1) return REFUSED.initializesTwice;
    this.sessionId = sessionIdGenerator?.();
    this.#opener = request.principal;
    this.#isInitialized = true;
    if (this.sessionId) await onsessioninitialized?.(this.sessionId);
    return undefined;
  }

  /** Why a request after the handshake is refused. `isEnding`: it ends the handshake. */
  #fault(request: HttpRequest, isEnding = false): Refusal | undefined {
    return this.#sessionFault(request) ?? this.#versionFault(request.header('mcp-protocol-version'), isEnding);
  }

  #sessionFault(request: HttpRequest): Refusal | undefined {
    if (this.#options.sessionIdGenerator === undefined) return undefined;
    const id = request.header('mcp-session-id');
    if (!this.#isInitialized) return REFUSED.notInitialized;
    if (!id) return REFUSED.noSessionId;
    return id === this.sessionId && request.principal === this.#opener ? undefined : REFUSED.otherSession;
  }

  #versionFault(version: string | undefined, isEnding: boolean): Refusal | undefined {
    if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return unsupportedVersion(version);
    const isAssumed = this.#options.sessionIdGenerator === undefined;
    return isAssumed && this.#side.onassumed?.(version, isEnding) === false ? unsupportedVersion(version) : undefined;
  }

  async #receive(post: Post): Promise<void> {
    const { request, reply, messages } = post;
    const ids = messages.map(requestIdOf).filter((id) => id !== undefined);
    if (ids.length === 0) {
      this.#deliver(post);
      return reply.send(202, {});
    }
    if (new Set(ids).size < ids.length || ids.some((id) => this.#exchanges.has(id) || this.#isElsewhere(id)))
      return void this.refuse(reply, REFUSED.idInUse);
    const isJson = this.#options.enableJsonResponse === true;
    const exchange = new PendingExchange(this.#streams.nextName(), ids, isJson ? reply : undefined);
    for (const id of ids) this.#exchanges.set(id, exchange);
    if (isJson) return this.#deliver(post);
    const connection = this.#streams.connect(exchange.stream, this.#readerOf(request, reply));
    try {
      if (this.#streams.areStored && polls(versionOf(post))) {
        await this.#streams.prime(exchange.stream, connection);
        exchange.hasCursor = true;
      }
      this.#deliver(post);
    } catch (error) {
      connection.end();
      this.#forget(exchange);
      throw error;
    }
    connection.open();
  }

  #deliver(post: Post): void {
    const { request, messages } = post;
    const { authInfo, principal, address = '' } = request;
    const requestInfo = { headers: request.allHeaders(), url: request.url };
    const isStream = this.#options.enableJsonResponse !== true;
    const mayReturn = isStream && this.#streams.areStored && polls(versionOf(post));
    for (const message of messages) {
      const id = requestIdOf(message);
      const closes = id === undefined || !mayReturn ? {} : this.#closes(id);
      this.#side.onmessage?.(message, { authInfo, principal, address, requestInfo, ...closes });
      const cancelled = cancelledBy(message);
      if (cancelled !== undefined) this.#abandon(cancelled);
    }
  }

  /** A request was cancelled: it gets no answer, and its stream ends. */
  #abandon(id: RequestId): void {
    const exchange = this.#exchanges.get(id);
    if (exchange?.answer(id, undefined)) this.#finish(exchange, id, true);
  }

  #closes(id: RequestId): { closeSSEStream: () => void; closeStandaloneSSEStream: () => void } {
    return {
      closeSSEStream: () => this.closeSSEStream(id),
      closeStandaloneSSEStream: () => this.closeStandaloneSSEStream(),
    };
  }

  async #get(request: HttpRequest, reply: HttpReply): Promise<true> {
    if (!request.header('accept')?.includes('text/event-stream')) return this.refuse(reply, REFUSED.getAccept);
    const fault = this.#fault(request);
    if (fault) return this.refuse(reply, fault);
    const lastEventId = request.header('last-event-id');
    if (this.#streams.areStored && lastEventId) return this.#resume(lastEventId, request, reply);
    const { standing } = this.#streams;
    if (this.#streams.isRead(standing)) return this.refuse(reply, REFUSED.secondStanding);
    this.#streams.connect(standing, this.#readerOf(request, reply)).open();
    return true;
  }

  async #delete(request: HttpRequest, reply: HttpReply): Promise<true> {
    const fault = this.#fault(request);
    if (fault) return this.refuse(reply, fault);
    try {
      await this.#options.onsessionclosed?.(this.sessionId as string);
      reply.send(200, {});
    } finally {
      await this.#side.close();
    }
    return true;
  }

  /** Sends the events after the last one that the client saw, and goes on with their stream. */
  async #resume(lastEventId: string, request: HttpRequest, reply: HttpReply): Promise<true> {
    try {
      const replay = await this.#streams.replayAfter(lastEventId);
      if (this.#isClosed) return this.refuse(reply, REFUSED.closed);
      if ('status' in replay) return this.refuse(reply, replay);
      const { stream, events } = replay;
      const connection = this.#streams.connect(stream, this.#readerOf(request, reply));
      writeReplay(connection, replay);
      const pending = [...this.#exchanges.values()].filter((exchange) => exchange.stream === stream);
      for (const exchange of pending) exchange.hasCursor = true;
      connection.open();
      if (pending.length === 0 && events.some(({ message }) => !('method' in message))) connection.end();
    } catch (error) {
      this.#side.onerror?.(error as Error);
      this.refuse(reply, REPLAY_FAILED);
    }
    return true;
  }

  // ---- outgoing

  async #sendStanding(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    // Without sessions there is no other stream than that of the one request.
    const [only] = this.#options.sessionIdGenerator === undefined && !isQuestion(message) ? this.#exchanges.keys() : [];
    if (only !== undefined) return this.#sendFor(only, message);
    const { isRead } = await this.#streams.write(this.#streams.standing, message);
    if (!isRead && !this.#streams.areStored && isQuestion(message))
      throw new Error('The client cannot be asked: it has no stream open on which it would be.');
  }

  /** All answers are there: they are sent, or the stream with them is ended. */
  #finish(exchange: PendingExchange, id: RequestId, isRead: boolean): void {
    if (this.#isClosed) return;
    this.#forget(exchange);
    if (exchange.reply) return this.#sendJson(exchange, exchange.reply);
    if (isRead) return this.#streams.end(exchange.stream);
    if (!exchange.hasCursor) throw noConnection(id);
  }

  #sendJson({ body, stream }: PendingExchange, reply: HttpReply): void {
    const { sessionId } = this;
    const session: Record<string, string> = sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
    if (body !== undefined) return reply.send(200, { 'Content-Type': 'application/json', ...session }, body);
    // A stream without events is the only reply that gives no answer.
    const connection = this.#streams.connect(stream, { reply, sessionId, authInfo: undefined });
    connection.end();
    connection.open();
  }

  #forget(exchange: PendingExchange): void {
    for (const id of exchange.ids) this.#exchanges.delete(id);
  }

  #readerOf({ authInfo }: HttpRequest, reply: HttpReply): Reader {
    return { reply, sessionId: this.sessionId, authInfo };
  }
}

/** The request that a message cancels. */
function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  const isCancellation = 'method' in message && message.method === 'notifications/cancelled';
  return isCancellation ? (message.params?.['requestId'] as RequestId | undefined) : undefined;
}

function isQuestion(message: JSONRPCMessage): boolean {
  return requestIdOf(message) !== undefined;
}

function noConnection(id: RequestId): Error {
  return new Error(`No connection established for request ID: ${String(id)}`);
}
