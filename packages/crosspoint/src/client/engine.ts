import { attempt, report } from '../runtime/guard.ts';
import type { JSONRPCNotification, JsonObject } from '../jsonrpc/message.ts';
import { systemClock, type Clock } from '../peer/clock.ts';
import { ProblemReports } from '../peer/problem-reports.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Implementation } from '../protocol/implementation.ts';
import { mergeCapabilities } from '../protocol/merge-capabilities.ts';
import type { LoggingLevel, LoggingMessage } from '../protocol/logging.ts';
import type { Facts } from '../protocol/outcome.ts';
import { Answering } from './answering/answering.ts';
import { ResultCache } from './calls/cache.ts';
import { Calls } from './calls/calls.ts';
import { checkTimeouts, clientExtensions, linkOptions, requestTimers, type ClientOptions } from './client-options.ts';
import type { ClientExtensions } from './client-extensions.ts';
import type { ClientConnection } from './connecting/connection.ts';
import { Handlers, type Message } from './answering/handlers.ts';
import { IncomingLimits } from './answering/incoming-limits.ts';
import { Link, type Loss } from './connecting/link.ts';
import { ListRefresher } from './watching/list-refresher.ts';
import { ClientChain, type ClientMiddleware } from './calls/middleware.ts';
import { Notifying } from './calls/notifying.ts';
import { OutputChecks } from './calls/output-checks.ts';
import type { DefaultTimers, RequestOptions } from './calls/request-options.ts';
import { readWith, type ResultSchema } from './calls/result-schema.ts';
import { hasStreams, Subscriptions } from './watching/subscriptions.ts';
import { ClientTasks } from './tasks/client-tasks.ts';
import { ToolCalls } from './calls/tool-calls.ts';
import type { MessageExtraInfo } from '../transports/transport.ts';
import type { ListKind } from '../protocol/listing.ts';

/** Receives the events that belong to no single call. */
export interface EngineOwner {
  onclose(): unknown;
  onproblem(problem: Error): void;
}

/** The parts of a client, and what passes between them when a message arrives, a connection breaks or is restored. */
export class Engine {
  readonly options: ClientOptions;
  readonly clock: Clock;
  /** Timeouts of a request that says nothing of them. */
  readonly timers: DefaultTimers;
  readonly handlers: Handlers;
  readonly link: Link;
  readonly calls: Calls;
  readonly tools: ToolCalls;
  readonly tasks: ClientTasks;
  readonly changes: ListRefresher;
  readonly subscriptions: Subscriptions;
  readonly notifying: Notifying;
  readonly answering: Answering;
  readonly cache: ResultCache | undefined;
  readonly extensions: ClientExtensions;
  readonly incoming: IncomingLimits;
  facts: Facts;
  /** The middleware of requests, questions and notifications; made with the first one. */
  chain: ClientChain | undefined;
  readonly #owner: EngineOwner;
  readonly #problems: ProblemReports;

  constructor(info: Implementation, options: ClientOptions, owner: EngineOwner) {
    if (typeof info?.name !== 'string' || typeof info.version !== 'string')
      throw new TypeError("A client needs a name and a version: { name: 'my-client', version: '1.0.0' }.");
    checkTimeouts(options);
    this.#owner = owner;
    const clock = options.clock ?? systemClock;
    this.options = options;
    this.clock = clock;
    this.timers = requestTimers(options);
    this.#problems = new ProblemReports(clock, (problem) => {
      report(options.onproblem, problem);
      report((error) => owner.onproblem(error), problem);
    });
    this.extensions = clientExtensions(options);
    this.facts = { client: info, capabilities: this.extensions.declaredIn(options.capabilities ?? {}) };
    this.handlers = new Handlers(() => this.facts.capabilities);
    this.incoming = new IncomingLimits(options.limits, clock, this.onproblem);
    this.answering = new Answering(this.handlers, this);
    this.cache = options.cache === false ? undefined : new ResultCache(options.cache ?? {}, clock);
    this.changes = new ListRefresher(options.listChanged ?? {}, this);
    this.link = this.#makeLink();
    this.notifying = new Notifying(this);
    this.calls = new Calls(this);
    this.tasks = new ClientTasks(this);
    const { outputValidation = 'warn', jsonSchemaValidator } = options;
    this.tools = new ToolCalls(this, new OutputChecks(outputValidation, this.onproblem, jsonSchemaValidator));
    this.subscriptions = new Subscriptions(this);
  }

  use(middleware: ClientMiddleware): void {
    this.chain ??= new ClientChain(() => this.link, this.onproblem);
    this.chain.add(middleware);
  }

  /** Sends any request and reads its result with the schema, if one is given. */
  async request(
    request: Message<object>,
    schema: ResultSchema | undefined,
    options: RequestOptions | undefined,
  ): Promise<unknown> {
    const result = await this.calls.request(request.method, (request.params ?? {}) as JsonObject, options);
    return schema === undefined ? result : readWith(schema, request.method, result);
  }

  /** Sets the level now and after every reconnect: with `logging/setLevel`, or inside each later request. */
  async setLoggingLevel(level: LoggingLevel, options?: RequestOptions): Promise<void> {
    const connection = await this.link.connection(options?.signal);
    if (connection.revision.methods.has('logging/setLevel'))
      await this.calls.request('logging/setLevel', { level }, options);
    this.facts = { ...this.facts, logLevel: level };
  }

  /** Whether one more notification of this method is within the client's limits. */
  hears(method: string): boolean {
    return this.incoming.hears(method);
  }

  /** Adds extensions to the declared capabilities. */
  declare(extensions: readonly string[]): void {
    if (extensions.length === 0) return;
    const added = { extensions: Object.fromEntries(extensions.map((id) => [id, {}])) };
    this.facts = { ...this.facts, capabilities: mergeCapabilities(this.facts.capabilities, added) };
  }

  #makeLink(): Link {
    return new Link(
      {
        facts: () => this.facts,
        handshakeExtensions: () => this.extensions.inHandshake(this.facts.capabilities),
        namedBy: (method) => this.extensions.namedBy(method),
        onrequest: (connection, request, extra) => this.answering.onrequest(connection, request, extra),
        onnotification: (connection, notification, extra) => this.#onnotification(connection, notification, extra),
        oncancel: (id, reason) => this.answering.oncancel(id, reason),
        onproblem: this.onproblem,
        onhealed: (connection) => this.#onhealed(connection),
        onlost: (loss) => this.#onlost(loss),
        onclose: () => {
          this.#problems.flush();
          this.guard(() => this.chain?.closed(undefined));
          this.guard(() => this.#owner.onclose());
        },
      },
      linkOptions(this.options),
    );
  }

  #onnotification(
    connection: ClientConnection,
    notification: JSONRPCNotification,
    extra: MessageExtraInfo | undefined,
  ): void {
    const { method, params } = notification;
    // Progress is counted where it reaches its callback.
    const isHeard = method === 'notifications/progress' || this.incoming.hears(method);
    if (hasStreams(connection)) {
      const routed = this.subscriptions.listens.route(connection, notification, isHeard);
      if (routed === 'stray')
        this.onproblem(
          new ProtocolError(
            'invalid-request',
            `${method} arrived outside the open streams of this client and was dropped.`,
          ),
        );
      if (routed === 'used' || routed === 'stray') return;
    }
    this.cache?.onchange(notification);
    if (!hasStreams(connection)) this.subscriptions.onnotification(method, params);
    this.answering.onnotification(method, params);
    if (this.link.ready) this.changes.onnotification(method);
    // Caches and lists merge changes, so they see every one; the program gets only as many as the limits allow.
    if (!isHeard) return;
    const told = params === undefined ? { method } : { method, params };
    const { chain } = this;
    if (chain === undefined) this.#tell(told, extra);
    else this.guard(() => chain.hear(told, (passed) => this.#tell(passed, extra)));
  }

  #tell(told: Message, { relatedRequestId }: MessageExtraInfo = {}): void {
    const { method, params } = told;
    if (method === 'notifications/message' && params !== undefined)
      this.guard(() => this.options.onlog?.(params as object as LoggingMessage));
    this.guard(() => this.handlers.notificationHandler(method)?.(told, { relatedRequestId }));
  }

  #onhealed(connection: ClientConnection): void {
    const { logLevel } = this.facts;
    this.cache?.dropAll();
    if (logLevel !== undefined) this.guard(() => this.setLoggingLevel(logLevel));
    this.subscriptions.restore(connection);
    for (const kind of this.changes.kinds) this.changes.schedule(kind);
  }

  #onlost(loss: Loss): void {
    this.changes.stop();
    if (loss !== 'healing') this.answering.onlost();
    this.subscriptions.onlost(loss);
    if (loss !== 'healing') {
      this.tools.forget();
      this.cache?.leave();
    }
  }

  /** Fetches a list anew, whatever is cached of it. */
  async refresh(kind: ListKind): Promise<unknown[]> {
    const options = { cacheMode: 'refresh' } as const;
    if (kind === 'tools') return (await this.tools.list(undefined, options)).tools;
    const result = await this.calls.list(`${kind}/list`, undefined, options);
    return result[kind] as unknown[];
  }

  /** Runs a callback of the program, or work that no caller awaits. Errors are reported as problems. */
  guard(run: () => unknown): void {
    attempt(run, this.onproblem);
  }

  /** Reports a problem; many of one kind are summed up into one report. */
  readonly onproblem = (problem: Error): void => this.#problems.report(problem);
}

const engines = new WeakMap<object, Engine>();

export function registerEngine(client: object, engine: Engine): void {
  engines.set(client, engine);
}

/** The engine of a client, for functions beside it that most programs do not import. */
export function engineOf(client: object): Engine {
  const engine = engines.get(client);
  if (engine === undefined)
    throw new TypeError('This is not a client of this library: pass a Client or TransportClient of crosspoint/client.');
  return engine;
}
