import { getSupportedElicitationModes } from 'crosspoint/client';
import { assertClientRequestTaskCapability, assertToolsCallTaskCapability } from '../experimental/tasks/helpers.ts';
import { assertClientAnswers, assertClientTells, assertServerSupports } from '../internal/client/capability-checks.ts';
import { checkedAnswer } from '../internal/client/checked-answers.ts';
import { KnownTools } from '../internal/client/known-tools.ts';
import { listChangedHandler } from '../internal/client/list-changes.ts';
import { toOldError } from '../internal/client/old-errors.ts';
import { ExperimentalClientTasks } from '../internal/tasks/client-tasks.ts';
import type { AnyObjectSchema, AnySchema, SchemaOutput } from '../server/zod-compat.ts';
import { getMethodLiteral } from '../server/zod-json-schema-compat.ts';
import {
  Protocol,
  mergeCapabilities,
  type NotificationOptions,
  type ProtocolOptions,
  type RequestHandlerExtra,
  type RequestOptions,
} from '../shared/protocol.ts';
import type { Transport } from '../shared/transport.ts';
import {
  CallToolResultSchema,
  CompleteResultSchema,
  EmptyResultSchema,
  ErrorCode,
  GetPromptResultSchema,
  InitializeResultSchema,
  LATEST_PROTOCOL_VERSION,
  ListPromptsResultSchema,
  ListResourceTemplatesResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
  McpError,
  PromptListChangedNotificationSchema,
  ReadResourceResultSchema,
  ResourceListChangedNotificationSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  ToolListChangedNotificationSchema,
  type CallToolRequest,
  type ClientCapabilities,
  type ClientNotification,
  type ClientRequest,
  type ClientResult,
  type CompatibilityCallToolResultSchema,
  type CompleteRequest,
  type CompleteResult,
  type EmptyResult,
  type GetPromptRequest,
  type GetPromptResult,
  type Implementation,
  type ListChangedHandlers,
  type ListPromptsRequest,
  type ListPromptsResult,
  type ListResourceTemplatesRequest,
  type ListResourceTemplatesResult,
  type ListResourcesRequest,
  type ListResourcesResult,
  type ListToolsRequest,
  type ListToolsResult,
  type LoggingLevel,
  type Notification,
  type ReadResourceRequest,
  type ReadResourceResult,
  type Request,
  type Result,
  type ServerCapabilities,
  type SubscribeRequest,
  type UnsubscribeRequest,
} from '../types.ts';
import { AjvJsonSchemaValidator } from '../validation/ajv-provider.ts';
import type { jsonSchemaValidator } from '../validation/types.ts';

export { getSupportedElicitationModes };

export type ClientOptions = ProtocolOptions & {
  /** Capabilities to declare. */
  capabilities?: ClientCapabilities;
  /** Checks structured results against the output schema of their tool; `AjvJsonSchemaValidator` when absent. */
  jsonSchemaValidator?: jsonSchemaValidator;
  /** Called when the server says that a list has changed, if it declared that it does. */
  listChanged?: ListChangedHandlers;
};

type ToolResultSchema = typeof CallToolResultSchema | typeof CompatibilityCallToolResultSchema;

/**
 * A client that connects with a handshake and behaves as that of v1. The type parameters describe what a program adds to the protocol. The
 * `Client` of `crosspoint/client` speaks every revision.
 */
export class Client<
  RequestT extends Request = Request,
  NotificationT extends Notification = Notification,
  ResultT extends Result = Result,
> extends Protocol<ClientRequest | RequestT, ClientNotification | NotificationT, ClientResult | ResultT> {
  private readonly _clientInfo: Implementation;
  private _capabilities: ClientCapabilities;
  private _serverCapabilities: ServerCapabilities | undefined;
  private _serverVersion: Implementation | undefined;
  private _instructions: string | undefined;
  private _experimental: { tasks: ExperimentalClientTasks<RequestT, NotificationT, ResultT> } | undefined;
  private _pendingListChangedConfig: ListChangedHandlers | undefined;
  private readonly _knownTools: KnownTools;

  constructor(clientInfo: Implementation, options?: ClientOptions) {
    super(options);
    this._clientInfo = clientInfo;
    this._capabilities = options?.capabilities ?? {};
    this._pendingListChangedConfig = options?.listChanged;
    this._knownTools = new KnownTools(options?.jsonSchemaValidator ?? new AjvJsonSchemaValidator());
  }

  get experimental(): { tasks: ExperimentalClientTasks<RequestT, NotificationT, ResultT> } {
    return (this._experimental ??= { tasks: new ExperimentalClientTasks(this) });
  }

  /** Adds to the declared capabilities. Throws once connected. */
  registerCapabilities(capabilities: ClientCapabilities): void {
    if (this.transport) throw new Error('Cannot register capabilities after connecting to transport');
    this._capabilities = mergeCapabilities(this._capabilities, capabilities);
  }

  /** Replaces the handler of a method. Answers to elicitation and sampling are checked before they are sent. */
  override setRequestHandler<T extends AnyObjectSchema>(
    requestSchema: T,
    handler: (
      request: SchemaOutput<T>,
      extra: RequestHandlerExtra<ClientRequest | RequestT, ClientNotification | NotificationT>,
    ) => ClientResult | ResultT | Promise<ClientResult | ResultT>,
  ): void {
    const method = getMethodLiteral(requestSchema);
    const checked = checkedAnswer(
      method,
      handler as (request: unknown, extra: unknown) => unknown,
      () => this._capabilities,
    );
    super.setRequestHandler(requestSchema, (checked as typeof handler | undefined) ?? handler);
  }

  /** Starts the transport and shakes hands, unless the transport continues a session. */
  override async connect(transport: Transport, options?: RequestOptions): Promise<void> {
    try {
      await super.connect(transport);
      if (transport.sessionId === undefined) await this._initialize(transport, options);
    } catch (error) {
      throw toOldError(error, transport);
    }
  }

  private async _initialize(transport: Transport, options: RequestOptions | undefined): Promise<void> {
    try {
      const params = {
        protocolVersion: LATEST_PROTOCOL_VERSION,
        capabilities: this._capabilities,
        clientInfo: this._clientInfo,
      };
      const result = await this.request({ method: 'initialize', params }, InitializeResultSchema, options);
      if (!SUPPORTED_PROTOCOL_VERSIONS.includes(result.protocolVersion))
        throw new Error(`Server's protocol version is not supported: ${result.protocolVersion}`);
      this._serverCapabilities = result.capabilities;
      this._serverVersion = result.serverInfo;
      this._instructions = result.instructions;
      transport.setProtocolVersion?.(result.protocolVersion);
      await this.notification({ method: 'notifications/initialized' });
      this._watchLists();
    } catch (error) {
      this.close().catch((failure: unknown) => this.onerror?.(failure as Error));
      throw error;
    }
  }

  private _watchLists(): void {
    const { tools, prompts, resources } = this._pendingListChangedConfig ?? {};
    const declared = this._serverCapabilities;
    this._pendingListChangedConfig = undefined;
    if (tools && declared?.tools?.listChanged === true) {
      const handler = listChangedHandler('tools', tools, async () => (await this.listTools()).tools);
      this.setNotificationHandler(ToolListChangedNotificationSchema, handler);
    }
    if (prompts && declared?.prompts?.listChanged === true) {
      const handler = listChangedHandler('prompts', prompts, async () => (await this.listPrompts()).prompts);
      this.setNotificationHandler(PromptListChangedNotificationSchema, handler);
    }
    if (resources && declared?.resources?.listChanged === true) {
      const handler = listChangedHandler('resources', resources, async () => (await this.listResources()).resources);
      this.setNotificationHandler(ResourceListChangedNotificationSchema, handler);
    }
  }

  override async request<T extends AnySchema>(
    request: ClientRequest | RequestT,
    resultSchema: T,
    options?: RequestOptions,
  ): Promise<SchemaOutput<T>> {
    const { transport } = this;
    try {
      return await super.request(request, resultSchema, options);
    } catch (error) {
      throw toOldError(error, transport);
    }
  }

  override async notification(
    notification: ClientNotification | NotificationT,
    options?: NotificationOptions,
  ): Promise<void> {
    const { transport } = this;
    try {
      await super.notification(notification, options);
    } catch (error) {
      throw toOldError(error, transport);
    }
  }

  getServerCapabilities(): ServerCapabilities | undefined {
    return this._serverCapabilities;
  }

  getServerVersion(): Implementation | undefined {
    return this._serverVersion;
  }

  getInstructions(): string | undefined {
    return this._instructions;
  }

  /** Throws when the server has not declared the capability. */
  protected assertCapability(capability: keyof ServerCapabilities, method: string): void {
    if (!this._serverCapabilities?.[capability])
      throw new Error(`Server does not support ${capability} (required for ${method})`);
  }

  protected assertCapabilityForMethod(method: RequestT['method']): void {
    assertServerSupports(this._serverCapabilities, method);
  }

  protected assertNotificationCapability(method: NotificationT['method']): void {
    assertClientTells(this._capabilities, method);
  }

  protected assertRequestHandlerCapability(method: string): void {
    // The constructor of `Protocol` sets handlers before there are capabilities.
    if (this._capabilities !== undefined) assertClientAnswers(this._capabilities, method);
  }

  protected assertTaskCapability(method: string): void {
    assertToolsCallTaskCapability(this._serverCapabilities?.tasks?.requests, method, 'Server');
  }

  protected assertTaskHandlerCapability(method: string): void {
    assertClientRequestTaskCapability(this._capabilities.tasks?.requests, method, 'Client');
  }

  ping(options?: RequestOptions): Promise<EmptyResult> {
    return this.request({ method: 'ping' }, EmptyResultSchema, options);
  }

  complete(params: CompleteRequest['params'], options?: RequestOptions): Promise<CompleteResult> {
    return this.request({ method: 'completion/complete', params }, CompleteResultSchema, options);
  }

  setLoggingLevel(level: LoggingLevel, options?: RequestOptions): Promise<EmptyResult> {
    return this.request({ method: 'logging/setLevel', params: { level } }, EmptyResultSchema, options);
  }

  getPrompt(params: GetPromptRequest['params'], options?: RequestOptions): Promise<GetPromptResult> {
    return this.request({ method: 'prompts/get', params }, GetPromptResultSchema, options);
  }

  listPrompts(params?: ListPromptsRequest['params'], options?: RequestOptions): Promise<ListPromptsResult> {
    return this.request({ method: 'prompts/list', params }, ListPromptsResultSchema, options);
  }

  listResources(params?: ListResourcesRequest['params'], options?: RequestOptions): Promise<ListResourcesResult> {
    return this.request({ method: 'resources/list', params }, ListResourcesResultSchema, options);
  }

  listResourceTemplates(
    params?: ListResourceTemplatesRequest['params'],
    options?: RequestOptions,
  ): Promise<ListResourceTemplatesResult> {
    return this.request({ method: 'resources/templates/list', params }, ListResourceTemplatesResultSchema, options);
  }

  readResource(params: ReadResourceRequest['params'], options?: RequestOptions): Promise<ReadResourceResult> {
    return this.request({ method: 'resources/read', params }, ReadResourceResultSchema, options);
  }

  subscribeResource(params: SubscribeRequest['params'], options?: RequestOptions): Promise<EmptyResult> {
    return this.request({ method: 'resources/subscribe', params }, EmptyResultSchema, options);
  }

  unsubscribeResource(params: UnsubscribeRequest['params'], options?: RequestOptions): Promise<EmptyResult> {
    return this.request({ method: 'resources/unsubscribe', params }, EmptyResultSchema, options);
  }

  /** Calls a tool. Rejects when the result breaks the output schema that the tool was last listed with. */
  async callTool(
    params: CallToolRequest['params'],
    resultSchema: ToolResultSchema = CallToolResultSchema,
    options?: RequestOptions,
  ): Promise<SchemaOutput<ToolResultSchema>> {
    const { name } = params;
    if (this._knownTools.mustBeTask(name))
      throw new McpError(
        ErrorCode.InvalidRequest,
        `Tool "${name}" requires task-based execution. Use client.experimental.tasks.callToolStream() instead.`,
      );
    const result = await this.request({ method: 'tools/call', params }, resultSchema, options);
    const problem = this._knownTools.problemOf(name, result);
    if (problem !== undefined) throw problem;
    return result;
  }

  async listTools(params?: ListToolsRequest['params'], options?: RequestOptions): Promise<ListToolsResult> {
    const result = await this.request({ method: 'tools/list', params }, ListToolsResultSchema, options);
    this._knownTools.learn(result.tools);
    return result;
  }

  sendRootsListChanged(): Promise<void> {
    return this.notification({ method: 'notifications/roots/list_changed' });
  }
}
