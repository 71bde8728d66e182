import { isJsonObject, type ErrorObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Ask } from './outcome.ts';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** What both generations of tasks say of one; the names are the newer generation's, and the older revision writes its own. */
export interface Task {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** From its creation, in milliseconds; `null`: without end. */
  ttlMs: number | null;
  pollIntervalMs?: number;
}

/** A task with what its status brings: the questions that wait, the result, or the error. */
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

/** The wish for a task in the params of a request; only the older generation has it. */
export interface TaskWish {
  ttl?: number;
}

const STATUSES: ReadonlySet<unknown> = new Set(['working', 'input_required', 'completed', 'failed', 'cancelled']);

/** A task that has ended stays as it is. */
export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Whether a task may go from one status to another; staying where it is, with another message, is no move. */
export function mayBecome(from: TaskStatus, to: TaskStatus): boolean {
  return !isTerminal(from) && from !== to;
}

/** Whether a peer's value can be taken for a task in the neutral names. */
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
