import type { JsonObject } from '../../jsonrpc/message.ts';
import { toProtocolError, TransportError, type ProtocolError } from '../../protocol/errors.ts';
import { isTask, type Task } from '../../protocol/tasks.ts';
import type { CallToolParams, CallToolResult } from '../../protocol/tools.ts';
import type { Engine } from '../engine.ts';
import type { Message } from '../answering/handlers.ts';
import type { CallToolOptions, RequestOptions } from '../calls/request-options.ts';
import { isResultSchema, readWith, type ResultSchema } from '../calls/result-schema.ts';
import type { TaskHandle } from './task-handle.ts';

/** A task with the names that the revision with tasks in its core has for its times. */
export type ClassicTask = Omit<Task, 'ttlMs' | 'pollIntervalMs'> & { ttl: number | null; pollInterval?: number };

/** What a call tells on its way: that it became a task, how that stands, and how it ended. */
export type ResponseMessage<T = JsonObject> =
  | { type: 'taskCreated'; task: ClassicTask }
  | { type: 'taskStatus'; task: ClassicTask }
  | { type: 'result'; result: T }
  | { type: 'error'; error: ProtocolError | Error };

/** The names of the official SDK for tasks, on top of `startTask` and its handles. They work in both generations. */
export class ExperimentalClientTasks {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Calls a tool and tells what happens; the last message is its result or its error. */
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

  /** The time of the call is up: the server need not go on with its task. */
  #giveUp(handle: TaskHandle | undefined): void {
    if (handle !== undefined) this.#engine.guard(() => handle.cancel());
  }

  /** The same for any request; only tool calls become tasks. */
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

  /** Waits for the end of the task. */
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

/** The result of a stream, or its error thrown. */
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

/** So many statuses wait for a reader; the oldest make room for new ones. */
const MOST_STATUSES = 100;

/** What is told while somebody else waits, in order. */
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
