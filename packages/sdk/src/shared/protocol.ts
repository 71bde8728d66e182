/**
 * `shared/protocol.js` of v1: requests and answers over a transport, for programs that extend `Protocol` with a protocol of their own.
 * `Client` and `Server` of this library do not extend it but have its methods. A `Protocol` keeps no tasks of its own; it follows those of
 * the other side. An error with a number thrown by a handler is sent with that number; any other becomes an internal error without details.
 */
import type { AuthInfo, Transport } from 'crosspoint';
import { getMethodLiteral } from '../server/zod-json-schema-compat.ts';
import { safeParse, type AnyObjectSchema, type AnySchema, type SchemaOutput } from '../server/zod-compat.ts';
import {
  CancelTaskResultSchema,
  CancelledNotificationSchema,
  CreateTaskResultSchema,
  ErrorCode,
  GetTaskResultSchema,
  ListTasksResultSchema,
  McpError,
  ProgressNotificationSchema,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type CancelTaskResult,
  type GetTaskResult,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type ListTasksResult,
  type MessageExtraInfo,
  type Notification,
  type Request,
  type RequestId,
  type Result,
} from '../types.ts';
import { contain } from '../internal/shared/contain.ts';
import { PendingRequest } from '../internal/shared/pending-request.ts';
import type {
  NotificationOptions,
  ProtocolOptions,
  RequestHandlerExtra,
  RequestOptions,
  TaskRequestOptions,
  SchemaLike,
} from '../internal/shared/protocol-options.ts';
import { withOptions, withRelatedTask } from '../internal/shared/request-params.ts';
import type { ResponseMessage } from './responseMessage.ts';

export { DEFAULT_REQUEST_TIMEOUT_MSEC } from '../internal/shared/protocol-options.ts';
export { mergeCapabilities } from '../internal/shared/merge-capabilities.ts';
export type {
  NotificationOptions,
  ProgressCallback,
  ProtocolOptions,
  RequestHandlerExtra,
  RequestOptions,
  RequestTaskStore,
  TaskRequestOptions,
} from '../internal/shared/protocol-options.ts';

export abstract class Protocol<
  SendRequestT extends Request,
  SendNotificationT extends Notification,
  SendResultT extends Result,
> {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Called for requests without a handler. */
  fallbackRequestHandler?: (
    request: JSONRPCRequest,
    extra: RequestHandlerExtra<SendRequestT, SendNotificationT>,
  ) => Promise<SendResultT>;
  /** Called for notifications without a handler. */
  fallbackNotificationHandler?: (notification: Notification) => Promise<void>;

  readonly #options: ProtocolOptions;
  readonly #requestHandlers = new Map<
    string,
    (request: JSONRPCRequest, extra: RequestHandlerExtra<SendRequestT, SendNotificationT>) => Promise<Result>
  >();
  readonly #notificationHandlers = new Map<string, (notification: JSONRPCNotification) => Promise<void>>();
  readonly #pending = new Map<RequestId, PendingRequest>();
  readonly #inFlight = new Map<RequestId, AbortController>();
  readonly #debounced = new Set<string>();
  #transport: Transport | undefined;
  #nextId = 0;

  constructor(options: ProtocolOptions = {}) {
    if (options.taskStore !== undefined || options.taskMessageQueue !== undefined)
      throw new TypeError('A Protocol keeps no tasks. Give the task store to a Server or an McpServer.');
    this.#options = options;
    this.setNotificationHandler(CancelledNotificationSchema, ({ params: { requestId, reason } }) => {
      if (requestId !== undefined) this.#inFlight.get(requestId)?.abort(reason);
    });
    this.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
      const { progressToken, _meta, ...progress } = params;
      this.#pending.get(progressToken)?.progress(progress);
    });
    this.#requestHandlers.set('ping', async () => ({}));
  }

  /** Throws when the other side does not support the method. */
  protected abstract assertCapabilityForMethod(method: SendRequestT['method']): void;
  /** Throws when this side has not declared the capability of the notification. */
  protected abstract assertNotificationCapability(method: SendNotificationT['method']): void;
  /** Throws when this side has not declared the capability of a handler. */
  protected abstract assertRequestHandlerCapability(method: string): void;
  /** Throws when the other side does not support tasks for the method. */
  protected abstract assertTaskCapability(method: string): void;
  /** Throws when this side does not support tasks for the method. */
  protected abstract assertTaskHandlerCapability(method: string): void;

  get transport(): Transport | undefined {
    return this.#transport;
  }

  /** Takes over the transport and starts it. Callbacks already set on it are called as well. */
  async connect(transport: Transport): Promise<void> {
    if (this.#transport !== undefined) throw new Error('Already connected. Close the connection first.');
    this.#transport = transport;
    const { onclose, onerror, onmessage } = transport;
    transport.onclose = () => {
      if (onclose) contain(onclose, this.#tell);
      this.#closed();
    };
    transport.onerror = (error) => {
      if (onerror) contain(() => onerror(error));
      contain(() => this.#tell(error));
    };
    transport.onmessage = (message, extra) => {
      if (onmessage) contain(() => onmessage(message, extra), this.#tell);
      contain(() => this.#receive(message, extra), this.#tell);
    };
    await transport.start();
  }

  async close(): Promise<void> {
    await this.#transport?.close();
  }

  async request<T extends AnySchema>(
    request: SendRequestT,
    resultSchema: T,
    options: RequestOptions = {},
  ): Promise<SchemaOutput<T>> {
    const transport = this.#connected();
    if (this.#options.enforceStrictCapabilities === true) {
      this.assertCapabilityForMethod(request.method);
      if (options.task !== undefined) this.assertTaskCapability(request.method);
    }
    options.signal?.throwIfAborted();
    const id = this.#nextId++;
    const { relatedRequestId, resumptionToken, onresumptiontoken } = options;
    const sendOptions = {
      ...(relatedRequestId !== undefined && { relatedRequestId }),
      ...(resumptionToken !== undefined && { resumptionToken }),
      ...(onresumptiontoken && { onresumptiontoken }),
    };
    const pending = new PendingRequest(options, (reason) => {
      const cancelled = { method: 'notifications/cancelled', params: { requestId: id, reason } };
      contain(() => transport.send({ jsonrpc: '2.0', ...cancelled }, sendOptions), this.#tell);
    });
    this.#pending.set(id, pending);
    try {
      const params = withOptions(request.params, options, id);
      const message = { jsonrpc: '2.0' as const, id, method: request.method, ...(params && { params }) };
      Promise.resolve(transport.send(message, sendOptions)).catch((error: unknown) => pending.reject(error));
      return read(resultSchema, await pending.answer);
    } finally {
      this.#pending.delete(id);
    }
  }

  /** Sends a request that may become a task: yields the task, then the result or the error. */
  protected async *requestStream<T extends AnySchema>(
    request: SendRequestT,
    resultSchema: T,
    options: RequestOptions = {},
  ): AsyncGenerator<ResponseMessage<SchemaOutput<T> & Result>, void, void> {
    try {
      if (options.task === undefined) {
        yield { type: 'result', result: await this.request(request, resultSchema, options) };
        return;
      }
      let { task } = await this.request(request, CreateTaskResultSchema, options);
      const { task: _wish, ...rest } = options;
      yield { type: 'taskCreated', task };
      while (task.status === 'working') {
        await pause(task.pollInterval ?? this.#options.defaultTaskPollInterval ?? 1000, options.signal);
        task = await this.getTask({ taskId: task.taskId }, rest);
        yield { type: 'taskStatus', task };
      }
      const result = await this.getTaskResult({ taskId: task.taskId }, resultSchema, rest);
      yield { type: 'result', result };
    } catch (error) {
      yield { type: 'error', error: asMcpError(error) };
    }
  }

  protected getTask(params: { taskId: string }, options?: RequestOptions): Promise<GetTaskResult> {
    return this.request({ method: 'tasks/get', params } as object as SendRequestT, GetTaskResultSchema, options);
  }

  protected getTaskResult<T extends AnySchema>(
    params: { taskId: string },
    resultSchema: T,
    options?: RequestOptions,
  ): Promise<SchemaOutput<T>> {
    return this.request({ method: 'tasks/result', params } as object as SendRequestT, resultSchema, options);
  }

  protected listTasks(params?: { cursor?: string }, options?: RequestOptions): Promise<ListTasksResult> {
    const request = { method: 'tasks/list', ...(params && { params }) };
    return this.request(request as object as SendRequestT, ListTasksResultSchema, options);
  }

  protected cancelTask(params: { taskId: string }, options?: RequestOptions): Promise<CancelTaskResult> {
    return this.request({ method: 'tasks/cancel', params } as object as SendRequestT, CancelTaskResultSchema, options);
  }

  async notification(notification: SendNotificationT, options: NotificationOptions = {}): Promise<void> {
    this.#connected();
    this.assertNotificationCapability(notification.method);
    const { method } = notification;
    const isPlain = notification.params === undefined && Object.keys(options).length === 0;
    if (isPlain && this.#options.debouncedNotificationMethods?.includes(method)) {
      if (this.#debounced.has(method)) return;
      this.#debounced.add(method);
      await Promise.resolve();
      if (!this.#debounced.delete(method)) return;
    }
    const params = withRelatedTask(notification.params, options.relatedTask);
    const sendOptions = options.relatedRequestId === undefined ? {} : { relatedRequestId: options.relatedRequestId };
    await this.#transport?.send({ jsonrpc: '2.0', method, ...(params && { params }) }, sendOptions);
  }

  /** Replaces the handler of a method. */
  setRequestHandler<T extends AnyObjectSchema>(
    requestSchema: T,
    handler: (
      request: SchemaOutput<T>,
      extra: RequestHandlerExtra<SendRequestT, SendNotificationT>,
    ) => SendResultT | Promise<SendResultT>,
  ): void {
    const method = getMethodLiteral(requestSchema);
    this.assertRequestHandlerCapability(method);
    this.#requestHandlers.set(method, async (request, extra) => {
      const parsed = safeParse(requestSchema, request);
      if (!parsed.success) throw new McpError(ErrorCode.InvalidParams, `The params of ${method} are not valid.`);
      return handler(parsed.data, extra);
    });
  }

  removeRequestHandler(method: string): void {
    this.#requestHandlers.delete(method);
  }

  /** Throws when the method has a handler already. */
  assertCanSetRequestHandler(method: string): void {
    if (this.#requestHandlers.has(method)) throw new Error(`A handler for ${method} is already registered.`);
  }

  /** Replaces the handler of a method. */
  setNotificationHandler<T extends AnyObjectSchema>(
    notificationSchema: T,
    handler: (notification: SchemaOutput<T>) => void | Promise<void>,
  ): void {
    const method = getMethodLiteral(notificationSchema);
    this.#notificationHandlers.set(method, async (notification) => handler(read(notificationSchema, notification)));
  }

  removeNotificationHandler(method: string): void {
    this.#notificationHandlers.delete(method);
  }

  #connected(): Transport {
    if (this.#transport === undefined) throw new Error('Not connected');
    return this.#transport;
  }

  #closed(): void {
    const error = new McpError(ErrorCode.ConnectionClosed, 'Connection closed');
    this.#transport = undefined;
    this.#debounced.clear();
    for (const pending of this.#pending.values()) pending.reject(error);
    for (const controller of this.#inFlight.values()) controller.abort(error);
    this.#pending.clear();
    this.#inFlight.clear();
    contain(() => this.onclose?.(), this.#tell);
  }

  #receive(message: unknown, extra: MessageExtraInfo | undefined): void {
    if (isJSONRPCResultResponse(message)) this.#pending.get(message.id)?.resolve(message.result);
    else if (isJSONRPCErrorResponse(message)) {
      const { code, message: text, data } = message.error;
      if (message.id !== undefined && message.id !== null)
        this.#pending.get(message.id)?.reject(McpError.fromError(code, text, data));
    } else if (isJSONRPCRequest(message)) contain(() => this.#answer(message, extra), this.#tell);
    else if (isJSONRPCNotification(message)) {
      const handler = this.#notificationHandlers.get(message.method) ?? this.fallbackNotificationHandler;
      contain(() => handler?.(message), this.#tell);
    } else contain(() => this.#tell(new Error('The transport delivered a value that is not a message.')));
  }

  async #answer(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): Promise<void> {
    const { id } = request;
    const controller = new AbortController();
    const transport = this.#connected();
    this.#inFlight.set(id, controller);
    try {
      const handler = this.#requestHandlers.get(request.method) ?? this.fallbackRequestHandler;
      if (handler === undefined) throw new McpError(ErrorCode.MethodNotFound, 'Method not found');
      const result = await handler(request, this.#extra(request, controller.signal, extra));
      if (!controller.signal.aborted) await transport.send({ jsonrpc: '2.0', id, result }, { relatedRequestId: id });
    } catch (error) {
      if (controller.signal.aborted) return;
      await transport.send({ jsonrpc: '2.0', id, error: this.#toErrorObject(error) }, { relatedRequestId: id });
    } finally {
      if (this.#inFlight.get(id) === controller) this.#inFlight.delete(id);
    }
  }

  #extra(
    { id, params }: JSONRPCRequest,
    signal: AbortSignal,
    extra: { authInfo?: AuthInfo | undefined; requestInfo?: MessageExtraInfo['requestInfo'] } = {},
  ): RequestHandlerExtra<SendRequestT, SendNotificationT> {
    const send = <T>(request: SendRequestT, schema: SchemaLike<T>, options?: TaskRequestOptions): Promise<T> =>
      this.request(request, schema as object as AnySchema, { ...options, relatedRequestId: id }) as Promise<T>;
    return {
      ...extra,
      signal,
      requestId: id,
      sessionId: this.#transport?.sessionId,
      _meta: params?._meta,
      sendNotification: (notification) => this.notification(notification, { relatedRequestId: id }),
      sendRequest: send,
    };
  }

  /** An error with a number was meant for the other side. */
  #toErrorObject(error: unknown): { code: number; message: string; data?: unknown } {
    if (typeof error === 'object' && error !== null && 'code' in error && Number.isSafeInteger(error.code)) {
      const { code, message, data } = error as { code: number; message?: unknown; data?: unknown };
      return { code, message: String(message), ...(data !== undefined && { data }) };
    }
    contain(() => {
      throw error;
    }, this.#tell);
    return { code: ErrorCode.InternalError, message: 'Internal error' };
  }

  readonly #tell = (error: Error): unknown => this.onerror?.(error);
}

function read<T extends AnySchema>(schema: T, value: unknown): SchemaOutput<T> {
  const parsed = safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw parsed.error instanceof Error ? parsed.error : new Error('The answer does not match the schema.');
}

function asMcpError(error: unknown): McpError {
  return error instanceof McpError
    ? error
    : new McpError(ErrorCode.InternalError, error instanceof Error ? error.message : String(error));
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('The request was cancelled.'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
