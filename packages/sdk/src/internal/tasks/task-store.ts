import type {
  CallToolResult,
  JSONRPCErrorResponse,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  JsonObject,
  RequestId,
} from 'crosspoint';
import type { AnySchema, SchemaOutput } from 'crosspoint/schema';
import type { ServerContext } from 'crosspoint/server';
import type { ClassicTask, RequestTaskStore } from 'crosspoint/server/tasks';

export type { ClassicTask, RequestTaskStore };

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

type Awaitable<T> = T | Promise<T>;
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
