import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { isTerminal, type Task, type TaskStatus } from '../../protocol/tasks.ts';
import { withRelatedTask } from '../../extensions/tasks/tasks-extension.ts';

export interface ReceivedTaskOptions {
  /** Lifetime in milliseconds of a task without a requested one; five minutes when absent. */
  readonly defaultTtlMs?: number;
  /** Longest lifetime in milliseconds that a server may request; one hour when absent. */
  readonly maxTtlMs?: number;
  /** Most tasks of a server at once; 100 when absent. */
  readonly maxTasks?: number;
  /** Poll interval in milliseconds suggested to the server; 500 when absent. */
  readonly pollIntervalMs?: number;
}

interface Received {
  task: Task;
  readonly abort: AbortController;
  /** Settles when the task ends; a handler for its rejection is attached. */
  readonly ended: Promise<JsonObject>;
  readonly expiry: unknown;
  settle(result: JsonObject | Promise<never>): void;
}

/** Tasks per page. */
const PAGE = 50;

/**
 * Tasks that a server made of its questions, in the revision that allows it. They end with the connection; a server that returns has to ask
 * again.
 */
export class ReceivedTasks {
  readonly #options: Required<ReceivedTaskOptions>;
  readonly #clock: Clock;
  readonly #tasks = new Map<string, Received>();

  constructor(options: ReceivedTaskOptions, clock: Clock) {
    this.#options = { defaultTtlMs: 300_000, maxTtlMs: 3_600_000, maxTasks: 100, pollIntervalMs: 500, ...options };
    this.#clock = clock;
  }

  /** Starts a task. `run` answers the question; `tell` is called with the task when it has ended. */
  start(wish: JsonObject, run: (signal: AbortSignal) => Promise<JsonObject>, tell: (task: Task) => void): Task {
    const { maxTasks, pollIntervalMs } = this.#options;
    if (this.#tasks.size >= maxTasks)
      throw new ProtocolError(
        'invalid-request',
        `The client keeps at most ${maxTasks} tasks at once: cancel one, or wait.`,
      );
    const now = this.#now();
    const task: Task = {
      taskId: crypto.randomUUID(),
      status: 'working',
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: this.#ttl(wish['ttl']),
      pollIntervalMs,
    };
    const received = this.#keep(task);
    run(received.abort.signal).then(
      (result) => this.#end(received, 'completed', () => received.settle(withRelatedTask(result, task.taskId)), tell),
      (error: unknown) => {
        const statusMessage = error instanceof ProtocolError ? error.message : 'The question could not be answered.';
        this.#move(received, { statusMessage });
        this.#end(received, 'failed', () => received.settle(Promise.reject(error)), tell);
      },
    );
    return task;
  }

  /** The answer to one of the task methods, in neutral names; `undefined` for any other method. */
  answer(method: string, params: JsonObject): JsonObject | Promise<JsonObject> | undefined {
    if (method === 'tasks/list') return this.#list(params['cursor']);
    if (method === 'tasks/get') return { ...this.#find(params).task };
    if (method === 'tasks/result') return this.#find(params).ended;
    if (method === 'tasks/cancel') return { ...this.#cancel(this.#find(params)) };
    return undefined;
  }

  /** Aborts and removes all tasks: the server that could ask for them is gone. */
  clear(): void {
    for (const received of this.#tasks.values()) {
      this.#clock.clearTimeout(received.expiry);
      received.abort.abort(new ProtocolError('other', 'The server that asked is gone.'));
    }
    this.#tasks.clear();
  }

  #keep(task: Task): Received {
    let settle: Received['settle'] = () => {};
    const ended = new Promise<JsonObject>((resolve) => (settle = resolve));
    ended.catch(() => {});
    const expiry = this.#clock.setTimeout(() => this.#expire(task.taskId), task.ttlMs ?? this.#options.maxTtlMs);
    const received: Received = { task, abort: new AbortController(), ended, expiry, settle };
    this.#tasks.set(task.taskId, received);
    return received;
  }

  #cancel(received: Received): Task {
    const { taskId, status } = received.task;
    if (isTerminal(status))
      throw new ProtocolError('invalid-params', `The task ${taskId} is ${status}: it cannot be cancelled.`);
    const reason = new ProtocolError('other', 'The task was cancelled.');
    this.#end(
      received,
      'cancelled',
      () => received.settle(Promise.reject(reason)),
      () => {},
    );
    received.abort.abort(reason);
    return received.task;
  }

  #expire(taskId: string): void {
    const received = this.#tasks.get(taskId);
    this.#tasks.delete(taskId);
    if (received === undefined || isTerminal(received.task.status)) return;
    const reason = new ProtocolError('invalid-params', `The task ${taskId} expired before it ended.`);
    received.settle(Promise.reject(reason));
    received.abort.abort(reason);
  }

  /** Ends a task, unless it has ended already. */
  #end(received: Received, status: TaskStatus, settle: () => void, tell: (task: Task) => void): void {
    if (isTerminal(received.task.status)) return;
    this.#move(received, { status });
    settle();
    if (this.#tasks.has(received.task.taskId)) tell(received.task);
  }

  #move(received: Received, change: Partial<Task>): void {
    if (!isTerminal(received.task.status)) received.task = { ...received.task, ...change, lastUpdatedAt: this.#now() };
  }

  #find(params: JsonObject): Received {
    const { taskId } = params;
    const found = typeof taskId === 'string' ? this.#tasks.get(taskId) : undefined;
    if (found === undefined)
      throw new ProtocolError('invalid-params', 'The task is unknown. It may have expired.', { taskId });
    return found;
  }

  /** One page, in order of creation; the cursor is the id of the last task of the page before. */
  #list(cursor: unknown): JsonObject {
    const ids = [...this.#tasks.keys()];
    const from = cursor === undefined ? 0 : ids.indexOf(cursor as string) + 1;
    if (cursor !== undefined && from === 0) throw new ProtocolError('invalid-params', 'The cursor is no longer valid.');
    const page = ids.slice(from, from + PAGE);
    const tasks = page.map((id) => ({ ...this.#tasks.get(id)?.task }));
    return from + PAGE < ids.length ? { tasks, nextCursor: page.at(-1) } : { tasks };
  }

  #ttl(wished: unknown): number {
    const { defaultTtlMs, maxTtlMs } = this.#options;
    return typeof wished === 'number' && wished > 0 ? Math.min(wished, maxTtlMs) : Math.min(defaultTtlMs, maxTtlMs);
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
