/** `experimental/tasks/interfaces.js` of the older SDK: tools that make their tasks themselves, and where they keep them. */
import type { ServerContext } from 'crosspoint/server';
import type { RequestTaskStore } from '../../internal/shared/protocol-options.ts';
import type { AnySchema, SchemaOutput } from 'crosspoint/schema';
import type {
  CreateTaskOptions,
  QueuedMessage as Queued,
  TaskMessageQueue,
  TaskStore,
  ToolTaskHandler,
} from '../../internal/tasks/task-store.ts';
import type { ToolExecution } from '../../types.ts';

export { isTerminal } from 'crosspoint';
export type { CreateTaskOptions, TaskMessageQueue, TaskStore, ToolTaskHandler };

/** Context of a call that creates a task. */
export type CreateTaskRequestHandlerExtra = ServerContext & { readonly taskStore: RequestTaskStore };
/** Context of a request about a task. */
export type TaskRequestHandlerExtra = CreateTaskRequestHandlerExtra & { readonly taskId: string };

export type BaseToolCallback<
  SendResultT extends object,
  ExtraT = ServerContext,
  Args extends AnySchema | undefined = undefined,
> = Args extends AnySchema
  ? (args: SchemaOutput<Args>, extra: ExtraT) => SendResultT | Promise<SendResultT>
  : (extra: ExtraT) => SendResultT | Promise<SendResultT>;
export type CreateTaskRequestHandler<
  SendResultT extends object,
  Args extends AnySchema | undefined = undefined,
> = BaseToolCallback<SendResultT, CreateTaskRequestHandlerExtra, Args>;
export type TaskRequestHandler<
  SendResultT extends object,
  Args extends AnySchema | undefined = undefined,
> = BaseToolCallback<SendResultT, TaskRequestHandlerExtra, Args>;

/** Whether a tool can or must run as a task. */
export type TaskToolExecution<TaskSupport = ToolExecution['taskSupport']> = Omit<ToolExecution, 'taskSupport'> & {
  taskSupport: TaskSupport extends 'forbidden' | undefined ? never : TaskSupport;
};

export interface BaseQueuedMessage {
  type: string;
  timestamp: number;
}
export type QueuedMessage = Queued;
export type QueuedRequest = Extract<Queued, { type: 'request' }>;
export type QueuedNotification = Extract<Queued, { type: 'notification' }>;
export type QueuedResponse = Extract<Queued, { type: 'response' }>;
export type QueuedError = Extract<Queued, { type: 'error' }>;
