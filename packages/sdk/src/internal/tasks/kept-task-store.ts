import { isTerminal } from 'crosspoint';
import type { Request, RequestId, Result, Task } from '../../types.ts';
import { memoryStore, type Json, type Store } from 'crosspoint/stores';
import type { CreateTaskOptions, TaskStore } from './task-store.ts';

interface Kept {
  readonly task: Task;
  readonly sessionId: string | null;
  readonly result?: Result;
}

const PAGE = 50;
/** A place in the list: the time of creation and the id. */
const PLACE = /^\d{16}:[\da-f-]{36}$/;

/** Keeps the tasks of a program that gave no task store of its own: in any store of `crosspoint/stores`, so that several processes may share them. */
export class KeptTaskStore implements TaskStore {
  readonly #store: Store;

  constructor(store: Store = memoryStore()) {
    this.#store = store;
  }

  async createTask(
    { ttl = null, pollInterval = 1000 }: CreateTaskOptions,
    _requestId: RequestId,
    _request: Request,
    sessionId?: string,
  ): Promise<Task> {
    const now = new Date().toISOString();
    const taskId = crypto.randomUUID();
    const task: Task = { taskId, status: 'working', createdAt: now, lastUpdatedAt: now, ttl, pollInterval };
    const place = `${Date.parse(now).toString().padStart(16, '0')}:${taskId}`;
    const kept: Kept = { task, sessionId: sessionId ?? null };
    await this.#store.put(`tasks:list:${place}`, taskId, { ...lifetime(task), leftBy: leftBy(kept) });
    await this.#put(kept, null);
    return task;
  }

  async getTask(taskId: string, sessionId?: string): Promise<Task | null> {
    return (await this.#find(taskId, sessionId))?.kept.task ?? null;
  }

  storeTaskResult(taskId: string, status: 'completed' | 'failed', result: Result, sessionId?: string): Promise<void> {
    return this.#change(taskId, sessionId, ({ statusMessage: _former, ...task }) => ({
      task: { ...task, status },
      result,
    }));
  }

  async getTaskResult(taskId: string, sessionId?: string): Promise<Result> {
    const result = (await this.#find(taskId, sessionId))?.kept.result;
    if (result === undefined) throw new Error(`There is no result of the task ${taskId}.`);
    return result;
  }

  updateTaskStatus(taskId: string, status: Task['status'], statusMessage?: string, sessionId?: string): Promise<void> {
    return this.#change(taskId, sessionId, ({ statusMessage: _former, ...task }) => ({
      task: { ...task, status, ...(statusMessage !== undefined && { statusMessage }) },
    }));
  }

  async listTasks(cursor?: string, sessionId?: string): Promise<{ tasks: Task[]; nextCursor?: string }> {
    if (cursor !== undefined && !PLACE.test(cursor)) throw new Error(`Invalid cursor: ${cursor}`);
    const prefix = 'tasks:list:';
    const tasks: Task[] = [];
    let last = cursor;
    const behind = cursor === undefined ? {} : { after: prefix + cursor };
    for (const key of await this.#store.keys(prefix, behind)) {
      if (tasks.length === PAGE && last !== undefined) return { tasks, nextCursor: last };
      last = key.slice(prefix.length);
      const task = await this.getTask(last.slice(last.indexOf(':') + 1), sessionId);
      if (task) tasks.push(task);
    }
    return { tasks };
  }

  /** Finds a task. Without a `sessionId`, the program itself asks, and finds all. */
  async #find(taskId: string, sessionId: string | undefined): Promise<{ kept: Kept; version: string } | undefined> {
    const found = await this.#store.get(`tasks:task:${taskId}`);
    const kept = found?.value as object as Kept | undefined;
    if (found === undefined || kept === undefined) return undefined;
    return sessionId !== undefined && kept.sessionId !== sessionId ? undefined : { kept, version: found.version };
  }

  async #change(
    taskId: string,
    sessionId: string | undefined,
    change: (task: Task) => Pick<Kept, 'task' | 'result'>,
  ): Promise<void> {
    for (;;) {
      const found = await this.#find(taskId, sessionId);
      if (found === undefined) throw new Error(`There is no task ${taskId}.`);
      const { task } = found.kept;
      if (isTerminal(task.status)) throw new Error(`The task ${taskId} is ${task.status} and stays so.`);
      const next = change(task);
      const kept: Kept = { ...found.kept, ...next, task: { ...next.task, lastUpdatedAt: new Date().toISOString() } };
      if (await this.#put(kept, found.version)) return;
    }
  }

  async #put(kept: Kept, ifVersion: string | null): Promise<boolean> {
    const key = `tasks:task:${kept.task.taskId}`;
    const ended = isTerminal(kept.task.status) && { leftBy: leftBy(kept) };
    const options = { ...lifetime(kept.task), ifVersion, ...ended };
    return (await this.#store.put(key, kept as object as Json, options)) !== undefined;
  }
}

/** The caller that a task counts for; only its session is known. */
function leftBy({ sessionId }: Kept): string {
  return `session:${sessionId ?? ''}`;
}

function lifetime({ ttl, createdAt }: Task): { ttlMs?: number } {
  return ttl === null ? {} : { ttlMs: Math.max(1, Date.parse(createdAt) + ttl - Date.now()) };
}
