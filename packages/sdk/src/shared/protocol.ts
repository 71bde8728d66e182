/**
 * `shared/protocol.js` of v1: requests and answers over a transport. `Client` extends it, and so do programs with a protocol of their own;
 * `Server` has its methods. Members are private to the compiler alone, so that an object also works behind a `Proxy` or as a prototype.
 */
import type { Transport, TransportSendOptions } from './transport.ts';
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
  type JSONRPCErrorResponse,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  type ListTasksResult,
  type MessageExtraInfo,
  type Notification,
  type ProgressNotification,
  type Request,
  type RequestId,
  type Result,
} from '../types.ts';
import { contain, errorMessage } from '../internal/shared/contain.ts';
import { errorObject, send, type ErrorObject } from '../internal/shared/answering.ts';
import { handlerExtra } from '../internal/shared/handler-extra.ts';
import { PendingRequest } from '../internal/shared/pending-request.ts';
import type {
  NotificationOptions,
  ProtocolOptions,
  RequestHandlerExtra,
  RequestOptions,
} from '../internal/shared/protocol-options.ts';
import { readWith } from '../internal/shared/read-with.ts';
import { withOptions, withRelatedTask } from '../internal/shared/request-params.ts';
import { ProtocolTasks, withoutUndeclaredWish } from '../internal/tasks/protocol-tasks.ts';
import { streamResult, streamTask } from '../internal/tasks/task-stream.ts';
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

type RequestHandler<RequestT extends Request, NotificationT extends Notification> = (
  request: JSONRPCRequest,
  extra: RequestHandlerExtra<RequestT, NotificationT>,
) => Result | Promise<Result>;

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

  private readonly _options: ProtocolOptions;
  private readonly _requestHandlers = new Map<string, RequestHandler<SendRequestT, SendNotificationT>>();
  private readonly _notificationHandlers = new Map<string, (notification: JSONRPCNotification) => unknown>();
  private readonly _responseHandlers = new Map<number, PendingRequest>();
  private readonly _requestHandlerAbortControllers = new Map<RequestId, AbortController>();
  private readonly _pendingDebouncedNotifications = new Set<string>();
  private _transport: Transport | undefined;
  private _requestMessageId = 0;

  private readonly _tasks: ProtocolTasks;
  protected readonly _taskStore: ProtocolOptions['taskStore'] | undefined;
  protected readonly _taskMessageQueue: ProtocolOptions['taskMessageQueue'] | undefined;

  constructor(options: ProtocolOptions = {}) {
    this._options = options;
    this._taskStore = options.taskStore;
    this._taskMessageQueue = options.taskMessageQueue;
    this._tasks = new ProtocolTasks(options, {
      send: (message, sendOptions) => (this._transport ? send(this._transport, message, sendOptions) : undefined),
      tell: (params) =>
        this.notification({ method: 'notifications/tasks/status', params } as object as SendNotificationT),
      onerror: (error) => this._tell(error),
    });
    for (const [method, handler] of Object.entries(this._tasks.handlers())) this._requestHandlers.set(method, handler);
    this.setNotificationHandler(CancelledNotificationSchema, ({ params: { requestId, reason } }) => {
      if (requestId !== undefined) this._requestHandlerAbortControllers.get(requestId)?.abort(reason);
    });
    this.setNotificationHandler(ProgressNotificationSchema, (notification) => this._onprogress(notification));
    this._requestHandlers.set('ping', () => ({}));
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
    return this._transport;
  }

  /** Takes over the transport and starts it. Callbacks already set on it are called as well, before this object's own. */
  async connect(transport: Transport): Promise<void> {
    if (this._transport !== undefined)
      throw new Error(
        'Already connected to a transport. Call close() before connecting to a new transport, or use a separate Protocol instance per connection.',
      );
    this._transport = transport;
    const { onclose, onerror, onmessage } = transport;
    transport.onclose = () => {
      if (onclose) contain(onclose, this._tell);
      this._onclose();
    };
    transport.onerror = (error) => {
      if (onerror) contain(() => onerror(error));
      contain(() => this._tell(error));
    };
    transport.onmessage = (message, extra) => {
      if (onmessage) contain(() => onmessage(message, extra), this._tell);
      contain(() => this._onmessage(message, extra), this._tell);
    };
    try {
      await transport.start();
    } catch (error) {
      this._transport = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this._transport?.close();
  }

  async request<T extends AnySchema>(
    request: SendRequestT,
    resultSchema: T,
    options: RequestOptions = {},
  ): Promise<SchemaOutput<T>> {
    if (this._transport === undefined) throw new Error('Not connected');
    if (this._options.enforceStrictCapabilities === true) {
      this.assertCapabilityForMethod(request.method);
      if (options.task !== undefined) this.assertTaskCapability(request.method);
    }
    options.signal?.throwIfAborted();
    const id = this._requestMessageId++;
    const { relatedRequestId, resumptionToken, onresumptiontoken } = options;
    const sendOptions = { relatedRequestId, resumptionToken, onresumptiontoken } as TransportSendOptions;
    const pending = new PendingRequest(options, (reason) => {
      this._responseHandlers.delete(id);
      // A handshake must not be cancelled.
      if (request.method !== 'initialize') this._sendCancellation(id, reason, sendOptions);
    });
    this._responseHandlers.set(id, pending);
    const params = withOptions(request.params, options, id);
    const message = { ...request, jsonrpc: '2.0' as const, id, ...(params && { params }) };
    if (options.relatedTask) this._tasks.askLater(options.relatedTask.taskId, message, pending);
    else
      send(this._transport, message, sendOptions).catch((error: unknown) => {
        this._responseHandlers.delete(id);
        pending.reject(error);
      });
    const answer = await pending.answer;
    this._tasks.answered(message, answer, options.onprogress);
    return readWith(resultSchema, answer);
  }

  /** Sends a request that may become a task: yields the task and its statuses, then the result or the error. */
  protected requestStream<T extends AnySchema>(
    request: SendRequestT,
    resultSchema: T,
    options: RequestOptions = {},
  ): AsyncGenerator<ResponseMessage<SchemaOutput<T> & Result>, void, void> {
    const { task, ...plain } = options;
    if (task === undefined) return streamResult(() => this.request(request, resultSchema, plain));
    return streamTask({
      start: () => this.request(request, CreateTaskResultSchema, options),
      status: (taskId) => this.getTask({ taskId }, plain),
      result: (taskId) => this.getTaskResult({ taskId }, resultSchema, plain),
      pollMs: this._options.defaultTaskPollInterval,
      signal: options.signal,
    });
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
    return this.request({ method: 'tasks/list', params } as object as SendRequestT, ListTasksResultSchema, options);
  }

  protected cancelTask(params: { taskId: string }, options?: RequestOptions): Promise<CancelTaskResult> {
    return this.request({ method: 'tasks/cancel', params } as object as SendRequestT, CancelTaskResultSchema, options);
  }

  async notification(notification: SendNotificationT, options?: NotificationOptions): Promise<void> {
    if (this._transport === undefined) throw new Error('Not connected');
    this.assertNotificationCapability(notification.method);
    const { method } = notification;
    const params = withRelatedTask(notification.params, options?.relatedTask);
    const message = { ...notification, jsonrpc: '2.0' as const, ...(params && { params }) };
    if (options?.relatedTask) return this._tasks.notifyLater(options.relatedTask.taskId, message);
    const isPlain = !notification.params && !options?.relatedRequestId;
    if (!isPlain || this._options.debouncedNotificationMethods?.includes(method) !== true)
      return send(this._transport, message, options);
    if (this._pendingDebouncedNotifications.has(method)) return;
    this._pendingDebouncedNotifications.add(method);
    void Promise.resolve().then(() => {
      this._pendingDebouncedNotifications.delete(method);
      const transport = this._transport;
      if (transport !== undefined) contain(() => send(transport, message, options), this._tell);
    });
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
    this._requestHandlers.set(method, (request, extra) => {
      const parsed = safeParse(requestSchema, request);
      if (!parsed.success) throw new McpError(ErrorCode.InvalidParams, errorMessage(parsed.error));
      return handler(parsed.data, extra);
    });
  }

  removeRequestHandler(method: string): void {
    this._requestHandlers.delete(method);
  }

  /** Throws when the method has a handler already. */
  assertCanSetRequestHandler(method: string): void {
    if (this._requestHandlers.has(method))
      throw new Error(`A request handler for ${method} already exists, which would be overridden`);
  }

  /** Replaces the handler of a method. */
  setNotificationHandler<T extends AnyObjectSchema>(
    notificationSchema: T,
    handler: (notification: SchemaOutput<T>) => void | Promise<void>,
  ): void {
    const method = getMethodLiteral(notificationSchema);
    this._notificationHandlers.set(method, (notification) => handler(readWith(notificationSchema, notification)));
  }

  removeNotificationHandler(method: string): void {
    this._notificationHandlers.delete(method);
  }

  /** Handlers are stopped first, then the program is told, then its requests reject. */
  private _onclose(): void {
    const pending = [...this._responseHandlers.values()];
    this._responseHandlers.clear();
    this._pendingDebouncedNotifications.clear();
    this._tasks.clear();
    for (const controller of this._requestHandlerAbortControllers.values()) controller.abort();
    this._requestHandlerAbortControllers.clear();
    this._transport = undefined;
    contain(() => this.onclose?.(), this._tell);
    const error = McpError.fromError(ErrorCode.ConnectionClosed, 'Connection closed');
    for (const each of pending) each.reject(error);
  }

  private _onmessage(message: unknown, extra: MessageExtraInfo | undefined): void {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this._onresponse(message);
    else if (isJSONRPCRequest(message)) this._onrequest(message, extra);
    else if (isJSONRPCNotification(message)) this._onnotification(message);
    else this._tell(new Error(`Unknown message type: ${JSON.stringify(message)}`));
  }

  private _onresponse(response: JSONRPCResultResponse | JSONRPCErrorResponse): void {
    const id = response.id === null ? Number.NaN : Number(response.id);
    const pending = this._responseHandlers.get(id);
    if (pending === undefined)
      return this._tell(new Error(`Received a response for an unknown message ID: ${JSON.stringify(response)}`));
    this._responseHandlers.delete(id);
    if ('result' in response) pending.resolve(response.result);
    else pending.reject(McpError.fromError(response.error.code, response.error.message, response.error.data));
  }

  private _onprogress(notification: ProgressNotification): void {
    const { progressToken, ...progress } = notification.params;
    const pending = this._responseHandlers.get(Number(progressToken));
    const ofTask = this._tasks.progressOf(Number(progressToken));
    if (pending?.wantsProgress === true) pending.progress(progress);
    else if (ofTask) contain(() => ofTask(progress), this._tell);
    else
      this._tell(new Error(`Received a progress notification for an unknown token: ${JSON.stringify(notification)}`));
  }

  /** Calls the handler at once: progress that comes with the answer of its request would be lost otherwise. */
  private _onnotification(notification: JSONRPCNotification): void {
    this._tasks.told(notification);
    const handler = this._notificationHandlers.get(notification.method) ?? this.fallbackNotificationHandler;
    if (handler === undefined) return;
    contain(
      () => handler(notification),
      (error) => this._report('Uncaught error in notification handler', error),
    );
  }

  private _onrequest(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): void {
    const { id, method } = request;
    const transport = this._transport;
    if (transport === undefined) return;
    const handler = this._requestHandlers.get(method) ?? this.fallbackRequestHandler;
    if (handler === undefined) {
      const error = { code: ErrorCode.MethodNotFound, message: 'Method not found' };
      this._tasks
        .answer(request, { jsonrpc: '2.0', id, error }, transport)
        .catch((failure: unknown) => this._report('Failed to send an error response', failure));
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    this._requestHandlerAbortControllers.set(id, controller);
    const sender = {
      tasks: this._tasks,
      request: this.request.bind(this),
      notification: this.notification.bind(this),
    };
    const answer = async (outcome: { result: Result } | { error: ErrorObject }): Promise<void> => {
      if (!signal.aborted) await this._tasks.answer(request, { jsonrpc: '2.0', id, ...outcome }, transport);
    };
    Promise.resolve()
      .then(() => withoutUndeclaredWish(request, () => this.assertTaskHandlerCapability(method)))
      .then((asked) =>
        handler(asked, handlerExtra(sender, asked, { ...extra, signal, sessionId: transport.sessionId })),
      )
      .then(
        (result) => answer({ result }),
        (error: unknown) => answer({ error: errorObject(error) }),
      )
      .catch((error: unknown) => {
        this._report('Failed to send response', error);
        return answer({ error: errorObject(undefined) });
      })
      .catch(() => {})
      .finally(() => {
        // After a new connect, another request may have the same id.
        if (this._requestHandlerAbortControllers.get(id) === controller)
          this._requestHandlerAbortControllers.delete(id);
      });
  }

  private _sendCancellation(requestId: number, reason: unknown, options: TransportSendOptions): void {
    const params = { requestId, reason: String(reason) };
    if (this._transport === undefined) return;
    send(this._transport, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, options).catch(
      (error: unknown) => this._report('Failed to send cancellation', error),
    );
  }

  private _report(what: string, cause: unknown): void {
    contain(() => this._tell(new Error(`${what}: ${String(cause)}`, { cause })));
  }

  private readonly _tell = (error: Error): void => contain(() => this.onerror?.(error));
}
