import type {
  BodyLimits,
  HttpHeaders,
  HttpReply,
  HttpRequest,
} from '../../transports/http/server/adapters/exchange.ts';
import { asError, atOnce, report } from '../../runtime/guard.ts';
import { claimedVersion } from '../../revisions/index.ts';
import type { SpokenRevisions } from '../../revisions/selection.ts';
import { isStoreUnavailable } from '../../stores/store-unavailable-error.ts';
import { NO_HEADERS } from '../../transports/http/server/adapters/reply-headers.ts';
import { gateOf } from '../../transports/http/server/guards/http-auth.ts';
import type { StreamableShared } from '../../transports/http/server/sessions/streamable-session-options.ts';
import { Ticker } from '../../transports/http/server/sessions/ticker.ts';
import { endTurn } from '../../transports/http/server/adapters/end-of-turn.ts';
import { PendingWork } from '../../transports/http/server/adapters/pending-work.ts';
import { discover } from '../features/built-in.ts';
import type { ServerCore } from '../core.ts';
import type { RequestHandler } from '../calls/handler.ts';
import { LogGate } from '../calls/log-gate.ts';
import { neededScopesOf } from '../callers/needed-scopes.ts';
import { Entrance } from './entrance.ts';
import { SessionRoute, SessionlessRoute, type HandshakeRoute } from './handshake-route.ts';
import { ListenHub } from './sessions/listen-hub.ts';
import type { Nodes } from './nodes/nodes.ts';
import { servingOf } from '../stored/serving.ts';
import type { McpHandlerOptions } from './options.ts';
import { BODY_LIMITS, acceptsAnswers, readPost } from './read-post.ts';
import { Sessions } from './sessions/sessions.ts';
import { SseEndpoints } from './sessions/sse-endpoints.ts';
import { StatelessExchange, type ExchangeShared } from './stateless-exchange.ts';
import { StatelessRoute } from './stateless-route.ts';
import { CLOSING, INTERNAL, refuse } from '../../transports/http/server/adapters/refuse.ts';
import { httpOf } from '../../revisions/http-rules.ts';
import type { HttpRules } from '../../revisions/revision.ts';

const MINUTE = 60_000;
const MIB = 1024 * 1024;
const TICK_MS = 1000;
const ONE_MICROTASK = Promise.resolve();

/** The state of an endpoint. */
export interface Health {
  /** False from the moment it is closed. */
  readonly ready: boolean;
  /** Requests that are being worked on. */
  readonly working: number;
  readonly sessions: number;
  /** Listen streams, and streams of the older transport. */
  readonly streams: number;
}

/**
 * One endpoint for every revision. The order of its checks: Host and Origin, authentication, path, method, media types, size, parse, family, envelope,
 * headers against body, version, method, params, capability.
 */
export class Endpoint {
  readonly #core: ServerCore;
  readonly #options: McpHandlerOptions;
  readonly #ticker: Ticker;
  readonly #work = new PendingWork();
  readonly #listens: ListenHub;
  readonly #stateless: StatelessRoute | undefined;
  readonly #handshake: HandshakeRoute | undefined;
  /** The nodes that share the store, where there is one to share. */
  readonly #nodes: Nodes | undefined;
  readonly #sessions: Sessions | undefined;
  readonly #sse: SseEndpoints | undefined;
  readonly #detach: () => void;
  readonly #bodyLimits: BodyLimits;
  readonly #entrance: Entrance;
  #closing: Promise<void> | undefined;

  constructor(core: ServerCore, options: McpHandlerOptions) {
    this.#core = core;
    this.#options = options;
    if (options.store) core.useStore(options.store);
    this.#entrance = new Entrance(options, {
      isClosing: () => this.#closing !== undefined,
      onproblem: (problem) => this.onproblem(problem),
    });
    this.#bodyLimits = {
      maxBytes: options.maxBodyBytes ?? BODY_LIMITS.maxBytes,
      timeoutMs: options.bodyTimeoutMs ?? BODY_LIMITS.timeoutMs,
    };
    this.#ticker = new Ticker(core.clock, TICK_MS, (error) => this.onproblem(error));
    this.#listens = new ListenHub({
      max: options.maxListens ?? 10_000,
      lifetimeMs: options.listenLifetimeMs ?? Number.POSITIVE_INFINITY,
      ticker: this.#ticker,
    });
    this.#detach = core.attach(this.#listens);
    const { store, nodeTimeoutMs: leaseMs = 10_000 } = options;
    this.#nodes = store?.isShared ? servingOf(store).nodes({ core, store, ticker: this.#ticker, leaseMs }) : undefined;
    const shared = this.#makeShared();
    const newest = core.spoken.newest('per-request');
    this.#stateless = newest && new StatelessRoute(newest, shared);
    const handshakes = core.spoken.all.some((revision) => httpOf(revision).sessions);
    this.#sessions = handshakes && options.sessions !== false ? this.#makeSessions() : undefined;
    if (this.#sessions) this.#handshake = new SessionRoute(core, this.#sessions);
    else if (handshakes)
      this.#handshake = new SessionlessRoute(
        { ...shared, jsonOnly: options.jsonOnly === true },
        this.#transportOptions(),
      );
    const pairs = core.spoken.all.some((revision) => !httpOf(revision).streamable);
    this.#sse = pairs && options.legacySse !== false ? this.#makeSse() : undefined;
  }

  get health(): Health {
    return {
      ready: this.#closing === undefined,
      working: this.#work.size,
      sessions: this.#sessions?.size ?? 0,
      streams: this.#listens.size + (this.#sse?.size ?? 0),
    };
  }

  /** Serves a request. Never rejects: errors are answered and reported. `admitted` are the headers of a request that has passed the entrance checks. */
  async handle(request: HttpRequest, reply: HttpReply, admitted?: HttpHeaders): Promise<void> {
    const { path } = this.#options;
    let headers = NO_HEADERS;
    try {
      const passed = admitted ?? this.#entrance.admit(request, reply);
      const given = passed instanceof Promise ? await passed : passed;
      if (given === undefined) return;
      headers = given;
      const isElsewhere = path !== undefined && request.path !== path;
      if (this.#sse?.serves(request) && !(isElsewhere && !this.#sse.hasPath(request.path)))
        return await this.#sse.handle(request, reply, headers);
      if (isElsewhere)
        return refuse(reply, { status: 404, message: `There is nothing here; the endpoint is ${path}.` }, headers);
      if (request.method !== 'POST') return await this.#route(request, reply, headers);
      if (!acceptsAnswers(request, reply, headers)) return;
      // A body that arrives with its head is parsed by Node in the same turn: it is here one microtask later.
      await ONE_MICROTASK;
      const read = readPost(request, reply, this.#bodyLimits, headers);
      const body = read instanceof Promise ? await read : read;
      const posted = body && this.#post(body.value, request, reply, headers);
      if (posted) await posted;
    } catch (error) {
      this.onproblem(error);
      if (isStoreUnavailable(error))
        return refuse(reply, { status: 503, kind: 'internal', message: error.message }, headers);
      refuse(reply, INTERNAL, headers);
    }
  }

  onproblem(problem: unknown): void {
    this.#core.onproblem(asError(problem));
    report(this.#options.onerror, problem);
  }

  /** Whether the caller's token has the needed scopes; otherwise the refusal has been sent. */
  #mayAsk(value: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders): boolean {
    const gate = this.#options.auth ?? gateOf(request.authInfo);
    if (gate === undefined) return true;
    const needed = neededScopesOf(value, this.#core.registry());
    const refused =
      needed.length === 0 ? undefined : atOnce(gate.refuseScopes(request.authInfo, needed), 'refuseScopes');
    if (refused === undefined) return true;
    refuse(reply, refused, headers);
    return false;
  }

  /** Runs due timers, for runtimes that tie timers to requests: call it now and then while requests wait. */
  beat(): void {
    this.#ticker.beat();
  }

  /** Stops accepting, ends long streams in order, waits for open requests, then ends the rest. */
  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    // Requests accepted in this event-loop turn are counted before draining starts.
    endTurn();
    this.#listens.close();
    this.#sessions?.pause();
    await this.#work.drained(graceMs, this.#core.clock);
    for (const member of this.#work.members) if (member instanceof StatelessExchange) member.stop();
    await this.#sessions?.close();
    await this.#sse?.close();
    await this.#nodes?.close();
    this.#ticker.stop();
    this.#detach();
  }

  // ---- routing

  #route(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> | void {
    const { method } = request;
    const isNewer = this.#core.spoken.find(request.header('mcp-protocol-version'))?.family === 'per-request';
    if (this.#handshake && !isNewer && method === 'GET') return this.#handshake.get(request, reply, headers);
    if (this.#handshake && !isNewer && method === 'DELETE') return this.#handshake.delete(request, reply, headers);
    const allow = isNewer ? 'POST' : (this.#handshake?.allow ?? 'POST');
    refuse(reply, { status: 405, message: `${method} is not served here.` }, { ...headers, Allow: allow });
  }

  #post(value: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> | void {
    if (!this.#mayAsk(value, request, reply, headers)) return;
    // The endpoint may have begun to close while the body was read.
    if (this.#closing) return refuse(reply, CLOSING, headers);
    if (this.#stateless?.post(value, request, reply, headers)) return;
    if (this.#handshake) return this.#handshake.post(value, request, reply, headers);
    refuse(reply, { status: 404, message: 'This server speaks only over its stream.' }, headers);
  }

  // ---- parts

  #makeShared(): ExchangeShared {
    const { streamAfterMs, keepAliveMs, ticker, work } = this.#transportOptions();
    return {
      core: this.#core,
      logs: new LogGate(this.#core.clock, this.#core.rateOf('notifications/message')),
      ticker,
      work,
      streamAfterMs,
      keepAliveMs,
      jsonOnly: false,
      builtIn: (exchange, method) => this.#builtIn(exchange, method),
    };
  }

  #builtIn(exchange: StatelessExchange, method: string): RequestHandler | undefined {
    if (method === 'server/discover') return (_request, ctx) => discover(this.#core, ctx.revision);
    return method === 'subscriptions/listen' ? this.#listens.handlerFor(exchange) : undefined;
  }

  #makeSessions(): Sessions {
    const { sessions, store, eventStore } = this.#options;
    const {
      idleMs = 30 * MINUTE,
      max = 10_000,
      resumable = true,
      resumeMs = 5 * MINUTE,
      maxEvents = 1000,
      maxEventBytes = 4 * MIB,
      generateId = () => crypto.randomUUID(),
    } = sessions || {};
    const { clock, leftBehind } = this.#core;
    const events = resumable ? { ttlMs: resumeMs, maxEvents, maxBytes: maxEventBytes, clock, leftBehind } : undefined;
    return new Sessions({
      core: this.#core,
      store,
      eventStore,
      idleMs,
      max,
      events,
      generateId,
      transport: this.#transportOptions(),
      nodes: this.#nodes,
    });
  }

  #makeSse(): SseEndpoints {
    const { keepAliveMs, ticker, work } = this.#transportOptions();
    return new SseEndpoints(
      {
        core: this.#core,
        readBody: async (request, reply, headers) => {
          const body = await readPost(request, reply, this.#bodyLimits, headers);
          return body && this.#mayAsk(body.value, request, reply, headers) ? body : undefined;
        },
        keepAliveMs,
        ticker,
        work,
      },
      this.#options.legacySse || {},
    );
  }

  #transportOptions(): StreamableShared & { readonly work: PendingWork } {
    const { jsonOnly = false, streamAfterMs = 15_000, keepAliveMs = 15_000, retryMs = 1000, sessions } = this.#options;
    const { maxStreams = 100 } = sessions || {};
    return {
      jsonOnly,
      streamAfterMs,
      keepAliveMs,
      retryMs,
      maxStreams,
      ticker: this.#ticker,
      work: this.#work,
      clock: this.#core.clock,
      ...httpRulesOf(this.#core.spoken),
    };
  }
}

/** The HTTP rules of revisions, for a transport that does not know revisions. */
export function httpRulesOf(spoken: Pick<SpokenRevisions, 'find'>): Pick<StreamableShared, 'rulesOf' | 'ownRulesOf'> {
  const rulesOf = (version: unknown): HttpRules | undefined => {
    const revision = spoken.find(version);
    return revision && httpOf(revision);
  };
  return {
    rulesOf,
    ownRulesOf: (request) => rulesOf(claimedVersion(request)),
  };
}
