import type { JsonObject } from '../jsonrpc/message.ts';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts';
import type { CompleteParams, CompleteResult } from '../protocol/completion.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Implementation } from '../protocol/implementation.ts';
import { LOG_LEVELS, isLoggingLevel, type LoggingLevel } from '../protocol/logging.ts';
import { mergeCapabilities } from '../protocol/merge-capabilities.ts';
import type { ClientRequestName, MethodName } from '../protocol/method-name.ts';
import type { GetPromptResult, ListPromptsResult } from '../protocol/prompts.ts';
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from '../protocol/resources.ts';
import type { CallToolParams, CallToolResult, ListToolsResult } from '../protocol/tools.ts';
import type { Family, Revision } from '../revisions/revision.ts';
import type { Transport } from '../transports/transport.ts';
import { connectingOptions, type ClientOptions } from './client-options.ts';
import { checkConnectOptions, isTransport, type Connector, type ConnectOptions } from './connecting/connect-options.ts';
import type {
  Handlers,
  AskHandlers,
  HandlerFor,
  Message,
  MessageSchema,
  NotificationHandler,
  RequestHandler,
  RequestHandlerExtra,
  SchemaOutput,
} from './answering/handlers.ts';
import { Engine, registerEngine } from './engine.ts';
import type { ListenHandle, ListenOptions, SubscriptionFilter } from './watching/listen-streams.ts';
import type { ClientMiddleware } from './calls/middleware.ts';
import type {
  CacheableRequestOptions,
  CallToolOptions,
  ListRequestOptions,
  RequestOptions,
} from './calls/request-options.ts';
import { isResultSchema, readWith, type ResultSchema } from './calls/result-schema.ts';
import { discoveredFacts, readDiscoverResult, type DiscoverResult } from './connecting/server-facts.ts';
import { StartedTask, type TaskHandle } from './tasks/task-handle.ts';
import { typedView, type TypedClient } from './calls/typed-client.ts';
import type { WatchHandle, WatchOptions, WatchTarget } from './watching/watch.ts';

type Params<Known> = Known & { _meta?: JsonObject };

const NO_TRANSPORT =
  'This client connects to a Transport, such as new StdioClientTransport(…). ' +
  "The Client of 'crosspoint/client' takes the address of a server as well.";

/**
 * A client for one server at a time, of any revision, over a transport that the program makes. It includes neither HTTP nor logins; the
 * `Client` of `crosspoint/client` also takes addresses.
 */
export class TransportClient {
  /** Called once the connection has ended for good, whichever side ended it. */
  onclose: (() => void) | undefined;
  /** Called with problems that ended no request and no connection. */
  onerror: ((error: Error) => void) | undefined;

  readonly #engine: Engine;

  constructor(info: Implementation, options: ClientOptions = {}) {
    this.#engine = new Engine(info, options, {
      onclose: () => this.onclose?.(),
      onproblem: (problem) => this.onerror?.(problem),
    });
    registerEngine(this, this.#engine);
  }

  /** Negotiates the family and the newest revision that both sides speak. A failed attempt rejects with the reason and closes the transport. */
  async connect(transport: Transport, options: ConnectOptions = {}): Promise<void> {
    if (!isTransport(transport)) throw new TypeError(NO_TRANSPORT);
    return this.connectWith((opening, port) => port.open(transport, opening), options);
  }
  /** @internal Connects over the transport, or the transports, that `connector` opens. */
  protected async connectWith(connector: Connector, options: ConnectOptions): Promise<void> {
    checkConnectOptions(options);
    await connector(
      { signal: options.signal, timeoutMs: options.timeoutMs ?? options.timeout },
      {
        ...connectingOptions(this.#engine.options),
        open: (transport, settings) => {
          options.tap?.(transport);
          this.#engine.declare(transport.extensions ?? []);
          return this.#engine.link.open(transport, settings);
        },
        onproblem: (problem) => this.#engine.onproblem(problem),
      },
    );
    this.#engine.guard(() => this.#engine.chain?.opened());
    this.#engine.guard(() => this.#engine.subscriptions.watchLists(this.#engine.changes.kinds));
  }
  /** Adds a middleware around requests, questions and notifications from now on; the first one added is outermost. */
  use(middleware: ClientMiddleware): void {
    this.#engine.use(middleware);
  }
  /** Closes the connection. Pending requests reject with the code `closed`. */
  async close(): Promise<void> {
    await this.#engine.link.close();
  }
  /** The transport in use; `undefined` while not connected. */
  get transport(): Transport | undefined {
    return this.#engine.link.transport;
  }
  /** The revision in use. */
  get revision(): Revision | undefined {
    return this.#engine.link.revision;
  }
  /** `handshake` or `per-request`; `undefined` while not connected. */
  get family(): Family | undefined {
    return this.#engine.link.revision?.family;
  }
  /** Date of the protocol revision in use, as a text; `undefined` while not connected. */
  getNegotiatedProtocolVersion(): string | undefined {
    return this.#engine.link.revision?.id;
  }
  /** The capabilities that the server declares: `client.getServerCapabilities()?.resources?.subscribe`. */
  getServerCapabilities(): ServerCapabilities | undefined {
    return this.#engine.link.server?.capabilities;
  }
  /** The capabilities that this client declares. */
  getClientCapabilities(): ClientCapabilities {
    return this.#engine.facts.capabilities;
  }
  /** Name and version of the server program, as it says. */
  getServerVersion(): Implementation | undefined {
    return this.#engine.link.server?.info;
  }
  /** The server's words for the model about how to use it as a whole. */
  getInstructions(): string | undefined {
    return this.#engine.link.server?.instructions;
  }
  /** The server's answer to `server/discover`; `undefined` after a handshake. */
  getDiscoverResult(): DiscoverResult | undefined {
    return this.#engine.link.server?.discovered;
  }
  /** Adds to the declared capabilities. Throws once connected. */
  registerCapabilities(capabilities: ClientCapabilities): void {
    if (this.#engine.link.transport !== undefined)
      throw new TypeError(
        'The client is connected, and its capabilities are declared: call registerCapabilities() before connect().',
      );
    this.#engine.facts = {
      ...this.#engine.facts,
      capabilities: mergeCapabilities(this.#engine.facts.capabilities, capabilities),
    };
  }

  /**
   * Registers the answer to a question of the server (sampling, elicitation, roots), which may come as a request or inside a result. Throws
   * when the capability was not declared.
   *
   * ```ts
   * const client = new Client(info, { capabilities: { elicitation: {} } });
   * client.setRequestHandler('elicitation/create', async ({ params }) => ({ action: 'accept', content: await show(params) }));
   * ```
   */
  setRequestHandler<Method extends keyof AskHandlers>(method: Method, handler: AskHandlers[Method]): void;
  setRequestHandler<Schema extends MessageSchema>(
    schema: Schema,
    handler: (request: SchemaOutput<Schema>, extra: RequestHandlerExtra) => object | Promise<object>,
  ): void;
  setRequestHandler<Method extends ClientRequestName | (string & {})>(
    method: MethodName<Method, ClientRequestName>,
    handler: HandlerFor<Method>,
  ): void;
  setRequestHandler(schemaOrMethod: unknown, handler: unknown): void {
    this.#engine.handlers.setRequest(schemaOrMethod, handler as RequestHandler);
  }
  /** Removes the handler of a request. */
  removeRequestHandler(method: string): void {
    this.#engine.handlers.removeRequest(method);
  }
  /** Throws when the method has a handler already. */
  assertCanSetRequestHandler(method: string): void {
    if (this.#engine.handlers.hasRequest(method))
      throw new TypeError(`There is already a handler for ${method}: remove it first, with removeRequestHandler().`);
  }

  /**
   * Registers a function for a notification of the server, such as `'notifications/message'`. Changes of lists and resources are easier with `watch`.
   *
   * ```ts
   * client.setNotificationHandler('acme/news', ({ params }) => console.log(params));
   * ```
   */
  setNotificationHandler(method: string, handler: NotificationHandler): void;
  setNotificationHandler<Schema extends MessageSchema>(
    schema: Schema,
    handler: (notification: SchemaOutput<Schema>) => void | Promise<void>,
  ): void;
  setNotificationHandler(schemaOrMethod: unknown, handler: unknown): void {
    this.#engine.handlers.setNotification(schemaOrMethod, handler as NotificationHandler);
  }
  /** Removes the handler of a notification. */
  removeNotificationHandler(method: string): void {
    this.#engine.handlers.removeNotification(method);
  }
  /** Answers requests that no other handler answers. */
  get fallbackRequestHandler(): Handlers['fallbackRequest'] {
    return this.#engine.handlers.fallbackRequest;
  }

  set fallbackRequestHandler(handler: Handlers['fallbackRequest']) {
    this.#engine.handlers.fallbackRequest = handler;
  }
  /** Receives notifications that no other handler receives. */
  get fallbackNotificationHandler(): NotificationHandler | undefined {
    return this.#engine.handlers.fallbackNotification;
  }

  set fallbackNotificationHandler(handler: NotificationHandler | undefined) {
    this.#engine.handlers.fallbackNotification = handler;
  }

  /**
   * This client, typed by a server of `defineServer` that is imported as a type only.
   *
   * ```ts
   * import type { server } from './server.js';
   * const { sum } = await client.as<typeof server>().call('add', { a: 1, b: 2 });
   * ```
   */
  as<T extends object>(): TypedClient<T> {
    return typedView<T>(this);
  }
  /** Sends any request. Without a schema, the result is returned unchecked. */
  request(request: Message<object>, options?: RequestOptions): Promise<JsonObject>;
  request<T>(request: Message<object>, resultSchema: ResultSchema<T>, options?: RequestOptions): Promise<T>;
  request(
    request: Message<object>,
    schemaOrOptions?: ResultSchema | RequestOptions,
    options?: RequestOptions,
  ): Promise<unknown> {
    const schema = isResultSchema(schemaOrOptions) ? schemaOrOptions : undefined;
    return this.#engine.request(
      request,
      schema,
      options ?? (schema === undefined ? (schemaOrOptions as RequestOptions) : undefined),
    );
  }
  /** Sends a notification; does nothing where the revision in use has no such notification. */
  async notification(
    notification: Message<object>,
    options: Pick<RequestOptions, 'relatedRequestId'> = {},
  ): Promise<void> {
    await this.#engine.notifying.notify(notification, options.relatedRequestId);
  }
  /** @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28. */
  sendRootsListChanged(): Promise<void> {
    return this.notification({ method: 'notifications/roots/list_changed' });
  }
  /** Resolves when the server answers: a `ping`, or `server/discover` in revisions without one. */
  async ping(options?: RequestOptions): Promise<JsonObject> {
    const connection = await this.#engine.link.connection(options?.signal);
    if (connection.revision.methods.has('ping')) return this.#engine.calls.request('ping', {}, options);
    await this.discover(options);
    return {};
  }
  /** Sends `server/discover` and updates what is known about the server. Rejects in revisions that have a handshake instead. */
  async discover(options?: RequestOptions): Promise<DiscoverResult> {
    const result = await this.#engine.calls.request('server/discover', {}, options);
    const discovered = readDiscoverResult(result);
    if (discovered === undefined)
      throw new ProtocolError('internal', 'The answer to server/discover lacks versions or capabilities.', { result });
    this.#engine.link.learn(discoveredFacts(discovered));
    return discovered;
  }
  /** Lists tools: all pages, unless `cursor` or `pages: 1` asks for a single one. */
  listTools(params?: Params<{ cursor?: string }>, options?: ListRequestOptions): Promise<ListToolsResult> {
    return this.#engine.tools.list(params, options);
  }
  /** Lists prompts: all pages, unless `cursor` or `pages: 1` asks for a single one. */
  async listPrompts(params?: Params<{ cursor?: string }>, options?: ListRequestOptions): Promise<ListPromptsResult> {
    return (await this.#engine.calls.list('prompts/list', params, options)) as object as ListPromptsResult;
  }
  /** Lists resources: all pages, unless `cursor` or `pages: 1` asks for a single one. */
  async listResources(
    params?: Params<{ cursor?: string }>,
    options?: ListRequestOptions,
  ): Promise<ListResourcesResult> {
    return (await this.#engine.calls.list('resources/list', params, options)) as object as ListResourcesResult;
  }
  /** Lists templates of resources: all pages, unless `cursor` or `pages: 1` asks for a single one. */
  async listResourceTemplates(
    params?: Params<{ cursor?: string }>,
    options?: ListRequestOptions,
  ): Promise<ListResourceTemplatesResult> {
    return (await this.#engine.calls.list(
      'resources/templates/list',
      params,
      options,
    )) as object as ListResourceTemplatesResult;
  }

  /**
   * Calls a tool. A tool that fails resolves with `isError: true`; only protocol and transport errors reject.
   *
   * ```ts
   * const { content, structuredContent } = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
   * await client.callTool({ name: 'copy' }, { onprogress: ({ progress, total }) => console.log(progress, total), timeout: 10_000 });
   * ```
   */
  callTool(params: CallToolParams, options?: CallToolOptions): Promise<CallToolResult>;
  callTool<T = CallToolResult>(
    params: CallToolParams,
    resultSchema: ResultSchema<T> | undefined,
    options?: CallToolOptions,
  ): Promise<T>;
  callTool(
    params: CallToolParams,
    schemaOrOptions?: ResultSchema | CallToolOptions,
    third?: CallToolOptions,
  ): Promise<unknown> {
    const schema = isResultSchema(schemaOrOptions) ? schemaOrOptions : undefined;
    const options = third ?? (schema === undefined ? (schemaOrOptions as CallToolOptions | undefined) : undefined);
    const called = this.#engine.tools.call(params, options);
    return schema === undefined ? called : called.then((result) => readWith(schema, 'tools/call', result));
  }

  /**
   * Calls a tool and resolves without waiting for its result. The handle reports the status, waits and cancels; its `taskId` finds the task
   * again after a restart. Where the server has no tasks, the handle stands for the call itself.
   */
  startTask(params: CallToolParams, options?: CallToolOptions): Promise<TaskHandle> {
    return this.#engine.tools.start(params, options);
  }
  /** The handle of a task started earlier, perhaps by another process. Sends nothing by itself. */
  resumeTask(taskId: string): TaskHandle {
    return new StartedTask(this.#engine.tasks, taskId);
  }
  /** Reads a resource: `const { contents } = await client.readResource({ uri: 'config://app' })`. Rejects with `resource-not-found` where there is none. */
  async readResource(params: Params<{ uri: string }>, options?: CacheableRequestOptions): Promise<ReadResourceResult> {
    return (await this.#engine.calls.cached('resources/read', params, options)) as object as ReadResourceResult;
  }
  /** Gets the messages of a prompt: `await client.getPrompt({ name: 'review', arguments: { code } })`. Arguments are texts. */
  async getPrompt(
    params: Params<{ name: string; arguments?: Record<string, string> }>,
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    for (const [name, value] of Object.entries(params.arguments ?? {})) {
      if (typeof value !== 'string')
        throw new TypeError(`Prompt arguments must be strings: "${name}" is a ${typeof value}.`);
    }
    return (await this.#engine.calls.request('prompts/get', params, options)) as object as GetPromptResult;
  }

  /**
   * Suggests values for an argument of a prompt, or a variable of a template.
   *
   * ```ts
   * await client.complete({ ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'language', value: 'py' } });
   * ```
   */
  async complete(params: CompleteParams, options?: RequestOptions): Promise<CompleteResult> {
    return (await this.#engine.calls.request(
      'completion/complete',
      { ...params },
      options,
    )) as object as CompleteResult;
  }

  /**
   * Sets the least severe log level to receive, now and after every reconnect: with `logging/setLevel`, or inside each later request where
   * the revision has no such method.
   * @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
   */
  async setLoggingLevel(level: LoggingLevel, options?: RequestOptions): Promise<JsonObject> {
    if (!isLoggingLevel(level))
      throw new TypeError(`A log level is one of ${LOG_LEVELS.join(', ')}; this is ${JSON.stringify(level)}.`);
    await this.#engine.setLoggingLevel(level, options);
    return {};
  }
  /** Asks the server to report changes of a resource as `notifications/resources/updated`. `watch` does this in every revision. */
  async subscribeResource(params: { uri: string }, options?: RequestOptions): Promise<JsonObject> {
    await this.#engine.subscriptions.subscribe(params.uri, options);
    return {};
  }
  /** Ends what `subscribeResource` began. */
  async unsubscribeResource(params: { uri: string }, options?: RequestOptions): Promise<JsonObject> {
    await this.#engine.subscriptions.unsubscribe(params.uri, options);
    return {};
  }

  /**
   * Opens a stream of notifications and keeps it across reconnects; only in revisions that have `subscriptions/listen`. Resolves when the
   * server has acknowledged the filter.
   */
  listen(filter: SubscriptionFilter, options?: ListenOptions): Promise<ListenHandle> {
    return this.#engine.subscriptions.listens.listen(filter, options, true);
  }

  /**
   * Reports changes of lists or resources, in every revision, across dropped streams and reconnects. Resolves when the server has said
   * which of them it will report.
   */
  watch(target: WatchTarget, options: WatchOptions): Promise<WatchHandle> {
    return this.#engine.subscriptions.watch(target, options);
  }
}
