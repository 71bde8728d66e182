import { attempt, report } from '../../../runtime/guard.ts';
import {
  kindOf,
  type JSONRPCBatch,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '../../../jsonrpc/message.ts';
import { toProtocolError } from '../../../protocol/errors.ts';
import { systemClock } from '../../../peer/clock.ts';
import { claimedVersion, findRevision } from '../../../revisions/index.ts';
import type { EventStore } from '../../../transports/http/server/sessions/event-store.ts';
import type { HttpReply, HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import { refusal } from '../../../transports/http/server/guards/host-and-origin.ts';
import { accepts } from '../../../transports/http/server/guards/media.ts';
import { checkMirroredHeaders } from '../../../transports/http/server/guards/mirrored-headers.ts';
import { givenEvents } from '../../../transports/http/server/sessions/session-events.ts';
import { StreamableSession } from '../../../transports/http/server/sessions/streamable-session.ts';
import type { HttpService } from '../../../transports/http/server/adapters/http-service.ts';
import { Ticker } from '../../../transports/http/server/sessions/ticker.ts';
import type { Transport, TransportSendOptions } from '../../../transports/transport.ts';
import { CallerReader, type CallerOptions } from '../caller-reader.ts';
import { httpRulesOf } from '../endpoint.ts';
import { BODY_LIMITS, acceptsAnswers, readPost } from '../read-post.ts';
import { refuse, sendError, type HttpRefusal } from '../../../transports/http/server/adapters/refuse.ts';
import { newSessionId } from '../sessions/session-id.ts';
import { informTransport, type ConnectedTransport } from '../../session/session.ts';
import type { Connection } from '../../session/connection.ts';
import { unsupportedVersion } from '../../../transports/http/server/sessions/session-refusals.ts';

export type StreamId = string;
export type EventId = string;

export interface StreamableHTTPServerTransportOptions extends CallerOptions {
  /** Makes the id of the session; without it there are no sessions, and each request is served on its own. */
  sessionIdGenerator?: (() => string) | undefined;
  /** Called with the id of a new session, before its client gets it. */
  onsessioninitialized?: (sessionId: string) => void | Promise<void>;
  /** Called when the client ends the session. */
  onsessionclosed?: (sessionId: string) => void | Promise<void>;
  /** Always answers with JSON; notifications during the call are dropped. */
  enableJsonResponse?: boolean;
  /** Makes streams resumable. */
  eventStore?: EventStore;
  /** Milliseconds that a client waits before it reconnects to a stream. */
  retryInterval?: number;
  /** False turns off the check of Host and Origin, for servers behind a proxy that has checked them. */
  enableDnsRebindingProtection?: boolean;
  /** Host names (with or without a port) under which the server may be reached. */
  allowedHosts?: string[];
  allowedOrigins?: string[];
  /** Milliseconds between comments on a silent stream; 0 for none. */
  keepAliveMs?: number;
  /** Longest body in bytes. */
  maxRequestBodySize?: number;
}

const TICK_MS = 1000;
const MAX_STREAMS = 100;

/** One client (without sessions, one request) over Streamable HTTP: the base of the classes for Node and for the web. */
export class StreamableServerTransport implements ConnectedTransport {
  readonly #options: StreamableHTTPServerTransportOptions;
  readonly #session: StreamableSession;
  readonly #ticker: Ticker;
  readonly #callers: CallerReader;
  /** The caller who opened the session; for others it does not exist. */
  #opener: string | null | undefined;
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];
  onassumed: Transport['onassumed'];
  mirroredParams: Transport['mirroredParams'];
  namedBy: Transport['namedBy'];

  constructor(options: StreamableHTTPServerTransportOptions = {}) {
    this.#options = options;
    this.#callers = new CallerReader(options);
    const { enableJsonResponse = false, eventStore, retryInterval = 1000, keepAliveMs = 15_000 } = options;
    this.#ticker = new Ticker(systemClock, TICK_MS, this.#problem);
    const shared = {
      jsonOnly: enableJsonResponse,
      streamAfterMs: 15_000,
      keepAliveMs,
      retryMs: retryInterval,
      maxStreams: MAX_STREAMS,
      ticker: this.#ticker,
      clock: systemClock,
      ...httpRulesOf({ find: (id) => (typeof id === 'string' ? findRevision(id) : undefined) }),
    };
    this.#session = new StreamableSession(shared, {
      sessionId: undefined,
      events: eventStore && givenEvents(eventStore, crypto.randomUUID()),
    });
    this.#session.attachSide({
      onmessage: (message, extra) => this.onmessage?.(message, extra),
      onerror: this.#problem,
      onclose: () => attempt(() => this.onclose?.(), this.#problem),
    });
  }

  get sessionId(): string | undefined {
    return this.#session.sessionId;
  }

  /** @internal */
  onconnection(connection: Connection): void {
    informTransport(this, connection);
  }

  start(): Promise<void> {
    return this.#session.start();
  }
  async send(message: JSONRPCMessage | JSONRPCBatch, options?: TransportSendOptions): Promise<void> {
    this.#session.send(message, options);
  }
  async close(): Promise<void> {
    await this.#session.close();
    this.#ticker.stop();
  }
  setProtocolVersion(version: string): void {
    this.#session.setProtocolVersion(version);
  }
  /** Closes the connection that carries the answer to a request; the client reconnects to get it. */
  closeSSEStream(requestId: RequestId): void {
    this.#session.closeSSEStream(requestId);
  }
  /** Closes the connection of the standing stream; the client may reconnect to it. */
  closeStandaloneSSEStream(): void {
    this.#session.closeStandaloneSSEStream();
  }

  /** @internal Serves one HTTP request. Never rejects: errors are answered, and reported to `onerror`. */
  protected readonly service: HttpService = {
    serve: (request, reply) => this.#handle(request, reply),
    onproblem: (problem) => this.#problem(problem),
  };

  async #handle(request: HttpRequest, reply: HttpReply): Promise<void> {
    const { enableDnsRebindingProtection = true } = this.#options;
    const refused = enableDnsRebindingProtection ? refusal(request, this.#options) : undefined;
    if (refused !== undefined) return refuse(reply, { status: 403, message: refused });
    this.#callers.identify(request);
    await this.serve(request, reply);
  }

  /**
   * Serves a request whose Host and Origin have been checked and whose caller is known. A subclass that answers some clients in its own way overrides
   * it, and passes all other requests on; the body of one that it has read goes into `parsedBody`.
   */
  protected async serve(request: HttpRequest, reply: HttpReply): Promise<void> {
    const { sessionIdGenerator } = this.#options;
    if (request.method === 'POST') return this.#post(request, reply);
    const isKnown = request.method === 'GET' || request.method === 'DELETE';
    if (isKnown && sessionIdGenerator)
      return request.method === 'GET' ? this.#get(request, reply) : this.#delete(request, reply);
    refuse(
      reply,
      { status: 405, message: `${request.method} is not served here.` },
      { Allow: sessionIdGenerator ? 'POST, GET, DELETE' : 'POST' },
    );
  }

  /** Whether a request of this id waits for its answer here. */
  protected worksOn(id: RequestId): boolean {
    return this.#session.worksOn(id);
  }

  readonly #problem = (problem: unknown): void => report((error) => this.onerror?.(error), problem);

  async #post(request: HttpRequest, reply: HttpReply): Promise<void> {
    if (!acceptsAnswers(request, reply, {})) return;
    const body = await readPost(
      request,
      reply,
      { ...BODY_LIMITS, maxBytes: this.#options.maxRequestBodySize ?? BODY_LIMITS.maxBytes },
      {},
    );
    if (body === undefined) return;
    const isOpening = kindOf(body.value) === 'request' && (body.value as JSONRPCRequest).method === 'initialize';
    const isStateless = kindOf(body.value) === 'request' && claimedVersion(body.value as JSONRPCRequest) !== undefined;
    const mayPass = isStateless
      ? this.#checkStateless(body.value as JSONRPCRequest, request, reply)
      : isOpening
        ? await this.#begin(request, reply)
        : this.#isOfSession(request, reply);
    if (mayPass) this.#session.post(body.value, request, reply);
  }

  async #get(request: HttpRequest, reply: HttpReply): Promise<void> {
    if (!accepts(request.header('accept'), 'text/event-stream'))
      return refuse(reply, { status: 406, message: 'GET needs Accept: text/event-stream.' });
    if (this.#isOfSession(request, reply)) await this.#session.get(request, reply);
  }

  async #delete(request: HttpRequest, reply: HttpReply): Promise<void> {
    if (!this.#isOfSession(request, reply)) return;
    await this.#options.onsessionclosed?.(this.sessionId ?? '');
    await this.close();
    reply.send(200, {});
  }

  /** Whether a handshake may begin; otherwise the refusal has been sent. */
  async #begin(request: HttpRequest, reply: HttpReply): Promise<boolean> {
    const { sessionIdGenerator, onsessioninitialized } = this.#options;
    if (!sessionIdGenerator) return true;
    if (this.sessionId !== undefined || request.header('mcp-session-id') !== undefined) {
      const id = request.header('mcp-session-id');
      const isOwn = id === undefined || (id === this.sessionId && request.principal === this.#opener);
      refuse(reply, {
        status: isOwn ? 400 : 404,
        message: isOwn
          ? 'The session is initialized already.'
          : 'The session is over or never was: send initialize again, without its id.',
      });
      return false;
    }
    const id = newSessionId(sessionIdGenerator, 'sessionIdGenerator');
    this.#session.sessionId = id;
    this.#opener = request.principal;
    await onsessioninitialized?.(id);
    return true;
  }

  /** Whether the request names this session and a supported version; without sessions, the version alone counts. */
  #isOfSession(request: HttpRequest, reply: HttpReply): boolean {
    const version = request.header('mcp-protocol-version');
    const refused = this.#versionFault(version) ?? this.#sessionFault(request);
    if (refused) refuse(reply, refused);
    return refused === undefined;
  }

  #versionFault(version: string | undefined): HttpRefusal | undefined {
    const isSupported = this.#options.sessionIdGenerator
      ? version === undefined || findRevision(version)?.family === 'handshake'
      : this.onassumed?.(version) !== false;
    return isSupported ? undefined : unsupportedVersion(version);
  }

  #sessionFault(request: HttpRequest): HttpRefusal | undefined {
    if (!this.#options.sessionIdGenerator) return undefined;
    const id = request.header('mcp-session-id');
    if (this.sessionId === undefined || id === undefined)
      return { status: 400, message: 'The Mcp-Session-Id header is missing: send initialize first.' };
    return id === this.sessionId && request.principal === this.#opener && !this.#session.isClosed
      ? undefined
      : { status: 404, message: 'The session is over or never was: send initialize again.' };
  }

  /** Whether a request that names its own revision has a complete envelope and matching headers. */
  #checkStateless(message: JSONRPCRequest, request: HttpRequest, reply: HttpReply): boolean {
    const claimed = claimedVersion(message);
    const revision = typeof claimed === 'string' ? findRevision(claimed) : undefined;
    // A request without a stateless revision is left to the connected server, which knows what it speaks.
    if (revision?.family !== 'per-request') return true;
    try {
      const { method, params } = revision.readRequest(message);
      checkMirroredHeaders(request, {
        method,
        params,
        claimedVersion: claimed,
        namedBy: this.namedBy?.(method),
        mirrored: this.mirroredParams?.({ method, params }) ?? [],
      });
      return true;
    } catch (error) {
      sendError(reply, 400, revision.writeError(toProtocolError(error)), { id: message.id });
      return false;
    }
  }
}
