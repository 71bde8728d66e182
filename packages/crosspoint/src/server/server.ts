import { attempt, report } from '../runtime/guard.ts';
import type { JSONRPCNotification, JsonObject } from '../jsonrpc/message.ts';
import { refuseBadExtensionIds, type ClientCapabilities, type ServerCapabilities } from '../protocol/capabilities.ts';
import type { ElicitParams, ElicitResult } from '../protocol/elicitation/elicitation.ts';
import type { Implementation } from '../protocol/implementation.ts';
import { cacheHintsFault, readChange } from '../protocol/listing.ts';
import type { LoggingMessage } from '../protocol/logging.ts';
import type { Facts } from '../protocol/outcome.ts';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { ListRootsResult } from '../protocol/roots.ts';
import { systemClock, type Clock } from '../peer/clock.ts';
import type { Family } from '../revisions/revision.ts';
import { selectRevisions, type SpokenRevisions } from '../revisions/selection.ts';
import type { Transport } from '../transports/transport.ts';
import { askCreateMessage, askElicit, askListRoots, type Askable } from './asking/questions.ts';
import { roundLimits } from './asking/asking-options.ts';
import { Admission } from './callers/admission.ts';
import { callerOf } from './callers/caller.ts';
import { AsyncContext } from './calls/async-context.ts';
import { toOutgoingOptions, type CallOptions } from './calls/call-options.ts';
import { ChangeNotices, type Listener } from './changes/change-notices.ts';
import type { ChangeAudience } from './changes/listening.ts';
import { askableSession } from './session/askable-session.ts';
import { Connection } from './session/connection.ts';
import type { Caller, ServerContext } from './calls/context.ts';
import { registerCore, type ServerCore } from './core.ts';
import { parseRequest, type MessageFor, type NotificationHandler, type RequestHandler } from './calls/handler.ts';
import { Replays } from './asking/replay/replays.ts';
import { addMiddleware, type ServerMiddleware } from './calls/middleware.ts';
import type { MethodName, ServerRequestName } from '../protocol/method-name.ts';
import { mergeCapabilities } from '../protocol/merge-capabilities.ts';
import { methodOf, parseWith, type MessageSchema } from '../peer/method-of.ts';
import type { ServerOptions } from './server-options.ts';
import { RequestHandlers } from './calls/request-handlers.ts';
import { refuseUndeclared } from './calls/undeclared.ts';
import { mayWatch } from './features/resources.ts';
import type { Registry } from './offering/registry.ts';
import { SERVED } from '../extensions/extension.ts';
import type { ServedExtension, ServerExtension, ServerFeature } from './server-extension.ts';
import type { ConnectedTransport, Session } from './session/session.ts';

/**
 * The protocol without features: handlers by method, any number of connections. Calls made on it inside a handler refer to the request being handled; outside
 * they refer to the only connection, and throw when there are several. Notifications go to all.
 */
export class Server {
  readonly info: Implementation;
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  oninitialized: (() => void) | (() => Promise<void>) | undefined;
  fallbackRequestHandler: RequestHandler | undefined;
  fallbackNotificationHandler: NotificationHandler | undefined;
  /** @internal Set by the owner of the server's tools, prompts and resources. */
  offers: (() => Registry) | undefined;
  readonly #spoken: SpokenRevisions;
  readonly #clock: Clock;
  readonly #handlers = new RequestHandlers();
  readonly #notificationHandlers = new Map<string, NotificationHandler>();
  readonly #connections = new Set<Connection>();
  readonly #attached = new Set<Listener>();
  readonly #asyncContext = new AsyncContext();
  readonly #admission: Admission;
  readonly #notices: ChangeNotices;
  readonly #core: ServerCore;
  #capabilities: ServerCapabilities;

  constructor(info: Implementation, options: ServerOptions = {}) {
    if (typeof info?.name !== 'string' || typeof info.version !== 'string')
      throw new TypeError("A server needs a name and a version: { name: 'my-server', version: '1.0.0' }.");
    const fault = cacheHintsFault(options.discoverHints ?? {});
    if (fault !== undefined) throw new TypeError(`The discoverHints: ${fault}.`);
    this.info = info;
    this.#spoken = selectRevisions(options.revisions ?? 'all');
    this.#clock = options.clock ?? systemClock;
    this.#admission = new Admission(options, this.#clock, this.#problem);
    this.#capabilities = {};
    this.#notices = new ChangeNotices(options.debouncedNotificationMethods ?? []);
    this.#core = this.#makeCore(options);
    registerCore(this, this.#core);
    this.registerCapabilities(options.capabilities ?? {});
    this.registerCapabilities(this.#admission.announced);
    if (options.trackRequests !== false) this.trackRequests();
  }

  /** Turns on the asynchronous context that lets calls on this object, made anywhere inside a handler, find their request. */
  trackRequests(): void {
    this.#asyncContext.enable();
  }

  /** Adds capabilities. Connected clients keep those that they were sent. */
  registerCapabilities(capabilities: ServerCapabilities): void {
    refuseBadExtensionIds(capabilities);
    this.#capabilities = mergeCapabilities(this.#capabilities, capabilities);
    this.#handlers.forget();
  }

  getCapabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  /**
   * Puts a middleware around what is asked and told; or brings in a feature such as `tasks()`; or an extension: declares it, and answers its
   * methods to the clients that declared it, too.
   */
  use(added: ServerMiddleware | ServerExtension | ServerFeature): void {
    if (typeof added === 'function') return addMiddleware(this.#core, added);
    if ('install' in added) return added.install(this);
    const { id, [SERVED]: Served } = added.extension as ServedExtension;
    if (Served === undefined) throw new TypeError(`Make the extension ${id} with defineExtension() of crosspoint.`);
    (this.#core.extensions ??= new Served()).add(added);
    this.registerCapabilities({ extensions: { [id]: added.settings ?? {} } });
  }

  /** Sets the handler of a request, such as `'acme/status'`: by method, or by a message schema with a literal method, which then parses the message. */
  setRequestHandler<Schema extends MessageSchema | string, Handled = MessageFor<Schema>>(
    schemaOrMethod: Schema extends string ? MethodName<Schema, ServerRequestName> : Schema,
    handler: (request: Handled, ctx: ServerContext) => object | Promise<object>,
  ): void {
    const method = methodOf(schemaOrMethod);
    if (!this.#core.lenient) refuseUndeclared(method, this.#spoken, this.#capabilities);
    const handle = handler as unknown as RequestHandler;
    const isNamed = typeof schemaOrMethod === 'string';
    this.#handlers.set(method, isNamed ? handle : (given, ctx) => handle(parseRequest(schemaOrMethod, given), ctx));
  }

  hasRequestHandler(method: string): boolean {
    return this.#handlers.has(method);
  }

  removeRequestHandler(method: string): void {
    this.#handlers.delete(method);
  }

  assertCanSetRequestHandler(method: string): void {
    if (this.#handlers.has(method))
      throw new Error(`There is already a handler for ${method}: remove it first, with removeRequestHandler().`);
  }

  setNotificationHandler<Schema extends MessageSchema | string, Handled = MessageFor<Schema, JSONRPCNotification>>(
    schemaOrMethod: Schema,
    handler: (notification: Handled, from: Caller) => void | Promise<void>,
  ): void {
    this.#notificationHandlers.set(methodOf(schemaOrMethod), (notification, from) =>
      (handler as unknown as NotificationHandler)(parseWith(schemaOrMethod, notification), from),
    );
  }

  removeNotificationHandler(method: string): void {
    this.#notificationHandlers.delete(method);
  }

  /** Serves one more client. The server owns the transport from here on and closes it with `close`. */
  async connect(transport: Transport): Promise<void> {
    await this.#open(transport, undefined);
  }

  /** Closes all connections, and stops the tasks that run here. */
  async close(): Promise<void> {
    await this.#core.tasks?.stop();
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  isConnected(): boolean {
    return this.#connections.size > 0;
  }

  /** The transport of the only connection. */
  get transport(): Transport | undefined {
    const [only] = this.#connections;
    return this.#connections.size === 1 ? only?.transport : undefined;
  }

  getClientCapabilities(): ClientCapabilities | undefined {
    return this.#facts()?.capabilities;
  }

  getClientVersion(): Implementation | undefined {
    return this.#facts()?.client;
  }

  /** The family of the current client. */
  getFamily(): Family | undefined {
    return this.#request?.family ?? this.#connection()?.session?.revision.family;
  }

  async ping(options?: CallOptions): Promise<JsonObject> {
    return this.request({ method: 'ping' }, undefined, options);
  }

  /** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
  async createMessage(params: CreateMessageParams, options?: CallOptions): Promise<CreateMessageResult> {
    return askCreateMessage(this.#askable(), params, toOutgoingOptions(options));
  }

  async elicitInput(params: ElicitParams, options?: CallOptions): Promise<ElicitResult> {
    return askElicit(this.#askable(), params, toOutgoingOptions(options));
  }

  /** See `pageCompletion` of a request's context. Inside a handler it notifies the client of that request. */
  createElicitationCompletionNotifier(elicitationId: string): () => Promise<void> {
    const edge = this.#request?.call.edge ?? this.#required();
    return async () => edge.notifySession('notifications/elicitation/complete', { elicitationId });
  }

  /** @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28. */
  async listRoots(_params?: JsonObject, options?: CallOptions): Promise<ListRootsResult> {
    return { roots: await askListRoots(this.#askable(), toOutgoingOptions(options)) };
  }

  /** Sends any request to the client; the result is parsed by the schema, or returned as it came. */
  async request<T = JsonObject>(
    request: { method: string; params?: JsonObject },
    resultSchema?: MessageSchema<T>,
    options?: CallOptions,
  ): Promise<T> {
    const ctx = this.#request;
    if (ctx) return ctx.sendRequest(request, resultSchema, options);
    const [to, { method, params }] = [this.#required(), request];
    return parseWith(resultSchema, await to.request(undefined, method, params, toOutgoingOptions(options))) as T;
  }

  /** Sends any notification: for the request being handled, or to every handshake client. Changes are always sent to all. */
  async notification(notification: { method: string; params?: JsonObject }): Promise<void> {
    const { method, params = {} } = notification;
    const change = readChange(method, params);
    if (change) return this.#core.tell(change);
    const ctx = this.#request;
    if (ctx) return ctx.sendNotification(notification);
    if (method === 'notifications/message') return this.sendLoggingMessage(params as object as LoggingMessage);
    if (method === 'notifications/progress')
      throw new TypeError(
        'Progress belongs to a request: report it inside the handler, with the progress of its context.',
      );
    this.#notices.once(notification, () => {
      for (const connection of this.#audience()) connection.notifySession(method, params);
    });
  }

  /** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
  async sendLoggingMessage(message: LoggingMessage, sessionId?: string): Promise<void> {
    if (this.#capabilities.logging === undefined)
      throw new TypeError('To send log messages, declare capabilities: { logging: {} } on the server.');
    const ctx = this.#request;
    if (ctx) return ctx.log(message.level, message.data, message.logger);
    for (const connection of this.#audience()) {
      if (sessionId === undefined || connection.sessionId === sessionId) connection.logToSession(message);
    }
  }

  /** Announces an updated resource. Throws where updates were not declared, since no client would get them. */
  async sendResourceUpdated({ uri, group }: { uri: string } & ChangeAudience): Promise<void> {
    if (this.#capabilities.resources?.subscribe !== true)
      throw new TypeError(
        'To send resource updates, declare capabilities: { resources: { subscribe: true } } on the server.',
      );
    this.#core.tell({ kind: 'resource', uri, group });
  }

  async sendToolListChanged(to?: ChangeAudience): Promise<void> {
    this.#core.tell({ kind: 'tools', ...to });
  }

  async sendPromptListChanged(to?: ChangeAudience): Promise<void> {
    this.#core.tell({ kind: 'prompts', ...to });
  }

  async sendResourceListChanged(to?: ChangeAudience): Promise<void> {
    this.#core.tell({ kind: 'resources', ...to });
  }

  async #open(transport: Transport, session: Session | undefined): Promise<Connection> {
    const connection = new Connection(this.#core, transport);
    connection.session = session;
    (transport as ConnectedTransport).onconnection?.(connection);
    this.#connections.add(connection);
    try {
      await connection.open();
    } catch (error) {
      this.#connections.delete(connection);
      throw error;
    }
    return connection;
  }

  /** The listeners for changes: connections, and streams that are not connections. */
  get #listeners(): Iterable<Listener> {
    return this.#attached.size === 0 ? this.#connections : [...this.#connections, ...this.#attached];
  }

  #makeCore({ asking = {}, ...options }: ServerOptions): ServerCore {
    // Connections use the server through this object, so that none of it is public on the server itself.
    return {
      chain: undefined,
      tasks: undefined,
      info: this.info,
      instructions: options.instructions,
      spoken: this.#spoken,
      clock: this.#clock,
      heartbeat: options.heartbeat,
      lenient: options.handshake === 'lenient',
      discoverHints: options.discoverHints ?? {},
      extensions: undefined,
      capabilities: () => this.#capabilities,
      keepsSubscriptions: () => !this.#handlers.has('resources/subscribe'),
      handlers: this.#handlers,
      handlerFor: (method) => this.#handlers.get(method) ?? this.fallbackRequestHandler,
      admission: this.#admission,
      useCounts: (counts) => (this.#admission.limiter.counts = counts),
      rateOf: (method) => this.#admission.limiter.rateOf(method),
      useStore: (store) => {
        this.#admission.useStore(store);
        this.#core.tasks?.startSweeping();
      },
      store: () => this.#admission.store,
      leftBehind: this.#admission.leftBehind,
      asyncContext: this.#asyncContext,
      mayWatch: (uri, caller) => this.offers === undefined || mayWatch(this.offers(), uri, caller),
      registry: () => this.offers?.(),
      rounds: roundLimits(asking),
      replays: new Replays(asking, this.#clock, this.#admission, () => this.offers?.()),
      open: (transport, session) => this.#open(transport, session),
      tell: (change) => this.#notices.tell(change, () => this.#listeners),
      relay: (change, except) => {
        for (const listener of this.#listeners) if (listener !== except) listener.tell(change);
      },
      attach: (listener) => {
        this.#attached.add(listener);
        return () => void this.#attached.delete(listener);
      },
      log: options.log && ((line) => attempt(() => options.log?.(line), this.#problem)),
      // At once: a list that the client asks for with its next message has what is registered here.
      oninitialized: (connection) => this.#within(connection, () => this.oninitialized?.(), true),
      onnotification: (...told) => this.#notified(...told),
      onclosed: (connection) => {
        if (this.#connections.delete(connection)) attempt(() => this.onclose?.(), this.#problem);
      },
      onproblem: this.#problem,
    };
  }

  #notified(...[notification, connection, extra]: Parameters<ServerCore['onnotification']>): void {
    const handler = this.#notificationHandlers.get(notification.method) ?? this.fallbackNotificationHandler;
    const { chain } = this.#core;
    if (!(chain ?? handler) || !this.#admission.hears(notification.method, connection, extra)) return;
    const from = callerOf(connection, extra);
    this.#within(connection, () =>
      chain ? chain.hear(notification, connection, from, handler) : handler?.(notification, from),
    );
  }

  /** Runs a function that owes no answer, so its failure is only reported. Calls on this object inside it refer to its connection. */
  #within(connection: Connection | undefined, run: () => void | Promise<void>, isAtOnce = false): void {
    this.#asyncContext.within(connection, run, isAtOnce).catch(this.#problem);
  }

  /** Reports errors that cannot be sent as an answer. */
  readonly #problem = (problem: unknown): void => report((error) => this.onerror?.(error), problem);

  /** The request that the running code handles. */
  get #request(): ServerContext | undefined {
    const scope = this.#asyncContext.current;
    return scope && 'context' in scope ? scope.context : undefined;
  }

  /** The connections that a message without a destination goes to. */
  #audience(): Iterable<Connection> {
    const scope = this.#asyncContext.current;
    return scope && 'connection' in scope ? [scope.connection] : this.#connections;
  }

  /** The current connection; `undefined` when there is none. */
  #connection(): Connection | undefined {
    const [only, ...others] = this.#audience();
    if (others.length === 0) return only;
    throw new TypeError(
      `The server has ${this.#connections.size} connections, and this call names none of them: use the context of a handler.`,
    );
  }

  #required(): Connection {
    const connection = this.#connection();
    if (connection) return connection;
    throw new TypeError('The server is not connected: call connect(transport) first.');
  }

  #facts(): Facts | undefined {
    return this.#request?.facts ?? this.#connection()?.session?.facts;
  }

  #askable(): Askable {
    return this.#request ?? askableSession(this.#required());
  }
}
