import type { AuthInfo, RequestId, TransportSendOptions } from 'crosspoint';
import type { CreateTaskOptions, TaskMessageQueue, TaskStore } from '../tasks/task-store.ts';
import type {
  Notification,
  Progress,
  RelatedTaskMetadata,
  Request,
  RequestInfo,
  RequestMeta,
  Result,
  Task,
  TaskCreationParams,
} from '../../types.ts';

/** Default timeout of a request in milliseconds. */
export const DEFAULT_REQUEST_TIMEOUT_MSEC = 60_000 as const;

export type ProgressCallback = (progress: Progress) => void;

export type ProtocolOptions = {
  /** Refuse requests for which the other side has declared no capability. */
  enforceStrictCapabilities?: boolean;
  /** Notifications without params that are sent once when several are sent in the same turn. */
  debouncedNotificationMethods?: string[];
  /** Tasks that the program makes of requests of the other side, which then may ask for them. */
  taskStore?: TaskStore;
  /** Where the messages wait that such tasks send. */
  taskMessageQueue?: TaskMessageQueue;
  /** Poll interval in milliseconds for tasks that name none; 1000 when absent. */
  defaultTaskPollInterval?: number;
  /** How many messages may wait for one task; any number when absent. */
  maxTaskQueueSize?: number;
};

export type RequestOptions = {
  onprogress?: ProgressCallback;
  signal?: AbortSignal;
  /** Longest silence in milliseconds. */
  timeout?: number;
  /** Whether progress restarts the timeout. */
  resetTimeoutOnProgress?: boolean;
  /** Longest duration in milliseconds, progress or not. */
  maxTotalTimeout?: number;
  /** Ask for the request to become a task. */
  task?: TaskCreationParams;
  /** The task that the request belongs to. */
  relatedTask?: RelatedTaskMetadata;
} & TransportSendOptions;

export type NotificationOptions = { relatedRequestId?: RequestId; relatedTask?: RelatedTaskMetadata };

export type TaskRequestOptions = Omit<RequestOptions, 'relatedTask'>;

/** The tasks of the caller of a request. */
export interface RequestTaskStore {
  createTask(taskParams?: CreateTaskOptions): Promise<Task>;
  getTask(taskId: string): Promise<Task>;
  storeTaskResult(taskId: string, status: 'completed' | 'failed', result: Result): Promise<void>;
  getTaskResult(taskId: string): Promise<Result>;
  updateTaskStatus(taskId: string, status: Task['status'], statusMessage?: string): Promise<void>;
  listTasks(cursor?: string): Promise<{ tasks: Task[]; nextCursor?: string }>;
}

/** A schema for results, of any library with `parse`. */
export interface SchemaLike<T> {
  parse(value: unknown): T;
}

/** Context of the request that a handler answers. The context of this library's servers is one, with more members. */
export type RequestHandlerExtra<SendRequestT extends Request, SendNotificationT extends Notification> = {
  /** Aborted when the other side cancels, and when the connection ends. */
  readonly signal: AbortSignal;
  readonly authInfo?: AuthInfo | undefined;
  readonly sessionId?: string | undefined;
  readonly _meta?: RequestMeta | undefined;
  readonly requestId: RequestId;
  readonly taskId?: string | undefined;
  readonly taskStore?: RequestTaskStore | undefined;
  readonly taskRequestedTtl?: number | undefined;
  readonly requestInfo?: RequestInfo | undefined;
  readonly sendNotification: (notification: SendNotificationT) => Promise<void>;
  readonly sendRequest: <T>(
    request: SendRequestT,
    resultSchema: SchemaLike<T>,
    options?: TaskRequestOptions,
  ) => Promise<T>;
  readonly closeSSEStream?: (() => void) | undefined;
  readonly closeStandaloneSSEStream?: (() => void) | undefined;
};
