import type { ClientCapabilities, Implementation, JsonObject } from 'crosspoint';
import { Server, type ServerContext, type ServerOptions } from 'crosspoint/server';
import { safeParse, type AnyObjectSchema, type AnySchema, type SchemaOutput } from '../../server/zod-compat.ts';
import { getMethodLiteral, parseWithCompat } from '../../server/zod-json-schema-compat.ts';
import type { NotificationOptions, RequestOptions } from '../shared/protocol-options.ts';
import { ErrorCode, McpError } from '../types/errors.ts';
import { ProgressNotificationSchema } from '../types/lifecycle.ts';
import { CallToolResultSchema } from '../types/tools.ts';
import { askAsV1 } from './asking-as-v1.ts';
import { assertServerAnswers, assertServerTells } from './capability-checks.ts';
import { oldExtra } from './old-extra.ts';
import { errorAsV1 } from './old-handler-errors.ts';
import { errorMessage } from '../shared/contain.ts';

type Handler = (request: unknown, extra: ServerContext) => object | Promise<object>;
type Listener = (notification: unknown) => unknown;
type Handled = Parameters<NonNullable<Server['fallbackRequestHandler']>>;
type LoggingMessage = Parameters<Server['sendLoggingMessage']>[0];
type Message = Parameters<Server['notification']>[0];

type SetRequestHandler = <T extends AnyObjectSchema>(
  requestSchema: T,
  handler: (request: SchemaOutput<T>, extra: ServerContext) => object | Promise<object>,
) => void;
type SetNotificationHandler = <T extends AnyObjectSchema>(
  notificationSchema: T,
  handler: (notification: SchemaOutput<T>) => void | Promise<void>,
) => void;

/** A server that treats its clients as v1 does, where the specification leaves room. */
export class OldServer extends Server {
  declare setRequestHandler: SetRequestHandler & Server['setRequestHandler'];
  declare setNotificationHandler: SetNotificationHandler & Server['setNotificationHandler'];

  constructor(info: Implementation, options: ServerOptions = {}) {
    super(info, { handshake: 'lenient', ...options });
    this.#readFallbacks();
    this.setNotificationHandler(ProgressNotificationSchema, () => {});
    // Without handlers, they would go to the fallback.
    for (const method of ['notifications/cancelled', 'notifications/initialized'])
      super.setNotificationHandler(method, () => {});
  }

  // Put in place like this, it has the types of both.
  static {
    const method = 'setRequestHandler';
    const set = Server.prototype[method] as (this: Server, method: string, handler: Handler) => void;
    const value = function setHandler(this: OldServer, schemaOrMethod: AnySchema | string, handler: Handler): void {
      if (typeof schemaOrMethod !== 'string') {
        const name = getMethodLiteral(schemaOrMethod);
        assertServerAnswers(this.getCapabilities(), name);
        set.call(this, name, this.#answering(schemaOrMethod, name, handler));
      } else set.call(this, schemaOrMethod, (request, ctx) => handler(request, this.#extra(ctx)));
    };
    Object.defineProperty(this.prototype, method, { value, writable: true, configurable: true });
  }

  static {
    const method = 'setNotificationHandler';
    const set = Server.prototype[method] as (this: Server, schema: unknown, handler: Listener) => void;
    const value = function setListener(this: OldServer, schema: AnySchema | string, handler: Listener): void {
      set.call(this, typeof schema === 'string' ? schema : getMethodLiteral(schema), (notification) =>
        heard(() => handler(typeof schema === 'string' ? notification : parseWithCompat(schema, notification))),
      );
    };
    Object.defineProperty(this.prototype, method, { value, writable: true, configurable: true });
  }

  /** Also of the handlers that every server has. */
  override assertCanSetRequestHandler(method: string): void {
    if (this.hasRequestHandler(method) || method === 'initialize' || method === 'ping')
      throw new Error(`A request handler for ${method} already exists, which would be overridden`);
  }

  /** `undefined` before a handshake. */
  override getClientCapabilities(): ClientCapabilities | undefined {
    const declared = super.getClientCapabilities();
    const isUnknown = super.getClientVersion() === undefined && Object.keys(declared ?? {}).length === 0;
    return isUnknown ? undefined : declared;
  }

  override async request<T = JsonObject>(
    request: { method: string; params?: JsonObject },
    resultSchema?: { parse(value: unknown): T },
    options?: RequestOptions,
  ): Promise<T> {
    if (!this.isConnected()) throw new Error('Not connected');
    const send = (limited: Parameters<Server['request']>[2]): Promise<T> =>
      super.request(request, resultSchema, limited);
    return this.getFamily() === 'per-request'
      ? send(options)
      : askAsV1({ request, declared: this.getClientCapabilities() }, send, options);
  }

  /** Progress outside of a request is reported as an error instead of thrown. */
  override async notification(notification: Message, _options?: NotificationOptions): Promise<void> {
    if (!this.isConnected()) throw new Error('Not connected');
    assertServerTells(this.getCapabilities(), notification.method);
    const sent = super.notification(notification);
    if (notification.method !== 'notifications/progress') return sent;
    return sent.catch((error: unknown) => this.onerror?.(error as Error));
  }

  override async sendLoggingMessage(message: LoggingMessage, sessionId?: string): Promise<void> {
    if (this.getCapabilities().logging !== undefined) await super.sendLoggingMessage(message, sessionId);
  }

  override async sendResourceUpdated(params: { uri: string }): Promise<void> {
    await this.notification({ method: 'notifications/resources/updated', params });
  }

  override async sendToolListChanged(): Promise<void> {
    if (this.isConnected()) await this.notification({ method: 'notifications/tools/list_changed' });
  }

  override async sendPromptListChanged(): Promise<void> {
    if (this.isConnected()) await this.notification({ method: 'notifications/prompts/list_changed' });
  }

  override async sendResourceListChanged(): Promise<void> {
    if (this.isConnected()) await this.notification({ method: 'notifications/resources/list_changed' });
  }

  /** A handler of the program, which gets what its schema reads. */
  #answering(schema: AnySchema, method: string, handler: Handler): Handler {
    const isCall = method === 'tools/call';
    return async (request, ctx) => {
      try {
        const { params } = request as { params: JsonObject };
        const parsed = safeParse(schema, { method, params });
        if (!parsed.success) throw invalid(isCall ? 'Invalid tools/call request: ' : '', parsed.error);
        const result = await handler(parsed.data, this.#extra(ctx));
        return isCall ? readCallResult(params, result) : result;
      } catch (error) {
        throw errorAsV1(error);
      }
    };
  }

  #extra(ctx: ServerContext): ServerContext {
    return oldExtra(ctx, () => this.getCapabilities());
  }

  /** The fallbacks get whole messages, and fail as other handlers do. */
  #readFallbacks(): void {
    let listener: Server['fallbackNotificationHandler'];
    const hear: typeof listener = (notification, from) => heard(() => listener?.(notification, from));
    Object.defineProperty(this, 'fallbackNotificationHandler', {
      get: () => listener && hear,
      set: (handler: typeof listener) => {
        listener = handler;
      },
      enumerable: true,
      configurable: true,
    });
    let fallback: Server['fallbackRequestHandler'];
    const answer = async ({ method, params }: Handled[0], ctx: Handled[1]): Promise<JsonObject> => {
      const message = { jsonrpc: '2.0', id: ctx.requestId, method, params };
      try {
        return await (fallback as NonNullable<typeof fallback>)(message, this.#extra(ctx));
      } catch (error) {
        throw errorAsV1(error);
      }
    };
    Object.defineProperty(this, 'fallbackRequestHandler', {
      get: () => fallback && answer,
      set: (handler: typeof fallback) => {
        fallback = handler;
      },
      enumerable: true,
      configurable: true,
    });
  }
}

/** Runs a handler of notifications; its failure, at once or later, is reported in the words of v1. */
function heard(listen: () => unknown): void | Promise<void> {
  const failed = (error: unknown): never => {
    throw new Error(`Uncaught error in notification handler: ${String(error)}`, { cause: error });
  };
  try {
    const heardOf = listen();
    return heardOf instanceof Promise ? (heardOf as Promise<void>).catch(failed) : undefined;
  } catch (error) {
    return failed(error);
  }
}

const invalid = (what: string, error: unknown): McpError =>
  new McpError(ErrorCode.InvalidParams, what + errorMessage(error));

/** Holds the result of a call against its schema. A result of this library's own, or with a task, is left as it is. */
function readCallResult(params: JsonObject, result: object): object {
  if (params['task'] !== undefined || (Object(result) as object).constructor !== Object) return result;
  const parsed = safeParse(CallToolResultSchema, result);
  if (!parsed.success) throw invalid('Invalid tools/call result: ', parsed.error);
  return parsed.data;
}
