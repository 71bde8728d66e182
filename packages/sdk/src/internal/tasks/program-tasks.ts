import { ProtocolError, isTerminal } from 'crosspoint';
import type { JSONRPCRequest, Request, RequestId, Result, Task } from '../../types.ts';
import { contain, errorMessage } from '../shared/contain.ts';
import type { PendingRequest } from '../shared/pending-request.ts';
import type { RequestTaskStore } from '../shared/protocol-options.ts';
import { withRelatedTask } from '../shared/request-params.ts';
import { ErrorCode, McpError } from '../types/errors.ts';
import type { QueuedMessage, TaskMessageQueue, TaskStore } from './task-store.ts';
import { TaskWatch } from './task-watch.ts';

export interface ProgramTaskOptions {
  readonly taskStore: TaskStore;
  readonly taskMessageQueue?: TaskMessageQueue | undefined;
  readonly defaultTaskPollInterval?: number | undefined;
  readonly maxTaskQueueSize?: number | undefined;
}

/** A request of the other side, as the tasks see it. */
export interface TaskRequest {
  readonly id: RequestId;
  readonly request: Request;
  /** The owner of the tasks that the request may find and make: `sessionId` of the store. */
  readonly owner: string | undefined;
  readonly signal: AbortSignal;
  /** Tells the other side of the present state of a task. */
  tell(task: Task): void | Promise<void>;
  /** Sends a queued request or notification beside the answer to this request. `pending` waits for the answer of a request. */
  deliver(taskId: string, queued: Sent, pending: PendingRequest | undefined): void | Promise<void>;
}

export type Sent = Extract<QueuedMessage, { type: 'request' | 'notification' }>;

const POLL_MS = 1000;

/** Tasks that a program runs itself and keeps in a task store, for either side of a connection. */
export class ProgramTasks {
  readonly #options: ProgramTaskOptions;
  readonly #onerror: (error: Error) => void;
  readonly #watches = new Map<string, Set<TaskWatch>>();
  /** Requests on behalf of tasks that wait for their answers. */
  readonly #pending = new Map<RequestId, PendingRequest>();

  /** `onerror` is a callback of the program; nothing that it does reaches the tasks. */
  constructor(options: ProgramTaskOptions, onerror: (error: Error) => unknown) {
    this.#options = options;
    this.#onerror = (error) => contain(() => onerror(error));
  }

  /** `extra.taskStore` of a request. The other side is told of every change that is made through it. */
  storeFor(request: TaskRequest): RequestTaskStore {
    const { taskStore: store } = this.#options;
    const { owner } = request;
    const changed = async (taskId: string): Promise<void> => {
      this.#changed(taskId);
      const task = await store.getTask(taskId, owner);
      if (task) await request.tell(task);
    };
    return {
      createTask: (options = {}) => store.createTask(options, request.id, request.request, owner),
      getTask: (taskId) => this.#find(taskId, owner, 'Failed to retrieve task: Task not found'),
      storeTaskResult: async (taskId, status, result) => {
        await store.storeTaskResult(taskId, status, result, owner);
        await changed(taskId);
      },
      getTaskResult: (taskId) => store.getTaskResult(taskId, owner),
      updateTaskStatus: async (taskId, status, message) => {
        const gone = `Task "${taskId}" not found - it may have been cleaned up`;
        const task = await this.#find(taskId, owner, gone);
        if (isTerminal(task.status))
          throw new McpError(
            ErrorCode.InvalidParams,
            `Cannot update task "${taskId}" from terminal status "${task.status}" to "${status}". ` +
              'Terminal states (completed, failed, cancelled) cannot transition to other states.',
          );
        await store.updateTaskStatus(taskId, status, message, owner);
        await changed(taskId);
      },
      listTasks: (cursor) => store.listTasks(cursor, owner),
    };
  }

  /** Answers `tasks/get`. */
  get(taskId: unknown, { owner }: Pick<TaskRequest, 'owner'>): Promise<Task> {
    return this.#find(taskId, owner, 'Failed to retrieve task: Task not found');
  }

  /** Answers `tasks/list`. */
  async list(cursor: unknown, { owner }: Pick<TaskRequest, 'owner'>): Promise<Result> {
    try {
      if (cursor !== undefined && typeof cursor !== 'string') throw new TypeError('the cursor must be a text');
      const { tasks, nextCursor } = await this.#options.taskStore.listTasks(cursor, owner);
      return { tasks, ...(nextCursor !== undefined && { nextCursor }), _meta: {} };
    } catch (error) {
      throw new McpError(ErrorCode.InvalidParams, `Failed to list tasks: ${errorMessage(error)}`, undefined, {
        cause: error,
      });
    }
  }

  /** Answers `tasks/cancel`. Requests on behalf of the task that are still queued are rejected. */
  async cancel(id: unknown, { owner }: Pick<TaskRequest, 'owner'>): Promise<Task> {
    const { taskStore: store } = this.#options;
    const { taskId, status } = await this.#find(id, owner);
    if (isTerminal(status))
      throw new McpError(ErrorCode.InvalidParams, `Cannot cancel task in terminal status: ${status}`);
    try {
      await store.updateTaskStatus(taskId, 'cancelled', 'Client cancelled task execution.', owner);
    } catch (error) {
      throw new McpError(ErrorCode.InvalidRequest, `Failed to cancel task: ${errorMessage(error)}`, undefined, {
        cause: error,
      });
    }
    this.#changed(taskId);
    await this.#clear(taskId, owner);
    return this.#find(taskId, owner, `Task not found after cancellation: ${taskId}`);
  }

  /** Answers `tasks/result`, once the task has ended. */
  async result(id: unknown, request: TaskRequest): Promise<Result> {
    const { taskId } = await this.ended(id, request);
    const result = await this.resultOf(taskId, request);
    await this.#clear(taskId, request.owner);
    return withRelatedTask(result, { taskId });
  }

  /** The result of a task that has ended. A task that failed or was cancelled without one rejects with its status message. */
  async resultOf(taskId: string, { owner }: Pick<TaskRequest, 'owner'>): Promise<Result> {
    const { taskStore: store } = this.#options;
    try {
      return await store.getTaskResult(taskId, owner);
    } catch (error) {
      const words = (await store.getTask(taskId, owner))?.statusMessage ?? errorMessage(error);
      throw new ProtocolError('internal', words, undefined, { cause: error });
    }
  }

  /** Waits for the end of a task. Its queued messages are sent meanwhile. */
  async ended(id: unknown, request: TaskRequest): Promise<Task> {
    const { taskId } = await this.#find(id, request.owner);
    const { defaultTaskPollInterval = POLL_MS } = this.#options;
    const watch = new TaskWatch();
    const watches = this.#watches.get(taskId) ?? new Set();
    this.#watches.set(taskId, watches.add(watch));
    try {
      for (;;) {
        const task = await this.#find(taskId, request.owner);
        await this.#deliver(taskId, request);
        if (isTerminal(task.status)) return task;
        await watch.changed(task.pollInterval ?? defaultTaskPollInterval, request.signal);
      }
    } finally {
      watches.delete(watch);
      if (watches.size === 0) this.#watches.delete(taskId);
    }
  }

  /** Queues a request on behalf of a task; it is sent when the other side asks for the result of the task. */
  askLater(taskId: string, message: JSONRPCRequest, pending: PendingRequest, owner?: string): void {
    const { id } = message;
    this.#pending.set(id, pending);
    pending.answer.catch(() => {}).finally(() => this.#pending.delete(id));
    this.queue(taskId, { type: 'request', message, timestamp: Date.now() }, owner).catch((error: unknown) =>
      pending.reject(error),
    );
  }

  /** Queues a request once more that was sent in vain. That of a task that has ended meanwhile is rejected. */
  async askAgain(taskId: string, message: JSONRPCRequest, pending: PendingRequest, owner?: string): Promise<void> {
    const task = await this.#options.taskStore.getTask(taskId, owner).catch(() => null);
    if (task && !isTerminal(task.status)) this.askLater(taskId, message, pending, owner);
    else pending.reject(new McpError(ErrorCode.InternalError, 'Task cancelled or completed'));
  }

  /** Queues a message of a task. Rejects without a queue, and when it is full. */
  async queue(taskId: string, message: QueuedMessage, owner?: string): Promise<void> {
    const { taskMessageQueue, maxTaskQueueSize } = this.#options;
    if (taskMessageQueue === undefined)
      throw new Error('Cannot enqueue task message: taskStore and taskMessageQueue are not configured');
    await taskMessageQueue.enqueue(taskId, message, owner, maxTaskQueueSize);
    this.#changed(taskId);
  }

  /** Whether there is a queue for the messages of tasks. */
  get hasQueue(): boolean {
    return this.#options.taskMessageQueue !== undefined;
  }

  async #deliver(taskId: string, request: TaskRequest): Promise<void> {
    const { taskMessageQueue: queue } = this.#options;
    for (;;) {
      const queued = await queue?.dequeue(taskId, request.owner);
      if (queued === undefined) return;
      if (queued.type === 'request') await request.deliver(taskId, queued, this.#pending.get(queued.message.id));
      else if (queued.type === 'notification') await request.deliver(taskId, queued, undefined);
      else this.#settle(queued);
    }
  }

  /** Gives a queued answer to the request that waits for it. */
  #settle(queued: Exclude<QueuedMessage, Sent>): void {
    const { id } = queued.message;
    const pending = id === undefined || id === null ? undefined : this.#pending.get(id);
    if (pending === undefined) {
      const kind = queued.type === 'response' ? 'Response' : 'Error';
      this.#onerror(new Error(`${kind} handler missing for request ${String(id)}`));
    } else if (queued.type === 'response') pending.resolve(queued.message.result);
    else {
      const { code, message, data } = queued.message.error;
      pending.reject(new McpError(code, message, data));
    }
  }

  /** Drops the messages of a task that has ended, and rejects the requests among them. */
  async #clear(taskId: string, owner: string | undefined): Promise<void> {
    const messages = await this.#options.taskMessageQueue?.dequeueAll(taskId, owner);
    for (const { type, message } of messages ?? []) {
      if (type !== 'request') continue;
      const pending = this.#pending.get(message.id);
      if (pending) pending.reject(new McpError(ErrorCode.InternalError, 'Task cancelled or completed'));
      else this.#onerror(new Error(`Resolver missing for request ${String(message.id)} during task ${taskId} cleanup`));
    }
  }

  #changed(taskId: string): void {
    for (const watch of this.#watches.get(taskId) ?? []) watch.note();
  }

  async #find(taskId: unknown, owner: string | undefined, missing?: string): Promise<Task> {
    const task = typeof taskId === 'string' ? await this.#options.taskStore.getTask(taskId, owner) : null;
    if (!task) throw new McpError(ErrorCode.InvalidParams, missing ?? `Task not found: ${String(taskId)}`);
    return task;
  }
}
