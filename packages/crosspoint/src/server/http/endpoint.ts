import { kindOf, type ErrorObject, type JSONRPCRequest } from '../../jsonrpc/message.ts';
import { ProtocolError, toProtocolError, type FaultKind } from '../../protocol/errors.ts';
import { claimedVersion, assumedRevision } from '../../revisions/index.ts';
import { unsupportedVersion } from '../../revisions/faults.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { SpokenRevisions } from '../../revisions/selection.ts';
import { memoryStore } from '../../stores/memory.ts';
import { sendError } from '../../transports/http/answers.ts';
import { corsHeaders, preflightHeaders } from '../../transports/http/cors.ts';
import { BodyTimeout, BodyTooLarge, type HttpHeaders, type HttpReply, type HttpRequest } from '../../transports/http/exchange.ts';
import { refusal } from '../../transports/http/guards.ts';
import { accepts, isJson } from '../../transports/http/media.ts';
import { StreamableSession, type StreamableSessionOptions } from '../../transports/http/streamable-session.ts';
import { Ticker } from '../../transports/http/ticker.ts';
import { discover } from '../built-in.ts';
import type { ServerCore } from '../core.ts';
import type { RequestHandler } from '../handler.ts';
import { LogGate } from '../log-gate.ts';
import { ListenHub } from './listen-hub.ts';
import { checkMirroredHeaders } from './mirrored-headers.ts';
import type { McpHandlerOptions } from './options.ts';
import { Sessions, type LiveSession } from './sessions.ts';
import { SseEndpoints } from './sse-endpoints.ts';
import { StatelessExchange, type StatelessLane } from './stateless-exchange.ts';

const MINUTE = 60_000;
const TICK_MS = 1000;

/**
 * One endpoint for every revision. The order of its checks: Host and Origin, path, method, media types, size, parse, family, envelope,
 * headers against body, version, method, params, capability.
 */
export class Endpoint {
  readonly #core: ServerCore;
  readonly #options: McpHandlerOptions;
  readonly #ticker: Ticker;
  readonly #listens: ListenHub;
  readonly #lane: StatelessLane;
  readonly #sessions: Sessions | undefined;
  readonly #sse: SseEndpoints | undefined;
  readonly #detach: () => void;
  readonly #newest: Revision | undefined;
  #closing = false;

  constructor(core: ServerCore, options: McpHandlerOptions) {
    this.#core = core;
    this.#options = options;
    this.#newest = core.spoken.newest('per-request');
    this.#ticker = new Ticker(core.clock, TICK_MS);
    this.#listens = new ListenHub(options.maxListens ?? 10_000, options.maxListenMs ?? 60 * MINUTE);
    this.#detach = core.attach(this.#listens);
    const { streamAfterMs = 15_000, keepAliveMs = 15_000 } = options;
    this.#lane = { core, logs: new LogGate(core.clock), ticker: this.#ticker, streamAfterMs, keepAliveMs, builtIn: (exchange, method) => this.#builtIn(exchange, method) };
    const handshakes = core.spoken.all.some((revision) => revision.http.sessions);
    this.#sessions = handshakes && options.sessions !== false ? this.#makeSessions() : undefined;
    const pairs = core.spoken.all.some((revision) => !revision.http.streamable);
    this.#sse = pairs && options.legacySse !== false ? new SseEndpoints(core, options.legacySse ?? {}, this.#ticker) : undefined;
  }

  get isReady(): boolean {
    return !this.#closing;
  }

  async handle(request: HttpRequest, reply: HttpReply): Promise<void> {
    const refused = refusal(request, this.#options);
    if (refused !== undefined) return refuse(reply, 403, this.#fault('invalid-request', refused), {});
    const headers: HttpHeaders = this.#options.cors ? corsHeaders(request) : {};
    if (request.method === 'OPTIONS' && this.#options.cors) return reply.send(204, preflightHeaders(request, this.#options.cors === true ? {} : this.#options.cors));
    if (this.#closing) return refuse(reply, 503, this.#fault('internal', 'The server is closing.'), { ...headers, 'Retry-After': '1' });
    try {
      if (this.#sse?.serves(request)) return await this.#sse.handle(request, reply, (taken) => this.#readBody(taken, reply, headers), headers);
      if (this.#options.path !== undefined && request.path !== this.#options.path) return refuse(reply, 404, this.#fault('invalid-request', `There is nothing at ${request.path}; the endpoint is ${this.#options.path}.`), headers);
      await this.#route(request, reply, headers);
    } catch (error) {
      this.#core.onproblem(error instanceof Error ? error : new Error(String(error)));
      refuse(reply, 500, this.#fault('internal', 'Internal error'), headers);
    }
  }

  /** Stops accepting, ends long streams in their own words, waits for what is being worked on, then ends the rest. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.#listens.close();
    const until = this.#core.clock.now() + graceMs;
    while (this.#ticker.isWorking && this.#core.clock.now() < until) await new Promise<void>((resolve) => void this.#core.clock.setTimeout(resolve, 20));
    await this.#sessions?.close();
    await this.#sse?.close();
    this.#ticker.stop();
    this.#detach();
  }

  // ---- routing

  async #route(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    switch (request.method) {
      case 'POST':
        return this.#post(request, reply, headers);
      case 'GET':
        return this.#withSession(request, reply, headers, async (session) => {
          if (!accepts(request.header('accept'), 'text/event-stream')) return refuse(reply, 406, this.#fault('invalid-request', 'GET needs Accept: text/event-stream.'), headers);
          await session.transport.get(request, reply, headers);
        });
      case 'DELETE':
        return this.#withSession(request, reply, headers, async (session) => {
          await this.#sessions?.end(session);
          reply.send(200, headers);
        });
      default:
        return refuse(reply, 405, this.#fault('invalid-request', `${request.method} is not part of the protocol.`), { ...headers, Allow: this.#allowed() });
    }
  }

  async #post(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    if (!isJson(request.header('content-type'))) return refuse(reply, 415, this.#fault('invalid-request', 'POST needs Content-Type: application/json.'), headers);
    const accept = request.header('accept');
    if (!accepts(accept, 'application/json') && !accepts(accept, 'text/event-stream')) return refuse(reply, 406, this.#fault('invalid-request', 'POST needs Accept: application/json, text/event-stream.'), headers);
    const body = await this.#readBody(request, reply, headers);
    if (body === undefined) return;
    const { value } = body;
    if (this.#isStateless(request, value)) return this.#stateless(request, reply, value as JSONRPCRequest, headers);
    if (kindOf(value) === 'request' && (value as JSONRPCRequest).method === 'initialize') return this.#initialize(request, reply, value, headers);
    if (!this.#sessions) return this.#handshakeWithoutSession(request, reply, value, headers);
    return this.#withSession(request, reply, headers, async (session) => {
      session.transport.post(value, request, reply, headers);
      await this.#sessions?.save(session);
    });
  }

  /** The body as a value, in a wrapper because any value may be one; `undefined` when the refusal has been sent. */
  async #readBody(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<{ value: unknown } | undefined> {
    if (request.parsedBody !== undefined) return { value: request.parsedBody };
    const { maxBodyBytes = 4 * 1024 * 1024, bodyTimeoutMs = 30_000 } = this.#options;
    try {
      return { value: JSON.parse(await request.readText({ maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs })) as unknown };
    } catch (error) {
      if (error instanceof BodyTooLarge) refuse(reply, 413, this.#fault('invalid-request', error.message), { ...headers, Connection: 'close' });
      else if (error instanceof BodyTimeout) refuse(reply, 408, this.#fault('invalid-request', error.message), { ...headers, Connection: 'close' });
      else refuse(reply, 400, this.#fault('parse-error', 'Parse error: the body is not JSON.'), headers);
      return undefined;
    }
  }

  // ---- stateless

  /** By the body first; a header that names a stateless revision makes a body without an envelope a malformed one, not an old one. */
  #isStateless(request: HttpRequest, value: unknown): boolean {
    if (this.#newest === undefined || kindOf(value) !== 'request') return false;
    if (claimedVersion(value as JSONRPCRequest) !== undefined) return true;
    if (!this.#core.spoken.families.has('handshake')) return true;
    return this.#core.spoken.find(request.header('mcp-protocol-version'))?.family === 'per-request';
  }

  #stateless(request: HttpRequest, reply: HttpReply, message: JSONRPCRequest, headers: HttpHeaders): void {
    const claimed = claimedVersion(message);
    const found = this.#core.spoken.find(claimed);
    const revision = found?.family === 'per-request' ? found : this.#newest;
    if (revision === undefined) return;
    try {
      if (message.method === 'initialize' && claimed === undefined) throw this.#unsupported(message.params?.['protocolVersion']);
      const inbound = revision.readRequest(message);
      checkMirroredHeaders(request, inbound, String(claimed), this.#core.mirroredParams(inbound));
      if (revision !== found) throw this.#unsupported(claimed);
      new StatelessExchange(this.#lane, reply, headers).serve(inbound, revision, { authInfo: request.authInfo, requestInfo: { headers: request.allHeaders() } });
    } catch (error) {
      sendError(reply, 400, revision.writeError(toProtocolError(error)), { id: message.id, headers });
    }
  }

  #builtIn(exchange: StatelessExchange, method: string): RequestHandler | undefined {
    if (method === 'server/discover') return (_request, ctx) => discover(this.#core, ctx.revision);
    return method === 'subscriptions/listen' ? this.#listens.handlerFor(exchange) : undefined;
  }

  #unsupported(requested: unknown): ProtocolError {
    return unsupportedVersion(requested, this.#core.spoken.all.filter((revision) => revision.family === 'per-request').map((revision) => revision.id));
  }

  // ---- handshake

  async #initialize(request: HttpRequest, reply: HttpReply, value: unknown, headers: HttpHeaders): Promise<void> {
    if (!this.#sessions) return this.#handshakeWithoutSession(request, reply, value, headers);
    const session = await this.#sessions.create(this.#principal(request));
    if (!session) return refuse(reply, 503, this.#fault('rate-limited', 'There are too many sessions.'), { ...headers, 'Retry-After': '30' });
    session.transport.post(value, request, reply, { ...headers, 'Mcp-Session-Id': session.id });
    await this.#sessions.save(session);
  }

  /** Each request for itself: a connection that lives as long as its answer, and a client of whom nothing is known. */
  async #handshakeWithoutSession(request: HttpRequest, reply: HttpReply, value: unknown, headers: HttpHeaders): Promise<void> {
    const named = request.header('mcp-protocol-version');
    const revision = named === undefined ? assumedRevision : this.#core.spoken.find(named);
    if (revision?.family !== 'handshake') return refuse(reply, 400, this.#fault('unsupported-version', `Protocol version ${named ?? ''} is not supported.`), headers);
    const opens = kindOf(value) === 'request' && (value as JSONRPCRequest).method === 'initialize';
    const { streamAfterMs, keepAliveMs, ticker } = this.#lane;
    const transport: StreamableSession = new StreamableSession({
      sessionId: undefined, jsonOnly: this.#options.jsonOnly ?? false, events: undefined, streamAfterMs, keepAliveMs, retryMs: 0, ticker, clock: this.#core.clock, ...httpRulesOf(this.#core.spoken),
      onidle: () => queueMicrotask(() => void transport.close()),
    });
    const session = { revision, declared: this.#core.capabilities(), subscriptions: new Set<string>(), facts: { capabilities: {} }, initialized: true };
    await this.#core.open(transport, opens ? undefined : session);
    transport.post(value, request, reply, headers);
    if (!transport.isActive) await transport.close();
  }

  async #withSession(request: HttpRequest, reply: HttpReply, headers: HttpHeaders, run: (session: LiveSession) => Promise<void>): Promise<void> {
    if (!this.#sessions) return refuse(reply, 405, this.#fault('invalid-request', 'There are no sessions here.'), { ...headers, Allow: this.#allowed() });
    const named = request.header('mcp-protocol-version');
    if (named !== undefined && this.#core.spoken.find(named)?.family !== 'handshake') return refuse(reply, 400, this.#fault('unsupported-version', `Protocol version ${named} is not supported.`), headers);
    const id = request.header('mcp-session-id');
    if (id === undefined) return refuse(reply, 400, this.#fault('invalid-request', 'The Mcp-Session-Id header is missing: send initialize first.'), headers);
    const session = await this.#sessions.find(id, this.#principal(request));
    if (!session) return refuse(reply, 404, this.#fault('invalid-request', 'The session is over or never was: send initialize again.'), headers);
    await run(session);
  }

  #makeSessions(): Sessions {
    const { sessions, store = memoryStore(), eventStore, jsonOnly = false, retryMs = 1000 } = this.#options;
    const { idleMs = 30 * MINUTE, max = 10_000, resumable = true, resumeMs = 5 * MINUTE, generateId = () => crypto.randomUUID() } = sessions || {};
    const { streamAfterMs, keepAliveMs, ticker } = this.#lane;
    const transport = { jsonOnly, streamAfterMs, keepAliveMs, retryMs, ticker, clock: this.#core.clock, ...httpRulesOf(this.#core.spoken) };
    return new Sessions({ core: this.#core, store, eventStore, idleMs, max, resumable, resumeMs, generateId, transport });
  }

  // ---- small things

  #principal(request: HttpRequest): string | undefined {
    return this.#options.principal ? this.#options.principal(request.authInfo, request) : request.authInfo?.clientId;
  }

  #allowed(): string {
    return this.#sessions ? 'POST, GET, DELETE' : 'POST';
  }

  /** An error in words that every client understands: what is refused here has not said yet which revision it speaks. */
  #fault(kind: FaultKind, message: string): ErrorObject {
    const revision = this.#core.spoken.newest('handshake') ?? assumedRevision;
    return revision.writeError(new ProtocolError(kind, message));
  }
}

/** How a transport that knows no revisions finds their rules. */
function httpRulesOf(spoken: SpokenRevisions): Pick<StreamableSessionOptions, 'rulesOf' | 'ownRulesOf'> {
  return { rulesOf: (version) => spoken.find(version)?.http, ownRulesOf: (request) => spoken.find(claimedVersion(request))?.http };
}

function refuse(reply: HttpReply, status: number, error: ErrorObject, headers: HttpHeaders): void {
  sendError(reply, status, error, { headers });
}
