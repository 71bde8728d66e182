import { ProtocolError, TransportError, isProtocolError, isTerminal, type JsonObject } from 'crosspoint';
import type { ServerContext } from 'crosspoint/server';
import type { OwnTasks, TaskHandlers, TaskHost } from 'crosspoint/server/tasks';
import { withRelatedTask } from '../shared/request-params.ts';
import { bothKinds } from './both-kinds.ts';
import { patience } from './patience.ts';
import type { ClassicTask, RequestTaskStore, TaskMessageQueue, TaskStore } from './task-store.ts';

export interface StoredTaskOptions {
  readonly taskStore: TaskStore;
  readonly taskMessageQueue?: TaskMessageQueue | undefined;
  readonly defaultTaskPollInterval?: number | undefined;
  readonly maxTaskQueueSize?: number | undefined;
}

interface Waiting {
  resolve(answer: JsonObject): void;
  reject(error: unknown): void;
  /** Aborted when the answer is no longer awaited. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two polls: the program may change its store without a notice. */
const LOOK_MS = 1000;

/** Tasks that programs run themselves, in a task store of theirs: answers for them in both generations. */
export class StoredTasks implements OwnTasks {
  readonly #host: TaskHost;
  readonly #options: StoredTaskOptions;
  readonly #wakers = new Map<string, Set<() => void>>();
  readonly #asked = new Map<string | number, Waiting>();
  #nextId = 1;

  constructor(host: TaskHost, options: StoredTaskOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** The store of a request: tasks made through it belong to its caller. */
  storeFor(ctx: ServerContext): RequestTaskStore {
    const { taskStore: store, defaultTaskPollInterval: pollInterval } = this.#options;
    const owner = ownerOf(ctx);
    const changed = async (taskId: string): Promise<void> => {
      for (const wake of this.#wakers.get(taskId) ?? []) wake();
      const task = await store.getTask(taskId, owner);
      if (task && ctx.family === 'handshake') this.#host.notifySession(ctx, 'notifications/tasks/status', { ...task });
    };
    return {
      createTask: (options = {}) => {
        const wish = ctx.taskRequestedTtl;
        const wanted = {
          ...(pollInterval !== undefined && { pollInterval }),
          ...(wish !== undefined && { ttl: wish }),
        };
        return store.createTask({ ...wanted, ...options }, ctx.requestId, ctx.inbound, owner);
      },
      getTask: (taskId) => this.#find(taskId, owner),
      storeTaskResult: async (taskId, status, result) => {
        await store.storeTaskResult(taskId, status, result, owner);
        await changed(taskId);
      },
      getTaskResult: (taskId) => store.getTaskResult(taskId, owner),
      updateTaskStatus: async (taskId, status, message) => {
        await store.updateTaskStatus(taskId, status, message, owner);
        await changed(taskId);
      },
      listTasks: (cursor) => store.listTasks(cursor, owner),
    };
  }

  async knows(taskId: unknown, ctx: ServerContext): Promise<boolean> {
    return typeof taskId === 'string' && (await this.#options.taskStore.getTask(taskId, ownerOf(ctx))) !== null;
  }

  handlers(running: TaskHandlers | undefined): TaskHandlers {
    const kept = { core: this.#coreHandlers(), extension: this.#extensionHandlers() };
    return running === undefined ? kept : bothKinds(this, kept, running);
  }

  /** The handlers of the older generation. */
  #coreHandlers(): TaskHandlers['core'] {
    return {
      'tasks/get': async ({ params }, ctx) => ({ ...(await this.#find(params['taskId'], ownerOf(ctx))) }),
      'tasks/result': async ({ params }, ctx) => {
        const { taskId } = await this.ended(params['taskId'], ctx);
        return withRelatedTask(await this.#resultOf(taskId, ctx), { taskId });
      },
      'tasks/list': async ({ params }, ctx) => {
        const { cursor } = params;
        if (cursor !== undefined && typeof cursor !== 'string')
          throw new ProtocolError('invalid-params', 'The cursor was not made by tasks/list.');
        return { ...(await this.#options.taskStore.listTasks(cursor, ownerOf(ctx)).catch(badCursor)) };
      },
      'tasks/cancel': async ({ params }, ctx) => {
        const { taskId, status } = await this.#find(params['taskId'], ownerOf(ctx));
        if (isTerminal(status))
          throw new ProtocolError('invalid-params', `The task cannot be cancelled: it is ${status} already.`);
        await this.#cancel(taskId, ctx);
        return { ...(await this.#find(taskId, ownerOf(ctx))) };
      },
    };
  }

  /** The handlers of the newer generation, in which such tasks ask nothing of their clients. */
  #extensionHandlers(): TaskHandlers['extension'] {
    return {
      'tasks/get': async ({ params }, ctx) => ({ ...(await this.#detailed(params['taskId'], ctx)) }),
      'tasks/update': async ({ params }, ctx) => {
        await this.#find(params['taskId'], ownerOf(ctx));
        return {};
      },
      'tasks/cancel': async ({ params }, ctx) => {
        const { taskId, status } = await this.#find(params['taskId'], ownerOf(ctx));
        if (!isTerminal(status)) await this.#cancel(taskId, ctx);
        return {};
      },
    };
  }

  /** Waits for the end of a task. Its queued messages are sent to the client meanwhile. */
  async ended(id: unknown, ctx: ServerContext): Promise<ClassicTask> {
    const owner = ownerOf(ctx);
    for (;;) {
      const task = await this.#find(id, owner);
      await this.#deliver(task.taskId, ctx);
      if (isTerminal(task.status)) return task;
      await this.#changed(task.taskId, ctx);
    }
  }

  /** Queues a request to the client of a task; it is sent when the client asks for the result. */
  async ask(
    taskId: string,
    { method, params = {} }: { method: string; params?: JsonObject | undefined },
    ctx: ServerContext,
    options: Parameters<OwnTasks['ask']>[3],
  ): Promise<JsonObject> {
    const { taskMessageQueue: queue, maxTaskQueueSize } = this.#options;
    if (queue === undefined) throw new TypeError('To ask the client of a task, give the server a taskMessageQueue.');
    const { clock, askingTtlMs } = this.#host;
    const { ttl } = await this.#find(taskId, ownerOf(ctx));
    const id = `task-${this.#nextId++}`;
    const message = { jsonrpc: '2.0' as const, id, method, params: withRelatedTask(params, { taskId }) };
    await queue.enqueue(taskId, { type: 'request', message, timestamp: clock.now() }, ownerOf(ctx), maxTaskQueueSize);
    for (const wake of this.#wakers.get(taskId) ?? []) wake();
    const { signal, done } = patience(options, ttl ?? askingTtlMs, clock);
    const answer = new Promise<JsonObject>((resolve, reject) => {
      this.#asked.set(id, { resolve, reject, signal });
      signal.addEventListener('abort', () => {
        this.#asked.delete(id);
        reject(
          new TransportError('aborted', `${method} is not waited for any more.`, undefined, { cause: signal.reason }),
        );
      });
    });
    return answer.finally(done);
  }

  async #deliver(taskId: string, ctx: ServerContext): Promise<void> {
    const { taskMessageQueue: queue } = this.#options;
    for (const queued of (await queue?.dequeueAll(taskId, ownerOf(ctx))) ?? []) {
      if (queued.type === 'notification') this.#host.notify(ctx, queued.message.method, queued.message.params ?? {});
      if (queued.type !== 'request') continue;
      const { id, method, params } = queued.message;
      const waiting = this.#asked.get(id);
      this.#asked.delete(id);
      // It is waited for as long as whoever asked does.
      this.#host.request(ctx, method, params, waiting ? { signal: waiting.signal, totalTimeoutMs: 0 } : {}).then(
        (answer) => waiting?.resolve(answer),
        async (error: unknown) => {
          if (isProtocolError(error) || waiting === undefined) return waiting?.reject(error);
          // A client that disconnected may come back for it.
          this.#asked.set(id, waiting);
          try {
            await queue?.enqueue(taskId, queued, ownerOf(ctx));
          } catch (unkept) {
            this.#asked.delete(id);
            waiting.reject(unkept);
          }
        },
      );
    }
  }

  async #detailed(id: unknown, ctx: ServerContext): Promise<JsonObject> {
    const { ttl, pollInterval, ...rest } = await this.#find(id, ownerOf(ctx));
    const task = { ...rest, ttlMs: ttl, ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }) };
    if (task.status !== 'completed' && task.status !== 'failed')
      return task.status === 'input_required' ? { ...task, status: 'working' } : { ...task, status: task.status };
    try {
      const result = await this.#resultOf(task.taskId, ctx);
      // A task with a result has completed in this generation, also when a tool reports an error.
      return {
        ...task,
        status: 'completed',
        result: ctx.revision.writeResult('tools/call', { kind: 'complete', result }, this.#host.info),
      };
    } catch (error) {
      const written = ctx.revision.writeError(
        isProtocolError(error) ? error : new ProtocolError('internal', 'Internal error'),
      );
      return { ...task, status: 'failed', error: written };
    }
  }

  async #find(taskId: unknown, owner: string): Promise<ClassicTask> {
    const task = typeof taskId === 'string' ? await this.#options.taskStore.getTask(taskId, owner) : null;
    // The program's store may return anything; a value that is no task would be waited for.
    if (!task || task.taskId !== taskId)
      throw new ProtocolError('invalid-params', 'Task not found: it never was, has expired, or is not yours.');
    return task;
  }

  async #resultOf(taskId: string, ctx: ServerContext): Promise<JsonObject> {
    const { status, statusMessage } = await this.#find(taskId, ownerOf(ctx));
    if (status === 'cancelled')
      throw new ProtocolError('invalid-request', 'The task was cancelled, so it has no result.');
    try {
      return await this.#options.taskStore.getTaskResult(taskId, ownerOf(ctx));
    } catch (error) {
      throw new ProtocolError('internal', statusMessage ?? 'The task has no result.', undefined, { cause: error });
    }
  }

  #cancel(taskId: string, ctx: ServerContext): Promise<void> {
    return this.storeFor(ctx).updateTaskStatus(taskId, 'cancelled', 'The task was cancelled by request.');
  }

  async #changed(taskId: string, { signal }: ServerContext): Promise<void> {
    const wakers = this.#wakers.get(taskId) ?? new Set();
    this.#wakers.set(taskId, wakers);
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#host.clock.clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        wakers.delete(wake);
        if (wakers.size === 0) this.#wakers.delete(taskId);
        resolve();
      };
      const timer = this.#host.clock.setTimeout(wake, LOOK_MS);
      (timer as { unref?: () => void } | undefined)?.unref?.();
      signal.addEventListener('abort', wake, { once: true });
      wakers.add(wake);
    });
    signal.throwIfAborted();
  }
}

/** The owner of a caller's tasks. Callers without a name and session share one, which is not the program itself. */
function ownerOf({ principal, sessionId }: ServerContext): string {
  return principal ?? sessionId ?? '';
}

function badCursor(cause: unknown): never {
  throw new ProtocolError('invalid-params', 'The cursor was not made by tasks/list.', undefined, { cause });
}
