import { isJsonObject, type ErrorObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Ask } from './outcome.ts';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task, in the names of the newer generation; the older revision writes its own. */
export interface Task {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** Lifetime from its creation, in milliseconds; `null`: without end. */
  ttlMs: number | null;
  pollIntervalMs?: number;
}

/** A task with the member that its status brings: the open questions, the result, or the error. */
export type DetailedTask = Task &
  (
    | { status: 'working' | 'cancelled' }
    | { status: 'input_required'; inputRequests: Readonly<Record<string, Ask>> }
    | { status: 'completed'; result: JsonObject }
    | { status: 'failed'; error: ErrorObject }
  );

/** A page of the tasks of a caller. Only the older generation lists tasks. */
export interface ListTasksResult {
  tasks: Task[];
  nextCursor?: string;
}

/** The `task` member in the params of a request that asks for a task; only the older generation has it. */
export interface TaskWish {
  ttl?: number;
}

const STATUSES: ReadonlySet<unknown> = new Set(['working', 'input_required', 'completed', 'failed', 'cancelled']);

/** Whether the status is final: a task that has ended does not change. */
export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Whether a task may go from one status to the other. Keeping the status with another message is no change. */
export function mayBecome(from: TaskStatus, to: TaskStatus): boolean {
  return !isTerminal(from) && from !== to;
}

/** Whether a peer's value is a task in the neutral names. */
export function isTask(value: unknown): value is JsonObject & Task {
  if (!isJsonObject(value)) return false;
  const { taskId, status, createdAt, lastUpdatedAt, ttlMs } = value;
  return (
    typeof taskId === 'string' &&
    STATUSES.has(status) &&
    typeof createdAt === 'string' &&
    typeof lastUpdatedAt === 'string' &&
    (ttlMs === null || typeof ttlMs === 'number')
  );
}
