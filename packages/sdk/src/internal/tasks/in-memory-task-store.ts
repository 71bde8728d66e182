import { isTerminal } from 'crosspoint';
import type { Request, RequestId, Result, Task } from '../../types.ts';
import type { CreateTaskOptions, TaskStore } from './task-store.ts';

interface Kept {
  task: Task;
  readonly sessionId: string | undefined;
  result?: Result;
  expiry?: ReturnType<typeof setTimeout>;
}

/** Tasks per page. */
const PAGE = 10;

/**
 * Tasks in this process, for programs that run them themselves. A task is kept for its `ttl`, counted anew from its end; one without a `ttl`
 * stays until `cleanup`. A task that was made with a `sessionId` is not found with another one; the program itself gives none and finds all.
 */
export class InMemoryTaskStore implements TaskStore {
  readonly #tasks = new Map<string, Kept>();

  async createTask(
    { ttl = null, pollInterval = 1000 }: CreateTaskOptions,
    _requestId: RequestId,
    _request: Request,
    sessionId?: string,
  ): Promise<Task> {
    const createdAt = new Date().toISOString();
    const taskId = crypto.randomUUID().replaceAll('-', '');
    const task: Task = { taskId, status: 'working', ttl, createdAt, lastUpdatedAt: createdAt, pollInterval };
    const kept: Kept = { task, sessionId };
    this.#tasks.set(taskId, kept);
    this.#expireLater(kept);
    return { ...task };
  }

  async getTask(taskId: string, sessionId?: string): Promise<Task | null> {
    const kept = this.#find(taskId, sessionId);
    return kept ? { ...kept.task } : null;
  }

  async storeTaskResult(
    taskId: string,
    status: 'completed' | 'failed',
    result: Result,
    sessionId?: string,
  ): Promise<void> {
    const kept = this.#need(taskId, sessionId);
    if (isTerminal(kept.task.status))
      throw new Error(
        `Cannot store result for task ${taskId} in terminal status '${kept.task.status}'. Task results can only be stored once.`,
      );
    kept.result = result;
    this.#change(kept, { status });
  }

  async getTaskResult(taskId: string, sessionId?: string): Promise<Result> {
    const { result } = this.#need(taskId, sessionId);
    if (result === undefined) throw new Error(`Task ${taskId} has no result stored`);
    return result;
  }

  async updateTaskStatus(
    taskId: string,
    status: Task['status'],
    statusMessage?: string,
    sessionId?: string,
  ): Promise<void> {
    const kept = this.#need(taskId, sessionId);
    if (isTerminal(kept.task.status))
      throw new Error(
        `Cannot update task ${taskId} from terminal status '${kept.task.status}' to '${status}'. ` +
          'Terminal states (completed, failed, cancelled) cannot transition to other states.',
      );
    this.#change(kept, statusMessage ? { status, statusMessage } : { status });
  }

  /** One page of tasks, in the order they were made. Rejects for a cursor that names no task. */
  async listTasks(cursor?: string, sessionId?: string): Promise<{ tasks: Task[]; nextCursor?: string }> {
    const found = [...this.#tasks.values()].filter((kept) => isVisible(kept, sessionId)).map(({ task }) => task);
    const from = cursor ? found.findIndex(({ taskId }) => taskId === cursor) + 1 : 0;
    if (cursor && from === 0) throw new Error(`Invalid cursor: ${cursor}`);
    const tasks = found.slice(from, from + PAGE).map((task) => ({ ...task }));
    const last = tasks.at(-1);
    return last && from + PAGE < found.length ? { tasks, nextCursor: last.taskId } : { tasks };
  }

  /** Deletes all tasks and their timers. */
  cleanup(): void {
    for (const { expiry } of this.#tasks.values()) clearTimeout(expiry);
    this.#tasks.clear();
  }

  getAllTasks(): Task[] {
    return [...this.#tasks.values()].map(({ task }) => ({ ...task }));
  }

  #find(taskId: string, sessionId: string | undefined): Kept | undefined {
    const kept = this.#tasks.get(taskId);
    return kept && isVisible(kept, sessionId) ? kept : undefined;
  }

  #need(taskId: string, sessionId: string | undefined): Kept {
    const kept = this.#find(taskId, sessionId);
    if (kept === undefined) throw new Error(`Task with ID ${taskId} not found`);
    return kept;
  }

  #change(kept: Kept, change: Partial<Task>): void {
    kept.task = { ...kept.task, ...change, lastUpdatedAt: new Date().toISOString() };
    if (isTerminal(kept.task.status)) this.#expireLater(kept);
  }

  #expireLater(kept: Kept): void {
    const { ttl, taskId } = kept.task;
    clearTimeout(kept.expiry);
    if (ttl) kept.expiry = setTimeout(() => this.#tasks.delete(taskId), ttl);
  }
}

function isVisible(kept: Kept, sessionId: string | undefined): boolean {
  return sessionId === undefined || kept.sessionId === undefined || kept.sessionId === sessionId;
}
