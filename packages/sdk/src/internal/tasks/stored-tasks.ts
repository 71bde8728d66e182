import { ProtocolError, TransportError, isProtocolError, isTerminal, type JsonObject } from 'crosspoint';
import type { ServerContext } from 'crosspoint/server';
import type { OwnTasks, RequestTaskStore, TaskHandlers, TaskHost } from 'crosspoint/server/tasks';
import type { Task } from '../../types.ts';
import { PendingRequest } from '../shared/pending-request.ts';
import { withRelatedTask } from '../shared/request-params.ts';
import { bothKinds } from './both-kinds.ts';
import { ProgramTasks, type ProgramTaskOptions, type Sent, type TaskRequest } from './program-tasks.ts';

/** The tasks that the program of a server runs itself: answers for them in both generations. */
export class StoredTasks implements OwnTasks {
  readonly #host: TaskHost;
  readonly #options: ProgramTaskOptions;
  readonly #tasks: ProgramTasks;
  #nextId = 1;

  constructor(host: TaskHost, options: ProgramTaskOptions, onerror: (error: Error) => void) {
    this.#host = host;
    this.#options = options;
    this.#tasks = new ProgramTasks(options, onerror);
  }

  /** The store of a request: tasks made through it belong to its caller. */
  storeFor(ctx: ServerContext): RequestTaskStore {
    return this.#tasks.storeFor(this.#requestOf(ctx)) as RequestTaskStore;
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
    const tasks = this.#tasks;
    return {
      'tasks/get': async ({ params }, ctx) => ({ ...(await tasks.get(params['taskId'], this.#requestOf(ctx))) }),
      'tasks/result': ({ params }, ctx) => tasks.result(params['taskId'], this.#requestOf(ctx)),
      'tasks/list': ({ params }, ctx) => tasks.list(params['cursor'], this.#requestOf(ctx)),
      'tasks/cancel': async ({ params }, ctx) => ({
        _meta: {},
        ...(await tasks.cancel(params['taskId'], this.#requestOf(ctx))),
      }),
    };
  }

  /** The handlers of the newer generation, in which such tasks ask nothing of their clients. */
  #extensionHandlers(): TaskHandlers['extension'] {
    const tasks = this.#tasks;
    return {
      'tasks/get': async ({ params }, ctx) => ({ ...(await this.#detailed(params['taskId'], ctx)) }),
      'tasks/update': async ({ params }, ctx) => {
        await tasks.get(params['taskId'], this.#requestOf(ctx));
        return {};
      },
      'tasks/cancel': async ({ params }, ctx) => {
        const request = this.#requestOf(ctx);
        const { taskId, status } = await tasks.get(params['taskId'], request);
        if (!isTerminal(status)) await tasks.cancel(taskId, request);
        return {};
      },
    };
  }

  /** Waits for the end of a task. Its queued messages are sent to the client meanwhile. */
  ended(taskId: string, ctx: ServerContext): Promise<Task> {
    return this.#tasks.ended(taskId, this.#requestOf(ctx));
  }

  /** Queues a request to the client of a task, which now needs input; it is sent when the client asks for the result. */
  async ask(
    taskId: string,
    { method, params = {} }: { method: string; params?: JsonObject | undefined },
    ctx: ServerContext,
    { signal, idleTimeoutMs, totalTimeoutMs }: Parameters<OwnTasks['ask']>[3],
  ): Promise<JsonObject> {
    await this.storeFor(ctx).updateTaskStatus(taskId, 'input_required');
    const id = `task-${this.#nextId++}`;
    // A total limit that is no shorter than the other one adds nothing, and would change the words of the error.
    const isTotal = totalTimeoutMs !== undefined && totalTimeoutMs < (idleTimeoutMs ?? Infinity);
    const limits = {
      ...(signal && { signal }),
      ...(idleTimeoutMs !== undefined && { timeout: idleTimeoutMs }),
      ...(isTotal && { maxTotalTimeout: totalTimeoutMs }),
    };
    const pending = new PendingRequest(limits, () => {});
    const message = { jsonrpc: '2.0' as const, id, method, params: withRelatedTask(params, { taskId }) };
    this.#tasks.askLater(taskId, message, pending, ownerOf(ctx));
    return pending.answer;
  }

  /** Queues a notification of a task; it is sent when the client asks for the result. */
  notifyLater(taskId: string, { method, params }: { method: string; params?: JsonObject }): Promise<void> {
    const message = { jsonrpc: '2.0' as const, method, params: withRelatedTask(params, { taskId }) };
    return this.#tasks.queue(taskId, { type: 'notification', message, timestamp: Date.now() });
  }

  /**
   * The context of a call that ends with a task: its requests go to the session of the client, since the call may end before they are answered, and after
   * its end its notifications do as well.
   */
  outliving(ctx: ServerContext, hasEnded: () => boolean): ServerContext {
    const sendRequest: ServerContext['sendRequest'] = async (request, schema, options) => {
      if (options?.relatedTask) return ctx.sendRequest(request, schema, options);
      const { signal, timeout, maxTotalTimeout } = options ?? {};
      const limits = { signal, idleTimeoutMs: timeout, totalTimeoutMs: maxTotalTimeout };
      const { method, params } = request;
      const answer = await this.#host.requestSession(ctx, method, params, limits).catch((error: unknown) => {
        // A client without a standing stream can be asked on that of the call.
        if (hasEnded() || !(error instanceof TransportError) || error.code !== 'closed') throw error;
        return this.#host.request(ctx, method, params, limits);
      });
      return schema === undefined ? (answer as never) : schema.parse(answer);
    };
    const sendNotification: ServerContext['sendNotification'] = async (notification) => {
      if (!hasEnded()) return ctx.sendNotification(notification);
      this.#host.notifySession(ctx, notification.method, notification.params ?? {});
    };
    return Object.create(ctx, { sendRequest: { value: sendRequest }, sendNotification: { value: sendNotification } });
  }

  #requestOf(ctx: ServerContext): TaskRequest {
    const { method, params } = ctx.inbound;
    return {
      id: ctx.requestId,
      request: { method, params },
      owner: ownerOf(ctx),
      signal: ctx.signal,
      tell: (task) => {
        if (ctx.family === 'handshake') this.#host.notifySession(ctx, 'notifications/tasks/status', { ...task });
      },
      deliver: (taskId, queued, pending) => this.#deliver(taskId, queued, pending, ctx),
    };
  }

  #deliver(taskId: string, queued: Sent, pending: PendingRequest | undefined, ctx: ServerContext): void {
    const { method, params = {} } = queued.message;
    if (queued.type === 'notification') return this.#host.notify(ctx, method, params);
    // The request to the client is given up when its answer is not waited for any more.
    const unwanted = new AbortController();
    pending?.answer.catch(() => unwanted.abort());
    this.#host.request(ctx, method, params, { signal: unwanted.signal, totalTimeoutMs: 0 }).then(
      (answer) => pending?.resolve(answer),
      (error: unknown) => {
        if (isProtocolError(error)) pending?.reject(error);
        // A client that disconnected may come back for it.
        else if (pending && !unwanted.signal.aborted)
          void this.#tasks.askAgain(taskId, queued.message, pending, ownerOf(ctx));
      },
    );
  }

  async #detailed(id: unknown, ctx: ServerContext): Promise<JsonObject> {
    const { ttl, pollInterval, ...rest } = await this.#tasks.get(id, this.#requestOf(ctx));
    const task = { ...rest, ttlMs: ttl, ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }) };
    if (task.status !== 'completed' && task.status !== 'failed')
      return task.status === 'input_required' ? { ...task, status: 'working' } : { ...task, status: task.status };
    try {
      const result = await this.#tasks.resultOf(task.taskId, this.#requestOf(ctx));
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
}

/** The owner of a caller's tasks. Callers without a name and session share one, which is not the program itself. */
function ownerOf({ principal, sessionId }: ServerContext): string {
  return principal ?? sessionId ?? '';
}
