import type { ClientCapabilities } from 'crosspoint';
import type { ResponseMessage } from '../../shared/responseMessage.ts';
import type { AnySchema, SchemaOutput } from '../../server/zod-compat.ts';
import {
  CancelTaskResultSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetTaskResultSchema,
  ListTasksResultSchema,
  ResultSchema,
  type CancelTaskResult,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type ElicitResult,
  type GetTaskResult,
  type ListTasksResult,
  type Notification,
  type Request,
  type Result,
} from '../../types.ts';
import type { RequestOptions } from '../shared/protocol-options.ts';
import { readWith } from '../shared/read-with.ts';
import { samplingFault } from '../server/sampling-fault.ts';
import { isCreated, streamResult, streamTask } from './task-stream.ts';

/** The server, as the tasks of its client use it. */
export interface ServerOfTasks {
  request(request: Request, resultSchema: undefined, options?: RequestOptions): Promise<unknown>;
  getClientCapabilities(): ClientCapabilities | undefined;
}

type Stream<T> = AsyncGenerator<ResponseMessage<T & Result>, void, void>;

/** Requests to a client that become tasks there, under the names of v1. Programs do not construct it: it is `server.experimental.tasks`. */
export class ExperimentalServerTasks<
  _RequestT extends Request = Request,
  _NotificationT extends Notification = Notification,
  _ResultT extends Result = Result,
> {
  readonly #server: ServerOfTasks;
  readonly #pollMs: number | undefined;

  constructor(server: ServerOfTasks, pollMs?: number) {
    this.#server = server;
    this.#pollMs = pollMs;
  }

  /** Sends any request and yields its steps: one with the option `task` may become a task. The last step is the result or the error. */
  requestStream<T extends AnySchema>(
    request: Request,
    resultSchema: T,
    options: RequestOptions = {},
  ): Stream<SchemaOutput<T>> {
    type Output = SchemaOutput<T> & Result;
    const { task, ...plain } = options;
    if (task === undefined) return streamResult(() => this.#request<Output>(request, resultSchema, plain));
    return streamTask<Output>({
      start: async () => {
        const answer = await this.#request<Result>(request, ResultSchema, options);
        return isCreated(answer) ? answer : { result: readWith<Output>(resultSchema, answer) };
      },
      status: (taskId) => this.getTask(taskId, plain),
      result: (taskId) => this.getTaskResult(taskId, resultSchema, plain),
      pollMs: this.#pollMs,
      signal: options.signal,
    });
  }

  /** Throws at once for a request that the client cannot be sent. */
  createMessageStream(params: CreateMessageRequestParams, options?: RequestOptions): Stream<CreateMessageResult> {
    const fault = samplingFault(params, this.#server.getClientCapabilities());
    if (fault !== undefined) throw new Error(fault);
    const request = { method: 'sampling/createMessage', params };
    return this.requestStream(request, CreateMessageResultSchema, options);
  }

  /** Throws at once for a mode of elicitation that the client has not declared. */
  elicitInputStream(
    params: ElicitRequestFormParams | ElicitRequestURLParams,
    options?: RequestOptions,
  ): Stream<ElicitResult> {
    const { elicitation } = this.#server.getClientCapabilities() ?? {};
    const mode = params.mode ?? 'form';
    const isDeclared =
      mode === 'url'
        ? elicitation?.url !== undefined
        : elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
    if (!isDeclared) throw new Error(`Client does not support ${mode} elicitation.`);
    const request = { method: 'elicitation/create', params: { ...params, mode } };
    return this.requestStream(request, ElicitResultSchema, options);
  }

  getTask(taskId: string, options?: RequestOptions): Promise<GetTaskResult> {
    const request = { method: 'tasks/get', params: { taskId } };
    return this.#request(request, GetTaskResultSchema, options);
  }

  /** Waits for the end of a task and returns its result. */
  getTaskResult<T extends AnySchema = typeof ResultSchema>(
    taskId: string,
    resultSchema?: T,
    options?: RequestOptions,
  ): Promise<SchemaOutput<T>> {
    const request = { method: 'tasks/result', params: { taskId } };
    return this.#request(request, resultSchema ?? ResultSchema, options);
  }

  listTasks(cursor?: string, options?: RequestOptions): Promise<ListTasksResult> {
    const request = { method: 'tasks/list', ...(cursor && { params: { cursor } }) };
    return this.#request(request, ListTasksResultSchema, options);
  }

  cancelTask(taskId: string, options?: RequestOptions): Promise<CancelTaskResult> {
    const request = { method: 'tasks/cancel', params: { taskId } };
    return this.#request(request, CancelTaskResultSchema, options);
  }

  async #request<T>(request: Request, resultSchema: AnySchema, options: RequestOptions | undefined): Promise<T> {
    return readWith<T>(resultSchema, await this.#server.request(request, undefined, options));
  }
}
