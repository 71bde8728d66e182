import { isTerminal, type JsonObject, type Transport } from 'crosspoint';
import type {
  JSONRPCErrorResponse,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  RequestId,
  Result,
  Task,
} from '../../types.ts';
import { send } from '../shared/answering.ts';
import type { PendingRequest } from '../shared/pending-request.ts';
import type { ProgressCallback, ProtocolOptions, RequestTaskStore } from '../shared/protocol-options.ts';
import { relatedTaskOf } from '../shared/request-params.ts';
import { ProgramTasks, type TaskRequest } from './program-tasks.ts';
import type { QueuedMessage } from './task-store.ts';
import { isCreated } from './task-stream.ts';

/** The protocol, as its tasks use it. */
export interface ProtocolPort {
  send(message: JSONRPCRequest | JSONRPCNotification, options: { relatedRequestId: RequestId }): Promise<void> | void;
  /** Sends `notifications/tasks/status`. */
  tell(task: JsonObject): Promise<void>;
  onerror(error: Error): unknown;
}

type TaskOptions = { relatedTask?: { taskId: string } | undefined };
type Asked = { readonly sessionId?: string | undefined; readonly signal: AbortSignal };
type Answer = JSONRPCResultResponse | JSONRPCErrorResponse;
type Handler = (request: JSONRPCRequest, asked: Asked) => Promise<Result>;

/** The members of a handler's context that are about tasks. */
export interface TaskExtra {
  readonly taskId: string | undefined;
  readonly taskStore: RequestTaskStore | undefined;
  readonly taskRequestedTtl: number | undefined;
}

/** The tasks of a `Protocol`: those that its program keeps, the messages that wait for them, and the progress of those at the other side. */
export class ProtocolTasks {
  readonly #tasks: ProgramTasks | undefined;
  readonly #port: ProtocolPort;
  /** Progress callbacks of requests that became tasks, by progress token. */
  readonly #progress = new Map<RequestId, ProgressCallback>();
  readonly #tokens = new Map<string, RequestId>();

  constructor({ taskStore, ...options }: ProtocolOptions, port: ProtocolPort) {
    this.#port = port;
    this.#tasks = taskStore && new ProgramTasks({ ...options, taskStore }, (error) => port.onerror(error));
  }

  /** The handlers of `tasks/*`; none without a task store. */
  handlers(): Readonly<Record<string, Handler>> {
    const tasks = this.#tasks;
    if (tasks === undefined) return {};
    const param = ({ params }: JSONRPCRequest, name: string): unknown => params?.[name];
    return {
      'tasks/get': async (request, { sessionId: owner }) => ({
        ...(await tasks.get(param(request, 'taskId'), { owner })),
      }),
      'tasks/result': (request, asked) => tasks.result(param(request, 'taskId'), this.#requestOf(request, asked)),
      'tasks/list': (request, { sessionId: owner }) => tasks.list(param(request, 'cursor'), { owner }),
      'tasks/cancel': async (request, { sessionId: owner }) => ({
        _meta: {},
        ...(await tasks.cancel(param(request, 'taskId'), { owner })),
      }),
    };
  }

  extraOf(request: JSONRPCRequest, asked: Asked): TaskExtra {
    const ttl = wishOf(request)?.ttl;
    return {
      taskId: relatedTaskOf(request.params?._meta),
      taskStore: this.#tasks?.storeFor(this.#requestOf(request, asked)),
      taskRequestedTtl: typeof ttl === 'number' ? ttl : undefined,
    };
  }

  /** Sends an answer, or queues that to a request that belongs to a task. */
  async answer(request: JSONRPCRequest, message: Answer, transport: Transport): Promise<void> {
    const taskId = relatedTaskOf(request.params?._meta);
    if (taskId === undefined || this.#tasks?.hasQueue !== true) return send(transport, message);
    const timestamp = Date.now();
    const queued: QueuedMessage =
      'result' in message ? { type: 'response', message, timestamp } : { type: 'error', message, timestamp };
    await this.#tasks.queue(taskId, queued, transport.sessionId);
  }

  /** The options of a request that a handler sends: one of a task of this side belongs to the task, which now needs input. */
  async relating<Options extends TaskOptions>(
    options: Options,
    { taskId: own, taskStore }: TaskExtra,
  ): Promise<Options> {
    const taskId = options.relatedTask?.taskId ?? (this.#tasks?.hasQueue === true ? own : undefined);
    if (taskId === undefined) return options;
    await taskStore?.updateTaskStatus(taskId, 'input_required');
    return { ...options, relatedTask: { taskId } };
  }

  /** The task that the notifications of a handler belong to. */
  relatedTo({ taskId }: TaskExtra): { relatedTask?: { taskId: string } } {
    return taskId !== undefined && this.#tasks?.hasQueue === true ? { relatedTask: { taskId } } : {};
  }

  /** Queues a request on behalf of a task; it is sent when the other side asks for the result of the task. */
  askLater(taskId: string, message: JSONRPCRequest, pending: PendingRequest): void {
    if (this.#tasks) this.#tasks.askLater(taskId, message, pending);
    else pending.reject(noQueue());
  }

  /** Queues a notification of a task. */
  async notifyLater(taskId: string, message: JSONRPCNotification): Promise<void> {
    if (this.#tasks === undefined) throw noQueue();
    await this.#tasks.queue(taskId, { type: 'notification', message, timestamp: Date.now() });
  }

  /** A request of this side was answered: its progress goes on where it became a task, until the other side says that the task has ended. */
  answered({ id, method, params }: JSONRPCRequest, answer: Result, onprogress: ProgressCallback | undefined): void {
    if (method === 'tasks/result') this.#endProgress(params?.['taskId']);
    if (onprogress === undefined || !isCreated(answer)) return;
    this.#progress.set(id, onprogress);
    this.#tokens.set(answer.task.taskId, id);
  }

  /** The other side has sent a notification. */
  told({ method, params }: JSONRPCNotification): void {
    if (method === 'notifications/tasks/status' && isTerminal(params?.['status'] as Task['status']))
      this.#endProgress(params?.['taskId']);
  }

  /** The callback for the progress of a request that became a task. */
  progressOf(token: RequestId): ProgressCallback | undefined {
    return this.#progress.get(token);
  }

  /** The connection has ended. */
  clear(): void {
    this.#progress.clear();
    this.#tokens.clear();
  }

  #requestOf(request: JSONRPCRequest, { sessionId, signal }: Asked): TaskRequest {
    const { id, method, params } = request;
    return {
      id,
      request: { method, ...(params && { params }) },
      owner: sessionId,
      signal,
      tell: async (task) => {
        await this.#port.tell({ ...task });
        if (isTerminal(task.status)) this.#endProgress(task.taskId);
      },
      deliver: (_taskId, { message }) => this.#port.send(message, { relatedRequestId: id }),
    };
  }

  #endProgress(taskId: unknown): void {
    const token = this.#tokens.get(taskId as string);
    if (token === undefined) return;
    this.#progress.delete(token);
    this.#tokens.delete(taskId as string);
  }
}

/** The request without a wish to become a task that this side has not declared: the specification demands that such a wish is ignored. */
export function withoutUndeclaredWish(request: JSONRPCRequest, assertDeclared: () => void): JSONRPCRequest {
  if (wishOf(request) === undefined) return request;
  try {
    assertDeclared();
    return request;
  } catch {
    const { task: _ignored, ...params } = request.params ?? {};
    return { ...request, params };
  }
}

/** The wish of a request to become a task. */
function wishOf({ params }: JSONRPCRequest): { ttl?: unknown } | undefined {
  const wish = params?.['task'];
  return typeof wish === 'object' && wish !== null ? wish : undefined;
}

function noQueue(): Error {
  return new Error('Cannot enqueue task message: taskStore and taskMessageQueue are not configured');
}
