/** Tasks of the handshake family, in the names of its newest revision (`ttl`, `pollInterval`). */
import * as z from 'zod/v4';
import {
  BaseRequestParamsSchema,
  NotificationsParamsSchema,
  PaginatedRequestParamsSchema,
  PaginatedResultSchema,
  ResultSchema,
  message,
  type PageOf,
  type PaginatedRequestParams,
  type PaginatedResult,
  type RequestMeta,
  type Result,
} from './base.ts';
import type { LooseOf, MessageOf, ObjectOf } from './schema-of.ts';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
export type Task = {
  taskId: string;
  status: TaskStatus;
  /** Milliseconds from creation; `null` means unlimited. */
  ttl: number | null;
  createdAt: string;
  lastUpdatedAt: string;
  pollInterval?: number | undefined;
  statusMessage?: string | undefined;
};

export const TaskStatusSchema: z.ZodEnum<{ [Status in TaskStatus]: Status }> = z.enum([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
]);
export const TaskSchema: ObjectOf<Task> = z.object({
  taskId: z.string(),
  status: TaskStatusSchema,
  ttl: z.union([z.number(), z.null()]),
  createdAt: z.string(),
  lastUpdatedAt: z.string(),
  pollInterval: z.number().optional(),
  statusMessage: z.string().optional(),
});

export type CreateTaskResult = Result & { task: Task };
export type TaskStatusNotificationParams = Task & { _meta?: RequestMeta | undefined };
export type TaskStatusNotification = { method: 'notifications/tasks/status'; params: TaskStatusNotificationParams };

export const CreateTaskResultSchema: LooseOf<CreateTaskResult> = ResultSchema.extend({ task: TaskSchema });
export const TaskStatusNotificationParamsSchema: ObjectOf<TaskStatusNotificationParams> =
  NotificationsParamsSchema.extend(TaskSchema.shape);
export const TaskStatusNotificationSchema: MessageOf<
  'notifications/tasks/status',
  typeof TaskStatusNotificationParamsSchema
> = message('notifications/tasks/status', TaskStatusNotificationParamsSchema);

type OneTaskParams = { _meta?: RequestMeta | undefined; taskId: string };

const oneTask: ObjectOf<OneTaskParams> = BaseRequestParamsSchema.extend({ taskId: z.string() });

export type GetTaskRequest = { method: 'tasks/get'; params: OneTaskParams };
export type GetTaskResult = Result & Task;
export type GetTaskPayloadRequest = { method: 'tasks/result'; params: OneTaskParams };
export type GetTaskPayloadResult = Result;
export type ListTasksRequest = { method: 'tasks/list'; params?: PaginatedRequestParams | undefined };
export type ListTasksResult = PaginatedResult & { tasks: Task[] };
export type CancelTaskRequest = { method: 'tasks/cancel'; params: OneTaskParams };
export type CancelTaskResult = Result & Task;

export const GetTaskRequestSchema: MessageOf<'tasks/get', typeof oneTask> = message('tasks/get', oneTask);
/** Unknown members are dropped: they belong to the other generation of tasks. */
export const GetTaskResultSchema: ObjectOf<Task & { _meta?: RequestMeta | undefined }> = z.object({
  ...ResultSchema.shape,
  ...TaskSchema.shape,
});
export const GetTaskPayloadRequestSchema: MessageOf<'tasks/result', typeof oneTask> = message('tasks/result', oneTask);
export const GetTaskPayloadResultSchema: typeof ResultSchema = ResultSchema;
export const ListTasksRequestSchema: PageOf<'tasks/list'> = message(
  'tasks/list',
  PaginatedRequestParamsSchema.optional(),
);
export const ListTasksResultSchema: LooseOf<ListTasksResult> = PaginatedResultSchema.extend({
  tasks: z.array(TaskSchema),
});
export const CancelTaskRequestSchema: MessageOf<'tasks/cancel', typeof oneTask> = message('tasks/cancel', oneTask);
export const CancelTaskResultSchema: typeof GetTaskResultSchema = GetTaskResultSchema;
