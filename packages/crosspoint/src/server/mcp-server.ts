import type { JsonObject } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { LoggingMessage } from '../protocol/logging.ts';
import { isRecommendedToolName } from '../protocol/tools.ts';
import type { Transport } from '../transports/transport.ts';
import { Catalogue, type ChangedList } from './offering/catalogue.ts';
import {
  compilePrompt,
  compileResource,
  compileTool,
  type AnyCallback,
  type AnyPromptConfig,
  type AnyToolConfig,
} from './offering/compile-entries.ts';
import { checkRegistration } from './offering/check-registration.ts';
import { complete } from './features/completion.ts';
import { registerMountable } from './composition/mountable.ts';
import { coreOf, registerCore } from './core.ts';
import { handleOf } from './offering/handle.ts';
import type { ServerContext } from './calls/context.ts';
import type { HandledRequest, RequestHandler } from './calls/handler.ts';
import { answerList } from './offering/lists.ts';
import type { ServerMiddleware } from './calls/middleware.ts';
import { mergeCapabilities } from '../protocol/merge-capabilities.ts';
import { getPrompt } from './features/prompts.ts';
import type { Answer, ListHints, Registry } from './offering/registry.ts';
import type {
  PromptCallback,
  PromptConfig,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  ResourceConfig,
  TemplateConfig,
  ToolCallback,
  ToolConfig,
} from './offering/registrations.ts';
import { readResource } from './features/resources.ts';
import { requireSource, type ResourceTemplate } from './offering/resource-template.ts';
import { Server } from './server.ts';
import type { ServerExtension, ServerFeature } from './server-extension.ts';
import type { ServerOptions } from './server-options.ts';
import type { RegisteredEntry } from './offering/registered-entry.ts';
import { requireTasks } from './tasks/task-support.ts';
import { callTool } from './features/tools.ts';

/** Options of an `McpServer`: those of its lists, and every option of `ServerOptions`. */
export interface McpServerOptions extends ServerOptions {
  /** How long each list may be reused, and by whom; 0 and private when absent. */
  listHints?: ListHints;
  /** Items on a page of a list; all when absent. */
  pageSize?: number;
  /** Whether suggestions are sent best match first, each once; `true` when absent. With `false` they are sent as the completer gives them. */
  rankCompletions?: boolean;
  /**
   * Lets calls on `server` inside handlers find their request from the start. When absent, that begins with the first use of `server`, and from the start where
   * logging is declared: a log line must not reach clients other than the one it is about.
   */
  trackRequests?: boolean;
  /** Receives warnings, such as a tool name that some hosts refuse; writes to the console when absent. */
  onwarning?: (message: string) => void;
}

type Feature = readonly [list: ChangedList | 'completions', methods: Readonly<Record<string, Answer>>];

/** The methods that each feature brings. */
const FEATURES: readonly Feature[] = [
  ['tools', { 'tools/list': answerList }],
  [
    'resources',
    { 'resources/list': answerList, 'resources/templates/list': answerList, 'resources/read': readResource },
  ],
  ['prompts', { 'prompts/list': answerList, 'prompts/get': getPrompt }],
  ['completions', { 'completion/complete': complete }],
];

/**
 * A server with tools, resources and prompts. One object serves any number of connections at once, of every revision; changes of its entries are announced to
 * the clients that asked for them.
 *
 * ```ts
 * const server = new McpServer({ name: 'weather', version: '1.0.0' });
 * server.registerTool('forecast', { inputSchema: { city: z.string() } }, async ({ city }) => text(await forecast(city)));
 * await serveStdio(server);
 * ```
 */
export class McpServer {
  readonly #server: Server;
  readonly #catalogue: Catalogue;
  readonly #warn: (message: string) => void;
  readonly #tracksOnUse: boolean;

  constructor(info: Implementation, options: McpServerOptions = {}) {
    const { listHints: hints = {}, pageSize = Number.POSITIVE_INFINITY, trackRequests, onwarning, ...given } = options;
    const { rankCompletions: ranksCompletions = true, ...rest } = given;
    if (!(pageSize >= 1)) throw new TypeError(`pageSize must be at least 1, not ${String(pageSize)}.`);
    this.#server = this.createServer(info, {
      ...rest,
      trackRequests: trackRequests ?? rest.capabilities?.logging !== undefined,
    });
    this.#tracksOnUse = trackRequests !== false;
    this.#warn = onwarning ?? ((message) => console.warn(message));
    this.#catalogue = new Catalogue({ hints, pageSize, ranksCompletions }, (list) => this.#changed(list));
    const registry = (): Registry => this.#catalogue.registry;
    this.#server.offers = registry;
    registerCore(this, coreOf(this.#server));
    registerMountable(this, {
      core: coreOf(this.#server),
      catalogue: this.#catalogue,
      registry,
      declare: (called) => this.#declare(called),
    });
    this.#declare(this.#server.getCapabilities());
  }

  /** Makes the protocol underneath. Called by the constructor; a subclass overrides it to use a subclass of `Server`. */
  protected createServer(info: Implementation, options: ServerOptions): Server {
    return new Server(info, options);
  }

  /**
   * The handler that is set for a method that this class answers. Called once for each method, when it is first offered and perhaps by the constructor; a subclass overrides it to stand
   * around the answer.
   */
  protected handlerOf(_method: string, answer: RequestHandler): RequestHandler {
    return answer;
  }

  /** The underlying low-level server: for handlers of your own, and requests to the client. */
  get server(): Server {
    // It may be called inside a handler, where it must know its request.
    if (this.#tracksOnUse) this.#server.trackRequests();
    return this.#server;
  }

  /** Puts a middleware around what is asked and told, or brings in an extension or a feature such as `tasks()`. */
  use(added: ServerMiddleware | ServerExtension | ServerFeature): void {
    this.#server.use(added);
  }

  /** Serves one client over a transport; call it again for each further one. `serveStdio` and `createMcpHandler` do this for stdio and HTTP. */
  connect(transport: Transport): Promise<void> {
    return this.#server.connect(transport);
  }

  /** Ends every connection and every task that runs here. */
  close(): Promise<void> {
    return this.#server.close();
  }

  /** Whether at least one client is connected over a transport. */
  isConnected(): boolean {
    return this.#server.isConnected();
  }

  /**
   * Registers a tool: a function that a model may call. Its arguments are checked by `inputSchema` before it runs; an error that it throws becomes a result with
   * `isError`, which the model reads. Throws for a name that is taken. The handle that is returned changes and removes the tool.
   *
   * ```ts
   * server.registerTool(
   *   'add',
   *   { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
   *   async ({ a, b }, ctx) => ({ structuredContent: { sum: a + b } }),
   * );
   * server.registerTool('now', { description: 'The time' }, (ctx) => text(new Date().toISOString()));
   * ```
   */
  registerTool<In extends object | undefined = undefined, Out extends object | undefined = undefined>(
    name: string,
    config: ToolConfig<In, Out>,
    callback: ToolCallback<In, Out>,
  ): RegisteredTool {
    checkRegistration('tool', { name, config, callback });
    if (!isRecommendedToolName(name))
      this.#warn(`The tool name "${name}" may be refused by hosts: use 1 to 128 letters, digits, "_", "-" and ".".`);
    const { tools } = this.#catalogue;
    const given = { key: name, config: config as AnyToolConfig, callback: callback as AnyCallback };
    const entry = this.#catalogue.add('tools', tools, given, (registration) => {
      const tool = compileTool(registration.key, registration.config, registration.callback, registration);
      if (tool.task !== undefined) requireTasks(coreOf(this.#server), registration.key).offer();
      return tool;
    });
    return this.#handle(entry, 'name');
  }

  /**
   * Registers a resource under its URI. The function returns its contents, or `undefined` where there is nothing at present.
   *
   * ```ts
   * server.registerResource('config', 'config://app', { mimeType: 'application/json' }, (uri) => ({
   *   contents: [{ uri: uri.href, text: JSON.stringify(config) }],
   * }));
   * ```
   */
  registerResource(
    name: string,
    uri: string,
    config: ResourceConfig,
    callback: ReadResourceCallback,
  ): RegisteredResource;
  /**
   * Registers all resources of a template. The function gets the variables of the URI, and returns `undefined` for a resource that does not exist.
   *
   * ```ts
   * server.registerResource('user', new ResourceTemplate('user://{id}', { list: undefined }), {}, async (uri, { id }) => ({
   *   contents: [{ uri: uri.href, text: await describeUser(id) }],
   * }));
   * ```
   */
  registerResource(
    name: string,
    template: ResourceTemplate,
    config: TemplateConfig,
    callback: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate;
  registerResource(
    name: string,
    uriOrTemplate: string | ResourceTemplate,
    config: ResourceConfig | TemplateConfig,
    callback: ReadResourceCallback | ReadResourceTemplateCallback,
  ): RegisteredResource | RegisteredResourceTemplate {
    requireSource(name, uriOrTemplate);
    checkRegistration('resource', { name, config, callback });
    const { resources, templates } = this.#catalogue;
    if (typeof uriOrTemplate === 'string') {
      const given = { key: uriOrTemplate, config: { ...config, name }, callback: callback as ReadResourceCallback };
      const entry = this.#catalogue.add(
        'resources',
        resources,
        given,
        ({ key, config: { name: called, ...rest }, callback: read, ...placement }) =>
          compileResource(called, key, rest, { callback: read, placement }),
      );
      return this.#handle<RegisteredResource>(entry, 'uri');
    }
    const given = {
      key: name,
      config: { ...(config as TemplateConfig), resourceTemplate: uriOrTemplate },
      callback: callback as ReadResourceTemplateCallback,
    };
    const entry = this.#catalogue.add(
      'resources',
      templates,
      given,
      ({ key, config: { resourceTemplate, ...rest }, callback: read, ...placement }) =>
        resourceTemplate.compile(key, rest, { callback: read, placement }),
    );
    return this.#handle<RegisteredResourceTemplate>(entry, 'name');
  }

  /**
   * Registers a prompt: messages that a user picks by name, with arguments that are texts on the wire. `completable` lets clients complete an argument.
   *
   * ```ts
   * server.registerPrompt('review', { description: 'Reviews code', argsSchema: { code: z.string() } }, ({ code }) => ({
   *   messages: [{ role: 'user', content: { type: 'text', text: `Review this:\n${code}` } }],
   * }));
   * ```
   */
  registerPrompt<Args extends object | undefined = undefined>(
    name: string,
    config: PromptConfig<Args>,
    callback: PromptCallback<Args>,
  ): RegisteredPrompt {
    checkRegistration('prompt', { name, config, callback });
    const { prompts } = this.#catalogue;
    const given = { key: name, config: config as AnyPromptConfig, callback: callback as AnyCallback };
    const entry = this.#catalogue.add('prompts', prompts, given, (registration) =>
      compilePrompt(registration.key, registration.config, registration.callback, registration),
    );
    return this.#handle(entry, 'name');
  }

  /** Tells clients that the list of tools has changed. Registering, changing and removing a tool does this by itself. */
  sendToolListChanged(): void {
    void this.#server.sendToolListChanged();
  }

  /** Tells clients that the list of resources has changed. Registering, changing and removing a resource does this by itself. */
  sendResourceListChanged(): void {
    void this.#server.sendResourceListChanged();
  }

  /** Tells clients that the list of prompts has changed. Registering, changing and removing a prompt does this by itself. */
  sendPromptListChanged(): void {
    void this.#server.sendPromptListChanged();
  }

  /** Tells the clients that watch this resource that its contents have changed. Needs `capabilities: { resources: { subscribe: true } }`. */
  sendResourceUpdated(params: { uri: string }): Promise<void> {
    return this.#server.sendResourceUpdated(params);
  }

  /** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
  sendLoggingMessage(message: LoggingMessage, sessionId?: string): Promise<void> {
    return this.#server.sendLoggingMessage(message, sessionId);
  }

  #handle<Handle>(entry: object, key: 'name' | 'uri'): Handle {
    return handleOf<Handle>(entry as RegisteredEntry<object, unknown, never>, key);
  }

  #changed(list: ChangedList): void {
    this.#declare(this.#catalogue.capabilities);
    if (list === 'tools') this.sendToolListChanged();
    else if (list === 'prompts') this.sendPromptListChanged();
    else this.sendResourceListChanged();
  }

  /** Adds capabilities, and the handlers that they need. */
  #declare(calledFor: ServerCapabilities): void {
    // Values that the author declared are kept: `listChanged: false` is a decision.
    this.#server.registerCapabilities(mergeCapabilities(calledFor, this.#server.getCapabilities()));
    for (const [feature, methods] of FEATURES) if (calledFor[feature] !== undefined) this.#offer(methods);
  }

  /** Registers the handlers of a feature once; handlers that the program has set are kept. */
  #offer(methods: Feature[1]): void {
    if (methods['tools/list']) this.#offerCalls();
    for (const [method, answer] of Object.entries(methods)) {
      if (!this.#server.hasRequestHandler(method))
        this.#set(method, (request, ctx) => this.#answer(answer, request, ctx));
    }
  }

  #offerCalls(): void {
    if (this.#server.hasRequestHandler('tools/call')) return;
    const core = coreOf(this.#server);
    const call: Answer = (registry, request, ctx) =>
      core.tasks === undefined ? callTool(registry, request, ctx) : core.tasks.callTool(registry, request, ctx);
    this.#set('tools/call', (request, ctx) => this.#answer(call, request, ctx));
  }

  #answer(answer: Answer, request: HandledRequest, ctx: ServerContext): JsonObject | Promise<JsonObject> {
    const { byCaller, registry } = this.#catalogue;
    return byCaller === undefined ? answer(registry, request, ctx) : byCaller.answer(answer, request, ctx);
  }

  #set(method: string, answer: RequestHandler): void {
    this.#server.setRequestHandler<string, HandledRequest>(method, this.handlerOf(method, answer));
  }
}
