import type { AuthInfo, RequestId, TransportSendOptions } from 'crosspoint';
import type { TaskMessageQueue, TaskStore } from 'crosspoint/server';
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

/** How long an answer is waited for unless a request says otherwise, in milliseconds. */
export const DEFAULT_REQUEST_TIMEOUT_MSEC = 60_000 as const;

export type ProgressCallback = (progress: Progress) => void;

export type ProtocolOptions = {
  /** Whether a request is refused here that the other side has declared no capability for. */
  enforceStrictCapabilities?: boolean;
  /** Notifications of which several within one turn are sent as one, where they say nothing but their method. */
  debouncedNotificationMethods?: string[];
  /** Servers take one; a `Protocol` by itself keeps no tasks and refuses it. */
  taskStore?: TaskStore;
  /** Like `taskStore`. */
  taskMessageQueue?: TaskMessageQueue;
  /** How often a task is asked after that names no interval, in milliseconds; 1000 unless said otherwise. */
  defaultTaskPollInterval?: number;
  maxTaskQueueSize?: number;
};

export type RequestOptions = {
  onprogress?: ProgressCallback;
  signal?: AbortSignal;
  /** Milliseconds. */
  timeout?: number;
  /** Whether progress begins the timeout anew. */
  resetTimeoutOnProgress?: boolean;
  /** Milliseconds, whatever progress there is. */
  maxTotalTimeout?: number;
  /** The wish that the request becomes a task. */
  task?: TaskCreationParams;
  /** The task on whose behalf the request is made. */
  relatedTask?: RelatedTaskMetadata;
} & TransportSendOptions;

export type NotificationOptions = { relatedRequestId?: RequestId; relatedTask?: RelatedTaskMetadata };

export type TaskRequestOptions = Omit<RequestOptions, 'relatedTask'>;

/** The tasks of the caller of a request. */
export interface RequestTaskStore {
  createTask(taskParams: { ttl?: number | null; pollInterval?: number }): Promise<Task>;
  getTask(taskId: string): Promise<Task>;
  storeTaskResult(taskId: string, status: 'completed' | 'failed', result: Result): Promise<void>;
  getTaskResult(taskId: string): Promise<Result>;
  updateTaskStatus(taskId: string, status: Task['status'], statusMessage?: string): Promise<void>;
  listTasks(cursor?: string): Promise<{ tasks: Task[]; nextCursor?: string }>;
}

/** A schema of results, of any library that can parse. */
export interface SchemaLike<T> {
  parse(value: unknown): T;
}

/** What a handler knows of the request it answers. The context of this library's servers is one, with more in it. */
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
