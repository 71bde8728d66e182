import type { JsonObject } from '../../jsonrpc/message.ts';
import { toProtocolError, TransportError, type ProtocolError } from '../../protocol/errors.ts';
import { isTask, type Task } from '../../protocol/tasks.ts';
import type { CallToolParams, CallToolResult } from '../../protocol/tools.ts';
import type { Engine } from '../engine.ts';
import type { Message } from '../answering/handlers.ts';
import type { CallToolOptions, RequestOptions } from '../calls/request-options.ts';
import { isResultSchema, readWith, type ResultSchema } from '../calls/result-schema.ts';
import type { TaskHandle } from './task-handle.ts';

/** A task with the member names `ttl` and `pollInterval` of the revision that has tasks in its core. */
export type ClassicTask = Omit<Task, 'ttlMs' | 'pollIntervalMs'> & { ttl: number | null; pollInterval?: number };

/** A step of a call: it became a task, its status, and its result or error. */
export type ResponseMessage<T = JsonObject> =
  | { type: 'taskCreated'; task: ClassicTask }
  | { type: 'taskStatus'; task: ClassicTask }
  | { type: 'result'; result: T }
  | { type: 'error'; error: ProtocolError | Error };

/** The official SDK's API for tasks, on top of `startTask` and its handles. Works with both generations. */
export class ExperimentalClientTasks {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Calls a tool and yields its steps; the last one is the result or the error. */
  async *callToolStream<T = CallToolResult>(
    params: CallToolParams,
    resultSchema?: ResultSchema<T>,
    options: CallToolOptions = {},
  ): AsyncGenerator<ResponseMessage<T>, void, void> {
    const read = (result: JsonObject): T =>
      resultSchema === undefined ? (result as T) : readWith(resultSchema, 'tools/call', result);
    const { calls, tools } = this.#engine;
    const startedAt = calls.now();
    let handle: TaskHandle | undefined;
    try {
      handle = await tools.start(params, options);
      if (handle.task === undefined) {
        yield { type: 'result', result: read((await handle.wait(options)) as object as JsonObject) };
        return;
      }
      yield { type: 'taskCreated', task: classicTask(handle.task) };
      const told = new Statuses();
      const maxTotalTimeout = calls.leftOf(options, startedAt);
      const ended = handle
        .wait({ signal: options.signal, maxTotalTimeout, onstatus: (task) => told.push(task) })
        .finally(() => told.end());
      ended.catch(() => {});
      for await (const task of told) yield { type: 'taskStatus', task: classicTask(task) };
      yield { type: 'result', result: read((await ended) as object as JsonObject) };
    } catch (error) {
      if (error instanceof TransportError && error.code === 'total-timeout') this.#giveUp(handle);
      yield { type: 'error', error: error instanceof Error ? error : toProtocolError(error) };
    }
  }

  /** Cancels the task after the total timeout of the call. */
  #giveUp(handle: TaskHandle | undefined): void {
    if (handle !== undefined) this.#engine.guard(() => handle.cancel());
  }

  /** Sends any request and yields its steps; only tool calls become tasks. */
  async *requestStream<T>(
    request: Message<object>,
    resultSchema: ResultSchema<T>,
    options: RequestOptions = {},
  ): AsyncGenerator<ResponseMessage<T>, void, void> {
    if (request.method === 'tools/call') {
      yield* this.callToolStream(request.params as CallToolParams, resultSchema, options);
      return;
    }
    try {
      yield { type: 'result', result: (await this.#engine.request(request, resultSchema, options)) as T };
    } catch (error) {
      yield { type: 'error', error: error instanceof Error ? error : toProtocolError(error) };
    }
  }

  async getTask(taskId: string, options?: RequestOptions): Promise<ClassicTask> {
    return classicTask(await this.#engine.tasks.get(taskId, options));
  }

  /** Waits for the end of a task and returns its result. */
  async getTaskResult(taskId: string, options?: RequestOptions): Promise<JsonObject>;
  async getTaskResult<T>(
    taskId: string,
    resultSchema: ResultSchema<T> | undefined,
    options?: RequestOptions,
  ): Promise<T>;
  async getTaskResult(
    taskId: string,
    schemaOrOptions?: ResultSchema | RequestOptions,
    third?: RequestOptions,
  ): Promise<unknown> {
    const isSchema = isResultSchema(schemaOrOptions);
    const options = third ?? (isSchema ? undefined : schemaOrOptions) ?? {};
    const { tasks } = this.#engine;
    const result = await tasks.wait(await tasks.get(taskId, options), options);
    return isSchema ? readWith(schemaOrOptions, 'tools/call', result) : result;
  }

  async listTasks(cursor?: string, options?: RequestOptions): Promise<{ tasks: ClassicTask[]; nextCursor?: string }> {
    const { tasks, ...rest } = await this.#engine.tasks.list(cursor, options);
    return { ...rest, tasks: tasks.filter(isTask).map(classicTask) };
  }

  async cancelTask(taskId: string, options?: RequestOptions): Promise<ClassicTask> {
    return classicTask(await this.#engine.tasks.cancel(taskId, options));
  }
}

/** Reads a stream to its end: returns the result, or throws the error. */
export async function takeResult<T>(stream: AsyncIterable<ResponseMessage<T>>): Promise<T> {
  for await (const message of stream) {
    if (message.type === 'result') return message.result;
    if (message.type === 'error') throw message.error;
  }
  throw new TypeError('The stream ended without a result.');
}

export async function toArrayAsync<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
}

function classicTask(task: Task): ClassicTask {
  const { ttlMs, pollIntervalMs, ...rest } = task;
  return { ...rest, ttl: ttlMs, ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }) };
}

/** Most statuses that wait for a reader; beyond it the oldest are dropped. */
const MOST_STATUSES = 100;

/** Statuses in the order they came, for a reader that takes them one by one. */
class Statuses implements AsyncIterable<Task> {
  readonly #waiting: Task[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  push(task: Task): void {
    if (this.#waiting.length >= MOST_STATUSES) this.#waiting.shift();
    this.#waiting.push(task);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Task, void, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
