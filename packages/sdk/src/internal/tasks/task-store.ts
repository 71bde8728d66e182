import type { AnySchema, SchemaOutput } from 'crosspoint/schema';
import type { ServerContext } from 'crosspoint/server';
import type {
  CallToolResult,
  JSONRPCErrorResponse,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  Request,
  RequestId,
  Result,
  Task,
} from '../../types.ts';
import type { RequestTaskStore } from '../shared/protocol-options.ts';

export interface CreateTaskOptions {
  ttl?: number | null | undefined;
  pollInterval?: number | undefined;
  context?: Record<string, unknown> | undefined;
}

/** Keeps the tasks of programs that run them themselves. `sessionId` names the owner; tasks of others are not found. */
export interface TaskStore {
  createTask(taskParams: CreateTaskOptions, requestId: RequestId, request: Request, sessionId?: string): Promise<Task>;
  getTask(taskId: string, sessionId?: string): Promise<Task | null>;
  storeTaskResult(taskId: string, status: 'completed' | 'failed', result: Result, sessionId?: string): Promise<void>;
  /** Rejects when there is no result. */
  getTaskResult(taskId: string, sessionId?: string): Promise<Result>;
  updateTaskStatus(taskId: string, status: Task['status'], statusMessage?: string, sessionId?: string): Promise<void>;
  listTasks(cursor?: string, sessionId?: string): Promise<{ tasks: Task[]; nextCursor?: string }>;
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
  createTask: Called<In, { task: Task }>;
  /** Accepted for compatibility and not called: the store answers instead. */
  getTask?: Called<In, Task, OfTask>;
  getTaskResult?: Called<In, CallToolResult, OfTask>;
}
