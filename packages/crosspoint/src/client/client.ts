import type { JSONRPCNotification, JSONRPCRequest, JsonObject } from '../jsonrpc/message.ts';
import { systemClock } from '../peer/clock.ts';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts';
import type { CompleteParams, CompleteResult } from '../protocol/completion.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Implementation } from '../protocol/implementation.ts';
import { isLoggingLevel, type LoggingLevel, type LoggingMessage } from '../protocol/logging.ts';
import { mergeCapabilities } from '../protocol/merge-capabilities.ts';
import type { Facts } from '../protocol/outcome.ts';
import type { GetPromptResult, ListPromptsResult } from '../protocol/prompts.ts';
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from '../protocol/resources.ts';
import type { CallToolParams, CallToolResult, ListToolsResult } from '../protocol/tools.ts';
import type { Family, Revision } from '../revisions/revision.ts';
import type { Transport } from '../transports/transport.ts';
import { Answering } from './answering.ts';
import { ResultCache } from './cache.ts';
import { Calls } from './calls.ts';
import { connectingOptions, linkOptions, requestTimers, type ClientOptions } from './client-options.ts';
import { connectTo, isTransport, type ConnectOptions, type HttpTarget } from './connecting.ts';
import type { Connection } from './connection.ts';
import { Handlers, type AskHandlers, type Message, type MessageSchema, type NotificationHandler, type RequestHandler, type RequestHandlerExtra, type SchemaOutput } from './handlers.ts';
import { Link, type Loss } from './link.ts';
import { ListChanges, type ListKind } from './list-changes.ts';
import type { ListenHandle, ListenOptions, SubscriptionFilter } from './listen.ts';
import { Notifying } from './notifying.ts';
import { OutputChecks } from './output-checks.ts';
import type { CacheableRequestOptions, CallToolOptions, ListRequestOptions, RequestOptions } from './request-options.ts';
import { isResultSchema, readWith, type ResultSchema } from './result-schema.ts';
import { discoveredFacts, readDiscoverResult, type DiscoverResult } from './server-facts.ts';
import { hasStreams, Subscriptions } from './subscriptions.ts';
import type { WatchHandle, WatchOptions, WatchTarget } from './watch.ts';
import { ToolCalls } from './tool-calls.ts';

type Params<Known> = Known & { _meta?: JsonObject };

/** Talks to one server at a time, whatever revision it speaks. */
export class Client {
  /** The connection is over, for good, by either side. */
  onclose: (() => void) | undefined;
  /** Something was wrong that ended nothing. */
  onerror: ((error: Error) => void) | undefined;

  readonly #options: ClientOptions;
  readonly #handlers: Handlers;
  readonly #answering: Answering;
  readonly #cache: ResultCache | undefined;
  readonly #link: Link;
  readonly #calls: Calls;
  readonly #tools: ToolCalls;
  readonly #changes: ListChanges;
  readonly #subscriptions: Subscriptions;
  readonly #notifying: Notifying;
  #facts: Facts;

  constructor(info: Implementation, options: ClientOptions = {}) {
    const clock = options.clock ?? systemClock;
    const onproblem = (problem: Error): void => this.#problem(problem);
    const facts = (): Facts => this.#facts;
    this.#options = options;
    this.#facts = { client: info, capabilities: options.capabilities ?? {} };
    const capabilities = (): ClientCapabilities => this.#facts.capabilities;
    this.#handlers = new Handlers(capabilities);
    this.#answering = new Answering(this.#handlers, {
      clock,
      capabilities,
      onproblem,
      onelicitationcomplete: (id) => this.#guard(() => options.onelicitationcomplete?.(id)),
      request: (request, schema, settings) => this.#request(request, schema, settings),
      notify: (notification, relatedRequestId) => this.notification(notification, { relatedRequestId }),
    });
    this.#cache = options.cache === false ? undefined : new ResultCache(options.cache ?? {}, clock);
    this.#changes = new ListChanges(options.listChanged ?? {}, { clock, onproblem, refresh: (kind) => this.#refresh(kind) });
    this.#link = this.#makeLink();
    this.#notifying = new Notifying({ capabilities, connection: () => this.#link.connection(), debounced: options.debouncedNotificationMethods ?? [] });
    this.#calls = new Calls({
      link: this.#link,
      cache: this.#cache,
      clock,
      timers: requestTimers(options),
      inputRequired: options.inputRequired ?? 'auto',
      maxRounds: options.maxRounds ?? 10,
      strict: options.enforceStrictCapabilities ?? false,
      facts,
      onproblem,
      answer: (ask, call) => this.#answering.answer(ask, call),
      openPages: (error, call) => this.#answering.openPages(error, call),
    });
    this.#tools = new ToolCalls({ link: this.#link, calls: this.#calls, onproblem, outputs: new OutputChecks(options.outputValidation ?? 'warn', onproblem) });
    this.#subscriptions = new Subscriptions({
      clock,
      facts,
      onproblem,
      acknowledgeMs: requestTimers(options).idleMs,
      connection: (signal) => this.#link.connection(signal),
      server: () => this.#link.server,
      request: (method, params, settings) => this.#calls.request(method, params, settings),
    });
  }

  /**
   * Finds the family and the newest revision that both sides speak. A failure says why and leaves the transport closed. With an address,
   * the transport is found as well.
   */
  async connect(target: Transport | HttpTarget | string | URL, options: ConnectOptions = {}): Promise<void> {
    const opening = { signal: options.signal, timeoutMs: options.timeoutMs ?? options.timeout };
    const open: Link['open'] = (transport, settings) => this.#link.open(transport, settings);
    if (isTransport(target)) await open(target, opening);
    else await connectTo(target, opening, { ...connectingOptions(this.#options), open, onproblem: (problem) => this.#problem(problem) });
    this.#guard(() => this.#subscriptions.watchLists(this.#changes.kinds));
  }

  /** Ends the connection and everything that waits on it. */
  async close(): Promise<void> {
    await this.#link.close();
  }

  get transport(): Transport | undefined {
    return this.#link.transport;
  }

  /** The revision in use. */
  get revision(): Revision | undefined {
    return this.#link.revision;
  }

  get family(): Family | undefined {
    return this.#link.revision?.family;
  }

  getNegotiatedProtocolVersion(): string | undefined {
    return this.#link.revision?.id;
  }

  getServerCapabilities(): ServerCapabilities | undefined {
    return this.#link.server?.capabilities;
  }

  getClientCapabilities(): ClientCapabilities {
    return this.#facts.capabilities;
  }

  getServerVersion(): Implementation | undefined {
    return this.#link.server?.info;
  }

  getInstructions(): string | undefined {
    return this.#link.server?.instructions;
  }

  /** What the server said when it was discovered; `undefined` after a handshake. */
  getDiscoverResult(): DiscoverResult | undefined {
    return this.#link.server?.discovered;
  }

  /** Before connecting. Added to the capabilities declared so far. */
  registerCapabilities(capabilities: ClientCapabilities): void {
    if (this.#link.transport !== undefined) throw new TypeError('Capabilities are declared before connecting.');
    this.#facts = { ...this.#facts, capabilities: mergeCapabilities(this.#facts.capabilities, capabilities) };
  }

  /** Answers questions of the server, whether they come as requests or inside an answer. Throws when the capability was not declared. */
  setRequestHandler<Method extends keyof AskHandlers>(method: Method, handler: AskHandlers[Method]): void;
  setRequestHandler(method: string, handler: RequestHandler): void;
  setRequestHandler<Schema extends MessageSchema>(schema: Schema, handler: (request: SchemaOutput<Schema>, extra: RequestHandlerExtra) => object | Promise<object>): void;
  setRequestHandler(schemaOrMethod: unknown, handler: unknown): void {
    this.#handlers.setRequest(schemaOrMethod, handler as RequestHandler);
  }

  removeRequestHandler(method: string): void {
    this.#handlers.removeRequest(method);
  }

  /** Throws when the method has a handler already. */
  assertCanSetRequestHandler(method: string): void {
    if (this.#handlers.hasRequest(method)) throw new TypeError(`There is a handler for ${method} already.`);
  }

  setNotificationHandler(method: string, handler: NotificationHandler): void;
  setNotificationHandler<Schema extends MessageSchema>(schema: Schema, handler: (notification: SchemaOutput<Schema>) => void | Promise<void>): void;
  setNotificationHandler(schemaOrMethod: unknown, handler: unknown): void {
    this.#handlers.setNotification(schemaOrMethod, handler as NotificationHandler);
  }

  removeNotificationHandler(method: string): void {
    this.#handlers.removeNotification(method);
  }

  get fallbackRequestHandler(): Handlers['fallbackRequest'] {
    return this.#handlers.fallbackRequest;
  }

  set fallbackRequestHandler(handler: Handlers['fallbackRequest']) {
    this.#handlers.fallbackRequest = handler;
  }

  get fallbackNotificationHandler(): NotificationHandler | undefined {
    return this.#handlers.fallbackNotification;
  }

  set fallbackNotificationHandler(handler: NotificationHandler | undefined) {
    this.#handlers.fallbackNotification = handler;
  }

  /** Any request. Without a schema the result is given as it came. */
  request(request: Message<object>, options?: RequestOptions): Promise<JsonObject>;
  request<T>(request: Message<object>, resultSchema: ResultSchema<T>, options?: RequestOptions): Promise<T>;
  request(request: Message<object>, schemaOrOptions?: ResultSchema | RequestOptions, options?: RequestOptions): Promise<unknown> {
    const schema = isResultSchema(schemaOrOptions) ? schemaOrOptions : undefined;
    return this.#request(request, schema, options ?? (schema === undefined ? (schemaOrOptions as RequestOptions) : undefined));
  }

  /** Sends nothing where the revision in use has no such notification. */
  async notification(notification: Message<object>, options: Pick<RequestOptions, 'relatedRequestId'> = {}): Promise<void> {
    await this.#notifying.notify(notification, options.relatedRequestId);
  }

  sendRootsListChanged(): Promise<void> {
    return this.notification({ method: 'notifications/roots/list_changed' });
  }

  /** Whether the server answers, in the words of the revision in use: where there is no ping, it is discovered again. */
  async ping(options?: RequestOptions): Promise<JsonObject> {
    const connection = await this.#link.connection(options?.signal);
    if (connection.revision.methods.has('ping')) return this.#calls.request('ping', {}, options);
    await this.discover(options);
    return {};
  }

  /** Asks the server again what it is. Rejects in the family that has a handshake instead. */
  async discover(options?: RequestOptions): Promise<DiscoverResult> {
    const result = await this.#calls.request('server/discover', {}, options);
    const discovered = readDiscoverResult(result);
    if (discovered === undefined) throw new ProtocolError('internal', 'The server gave no valid answer to server/discover.', { result });
    this.#link.learn(discoveredFacts(discovered));
    return discovered;
  }

  /** All pages, unless a cursor or `pages: 1` asks for one. */
  listTools(params?: Params<{ cursor?: string }>, options?: ListRequestOptions): Promise<ListToolsResult> {
    return this.#tools.list(params, options);
  }

  async listPrompts(params?: Params<{ cursor?: string }>, options?: ListRequestOptions): Promise<ListPromptsResult> {
    return (await this.#calls.list('prompts/list', params, options)) as object as ListPromptsResult;
  }

  async listResources(params?: Params<{ cursor?: string }>, options?: ListRequestOptions): Promise<ListResourcesResult> {
    return (await this.#calls.list('resources/list', params, options)) as object as ListResourcesResult;
  }

  async listResourceTemplates(params?: Params<{ cursor?: string }>, options?: ListRequestOptions): Promise<ListResourceTemplatesResult> {
    return (await this.#calls.list('resources/templates/list', params, options)) as object as ListResourceTemplatesResult;
  }

  /** A tool that failed is a result with `isError`, not a rejection. */
  callTool(params: CallToolParams, options?: CallToolOptions): Promise<CallToolResult>;
  callTool<T = CallToolResult>(params: CallToolParams, resultSchema: ResultSchema<T> | undefined, options?: CallToolOptions): Promise<T>;
  async callTool(params: CallToolParams, schemaOrOptions?: ResultSchema | CallToolOptions, third?: CallToolOptions): Promise<unknown> {
    const schema = isResultSchema(schemaOrOptions) ? schemaOrOptions : undefined;
    const options = third ?? (schema === undefined ? (schemaOrOptions as CallToolOptions | undefined) : undefined) ?? {};
    const result = await this.#tools.call(params, options);
    return schema === undefined ? result : readWith(schema, 'tools/call', result);
  }

  async readResource(params: Params<{ uri: string }>, options?: CacheableRequestOptions): Promise<ReadResourceResult> {
    return (await this.#calls.cached('resources/read', params, options)) as object as ReadResourceResult;
  }

  async getPrompt(params: Params<{ name: string; arguments?: Record<string, string> }>, options?: RequestOptions): Promise<GetPromptResult> {
    for (const [name, value] of Object.entries(params.arguments ?? {})) {
      if (typeof value !== 'string') throw new TypeError(`Prompt arguments are strings: "${name}" is of type ${typeof value}.`);
    }
    return (await this.#calls.request('prompts/get', params, options)) as object as GetPromptResult;
  }

  async complete(params: CompleteParams, options?: RequestOptions): Promise<CompleteResult> {
    return (await this.#calls.request('completion/complete', { ...params }, options)) as object as CompleteResult;
  }

  /** The least severe messages to be sent, from now on and after a reconnect: by request, or in every later request. */
  async setLoggingLevel(level: LoggingLevel, options?: RequestOptions): Promise<JsonObject> {
    if (!isLoggingLevel(level)) throw new TypeError(`"${String(level)}" is no log level.`);
    const connection = await this.#link.connection(options?.signal);
    const result = connection.revision.methods.has('logging/setLevel') ? await this.#calls.request('logging/setLevel', { level }, options) : {};
    this.#facts = { ...this.#facts, logLevel: level };
    return result;
  }

  async subscribeResource(params: { uri: string }, options?: RequestOptions): Promise<JsonObject> {
    await this.#subscriptions.subscribe(params.uri, options);
    return {};
  }

  async unsubscribeResource(params: { uri: string }, options?: RequestOptions): Promise<JsonObject> {
    await this.#subscriptions.unsubscribe(params.uri, options);
    return {};
  }

  /** Opens a stream of notifications, in the family that has them, and keeps it across reconnects. Resolves when the server has acknowledged. */
  listen(filter: SubscriptionFilter, options?: ListenOptions): Promise<ListenHandle> {
    return this.#subscriptions.listens.listen(filter, options);
  }

  /** Tells of changes in either family, across dropped streams and reconnects. Resolves when the server has agreed to what it can tell of. */
  watch(target: WatchTarget, options: WatchOptions): Promise<WatchHandle> {
    return this.#subscriptions.watch(target, options);
  }

  async #request(request: Message<object>, schema: ResultSchema | undefined, options: RequestOptions | undefined): Promise<unknown> {
    const result = await this.#calls.request(request.method, (request.params ?? {}) as JsonObject, options);
    return schema === undefined ? result : readWith(schema, request.method, result);
  }

  #makeLink(): Link {
    return new Link(
      {
        facts: () => this.#facts,
        onrequest: (connection, request: JSONRPCRequest, extra) => this.#answering.onrequest(connection, request, extra),
        onnotification: (connection, notification) => this.#onnotification(connection, notification),
        oncancel: (id, reason) => this.#answering.oncancel(id, reason),
        onproblem: (problem) => this.#problem(problem),
        onhealed: (connection) => this.#onhealed(connection),
        onlost: (loss) => this.#onlost(loss),
        onclose: () => this.onclose?.(),
      },
      linkOptions(this.#options),
    );
  }

  #onnotification(connection: Connection, notification: JSONRPCNotification): void {
    const { method, params } = notification;
    if (hasStreams(connection)) {
      const routed = this.#subscriptions.listens.route(connection, notification);
      if (routed === 'stray') this.#problem(new ProtocolError('invalid-request', `${method} came on no stream that this client has open. It was dropped.`));
      if (routed === 'used' || routed === 'stray') return;
    }
    this.#cache?.onchange(notification);
    if (!hasStreams(connection)) this.#subscriptions.onnotification(method, params);
    this.#answering.onnotification(method, params);
    if (this.#link.isReady) this.#changes.onnotification(method);
    this.#guard(() => {
      if (method === 'notifications/message' && params !== undefined) this.#options.onlog?.(params as object as LoggingMessage);
    });
    this.#guard(() => this.#handlers.notificationHandler(method)?.(params === undefined ? { method } : { method, params }));
  }

  #onhealed(connection: Connection): void {
    const { logLevel } = this.#facts;
    this.#cache?.dropAll();
    if (logLevel !== undefined) this.#guard(() => this.setLoggingLevel(logLevel).then(() => {}));
    this.#subscriptions.restore(connection);
    for (const kind of this.#changes.kinds) this.#changes.schedule(kind);
  }

  #onlost(loss: Loss): void {
    this.#changes.stop();
    if (loss !== 'healing') this.#answering.onlost();
    this.#subscriptions.onlost(loss);
    if (loss !== 'healing') {
      this.#tools.forget();
      this.#cache?.leave();
    }
  }

  async #refresh(kind: ListKind): Promise<unknown[]> {
    const options = { cacheMode: 'refresh' } as const;
    if (kind === 'tools') return (await this.listTools(undefined, options)).tools;
    return kind === 'prompts' ? (await this.listPrompts(undefined, options)).prompts : (await this.listResources(undefined, options)).resources;
  }

  /** Code of the program, and work nobody waits for: what goes wrong in it is reported. */
  #guard(run: () => void | Promise<void>): void {
    void (async () => run())().catch((error: unknown) => this.#problem(error instanceof Error ? error : new Error(String(error))));
  }

  #problem(problem: Error): void {
    try {
      this.#options.onproblem?.(problem);
      this.onerror?.(problem);
    } catch {
      // Whoever is told of problems must not make new ones.
    }
  }
}
