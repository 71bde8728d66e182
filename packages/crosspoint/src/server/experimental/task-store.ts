import type {
  JSONRPCErrorResponse,
  JSONRPCNotification,
  JSONRPCRequest,
  JsonObject,
  RequestId,
} from '../../jsonrpc/message.ts';
import type { JSONRPCResultResponse } from '../../jsonrpc/message.ts';
import type { Task } from '../../protocol/tasks.ts';
import type { CallToolResult } from '../../protocol/tools.ts';
import type { AnySchema, SchemaOutput } from '../../schema/index.ts';
import type { ServerContext } from '../calls/context.ts';
import type { Awaitable } from '../../runtime/awaitable.ts';

/** A task with the member names of the revision that has tasks in its core. */
export type ClassicTask = Omit<Task, 'ttlMs' | 'pollIntervalMs'> & { ttl: number | null; pollInterval?: number };

export interface CreateTaskOptions {
  ttl?: number | null;
  pollInterval?: number;
  context?: Record<string, unknown>;
}

/** Keeps the tasks of programs that run them themselves. `sessionId` names the owner; tasks of others are not found. */
export interface TaskStore {
  createTask(
    options: CreateTaskOptions,
    requestId: RequestId,
    request: { method: string; params?: JsonObject },
    sessionId?: string,
  ): Promise<ClassicTask>;
  getTask(taskId: string, sessionId?: string): Promise<ClassicTask | null>;
  storeTaskResult(
    taskId: string,
    status: 'completed' | 'failed',
    result: JsonObject,
    sessionId?: string,
  ): Promise<void>;
  /** Rejects when there is no result. */
  getTaskResult(taskId: string, sessionId?: string): Promise<JsonObject>;
  updateTaskStatus(
    taskId: string,
    status: ClassicTask['status'],
    statusMessage?: string,
    sessionId?: string,
  ): Promise<void>;
  listTasks(cursor?: string, sessionId?: string): Promise<{ tasks: ClassicTask[]; nextCursor?: string }>;
}

/** The store as a request sees it, bound to its owner. */
export interface RequestTaskStore {
  createTask(options?: CreateTaskOptions): Promise<ClassicTask>;
  getTask(taskId: string): Promise<ClassicTask>;
  storeTaskResult(taskId: string, status: 'completed' | 'failed', result: JsonObject): Promise<void>;
  getTaskResult(taskId: string): Promise<JsonObject>;
  updateTaskStatus(taskId: string, status: ClassicTask['status'], statusMessage?: string): Promise<void>;
  listTasks(cursor?: string): Promise<{ tasks: ClassicTask[]; nextCursor?: string }>;
}

export type QueuedMessage =
  | { type: 'request'; message: JSONRPCRequest; timestamp: number }
  | { type: 'notification'; message: JSONRPCNotification; timestamp: number }
  | { type: 'response'; message: JSONRPCResultResponse; timestamp: number }
  | { type: 'error'; message: JSONRPCErrorResponse; timestamp: number };

/** Messages of a task to its client, until the client fetches them. */
export interface TaskMessageQueue {
  /** Rejects when the queue holds `maxSize` messages already. */
  enqueue(taskId: string, message: QueuedMessage, sessionId?: string, maxSize?: number): Promise<void>;
  dequeue(taskId: string, sessionId?: string): Promise<QueuedMessage | undefined>;
  dequeueAll(taskId: string, sessionId?: string): Promise<QueuedMessage[]>;
}

type Extra = ServerContext & { readonly taskStore: RequestTaskStore };
type OfTask = Extra & { readonly taskId: string };
type Called<In extends AnySchema | undefined, Result, Ctx = Extra> = In extends AnySchema
  ? (args: SchemaOutput<In>, ctx: Ctx) => Awaitable<Result>
  : (ctx: Ctx) => Awaitable<Result>;

/** A tool that runs its tasks itself: it creates one in the store, continues on its own, and stores the result. */
export interface ToolTaskHandler<In extends AnySchema | undefined = undefined> {
  createTask: Called<In, { task: ClassicTask }>;
  /** Accepted for compatibility and not called: the store answers instead. */
  getTask?: Called<In, ClassicTask, OfTask>;
  getTaskResult?: Called<In, CallToolResult, OfTask>;
}
