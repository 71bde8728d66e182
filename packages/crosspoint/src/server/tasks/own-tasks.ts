import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { Task } from '../../protocol/tasks.ts';
import type { ServerContext } from '../calls/context.ts';
import type { AskOptions } from '../calls/edge.ts';
import type { RequestHandler } from '../calls/handler.ts';

/** A task with the names that the revision with tasks in its core has for its times. */
export type ClassicTask = Omit<Task, 'ttlMs' | 'pollIntervalMs'> & { ttl: number | null; pollInterval?: number };

/** The tasks of the caller of a request: `ctx.taskStore` of a program that keeps its tasks itself. */
export interface RequestTaskStore {
  createTask(options?: {
    ttl?: number | null;
    pollInterval?: number;
    context?: Record<string, unknown>;
  }): Promise<ClassicTask>;
  getTask(taskId: string): Promise<ClassicTask>;
  storeTaskResult(taskId: string, status: 'completed' | 'failed', result: JsonObject): Promise<void>;
  getTaskResult(taskId: string): Promise<JsonObject>;
  updateTaskStatus(taskId: string, status: ClassicTask['status'], statusMessage?: string): Promise<void>;
  listTasks(cursor?: string): Promise<{ tasks: ClassicTask[]; nextCursor?: string }>;
}

/** The handlers of `tasks/*`, by method: of the revision that has them in its core, and of the extension. */
export interface TaskHandlers {
  readonly core: Readonly<Record<string, RequestHandler>>;
  readonly extension: Readonly<Record<string, RequestHandler>>;
}

/** Tasks that a program runs and keeps itself; `tasks().keepOwn(…)` adds them to a server. */
export interface OwnTasks {
  storeFor(ctx: ServerContext): RequestTaskStore;
  /** The handlers of `tasks/*`. `running` answers for the tasks that run on the server; absent where no tool makes any. */
  handlers(running: TaskHandlers | undefined): TaskHandlers;
  /** A request to the client on behalf of a task: what `ctx.sendRequest` does with `relatedTask`. */
  ask(
    taskId: string,
    request: { method: string; params?: JsonObject | undefined },
    ctx: ServerContext,
    options: AskOptions,
  ): Promise<JsonObject>;
}

/** The services of the server for tasks that its program keeps itself. */
export interface TaskHost {
  readonly info: Implementation;
  readonly clock: Clock;
  /** How long clients are waited for where nothing else is said, in milliseconds: `asking.ttlMs` of the server. */
  readonly askingTtlMs: number;
  /** A request to the client of a call, for as long as the call lasts. */
  request(ctx: ServerContext, method: string, params: JsonObject | undefined, options: AskOptions): Promise<JsonObject>;
  /** A request to the session of a call, also after the call has ended. Rejects with `cannot-ask` where there is no session. */
  requestSession(
    ctx: ServerContext,
    method: string,
    params: JsonObject | undefined,
    options: AskOptions,
  ): Promise<JsonObject>;
  /** A notification to the client of a call, on the channel of its answer. */
  notify(ctx: ServerContext, method: string, params: JsonObject): void;
  /** A notification to the session of a call, also after the call has ended. Does nothing where there is no session. */
  notifySession(ctx: ServerContext, method: string, params: JsonObject): void;
}
