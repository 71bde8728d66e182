import {
  ProtocolError,
  isTerminal,
  type CreateMessageRequestParams,
  type ElicitRequestParams,
  type JsonObject,
} from 'crosspoint';
import type { RequestOptions as CallOptions } from 'crosspoint/server';
import type { ClassicTask } from './task-store.ts';

/** The events of a request that became a task at the client. */
export type ResponseMessage =
  | { type: 'taskCreated'; task: ClassicTask }
  | { type: 'taskStatus'; task: ClassicTask }
  | { type: 'result'; result: JsonObject }
  | { type: 'error'; error: Error };

export interface TaskCallOptions extends CallOptions {
  task?: { ttl?: number };
}

interface Requesting {
  request(
    request: { method: string; params?: JsonObject },
    schema?: unknown,
    options?: CallOptions,
  ): Promise<JsonObject>;
}

/** Requests to a client that become tasks there, under the official SDK's names, in the revision that has such tasks. */
export class ExperimentalServerTasks {
  readonly #server: Requesting;

  constructor(server: Requesting) {
    this.#server = server;
  }

  async *requestStream(
    request: { method: string; params?: JsonObject },
    _resultSchema?: unknown,
    { task: wish = {}, ...options }: TaskCallOptions = {},
  ): AsyncGenerator<ResponseMessage, void, void> {
    try {
      const params = { ...request.params, task: wish };
      const answer = await this.#server.request({ method: request.method, params }, undefined, options);
      const created = answer['task'] as ClassicTask | undefined;
      if (typeof created?.taskId !== 'string') {
        yield { type: 'result', result: answer };
        return;
      }
      yield { type: 'taskCreated', task: created };
      yield* this.#follow(created, options);
    } catch (error) {
      yield { type: 'error', error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  async *#follow(created: ClassicTask, options: CallOptions): AsyncGenerator<ResponseMessage, void, void> {
    let task = created;
    while (!isTerminal(task.status)) {
      await pause(task.pollInterval ?? 1000, options.signal);
      task = await this.getTask(task.taskId, options);
      yield { type: 'taskStatus', task };
    }
    if (task.status === 'cancelled') throw new ProtocolError('invalid-request', 'The client cancelled the task.');
    yield { type: 'result', result: await this.getTaskResult(task.taskId, undefined, options) };
  }

  createMessageStream(
    params: CreateMessageRequestParams,
    options?: TaskCallOptions,
  ): AsyncGenerator<ResponseMessage, void, void> {
    return this.requestStream({ method: 'sampling/createMessage', params: { ...params } }, undefined, options);
  }

  elicitInputStream(
    params: ElicitRequestParams,
    options?: TaskCallOptions,
  ): AsyncGenerator<ResponseMessage, void, void> {
    return this.requestStream({ method: 'elicitation/create', params: { ...params } }, undefined, options);
  }

  async getTask(taskId: string, options?: CallOptions): Promise<ClassicTask> {
    return (await this.#call('tasks/get', { taskId }, options)) as object as ClassicTask;
  }

  getTaskResult(taskId: string, _resultSchema?: unknown, options?: CallOptions): Promise<JsonObject> {
    return this.#call('tasks/result', { taskId }, options);
  }

  async listTasks(cursor?: string, options?: CallOptions): Promise<{ tasks: ClassicTask[]; nextCursor?: string }> {
    const listed = await this.#call('tasks/list', cursor === undefined ? {} : { cursor }, options);
    return listed as object as { tasks: ClassicTask[]; nextCursor?: string };
  }

  async cancelTask(taskId: string, options?: CallOptions): Promise<ClassicTask> {
    return (await this.#call('tasks/cancel', { taskId }, options)) as object as ClassicTask;
  }

  #call(method: string, params: JsonObject, options: CallOptions | undefined): Promise<JsonObject> {
    return this.#server.request({ method, params }, undefined, options);
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    });
  });
}
