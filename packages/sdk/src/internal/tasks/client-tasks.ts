import type { AnyObjectSchema, AnySchema, SchemaOutput } from '../../server/zod-compat.ts';
import type { ResponseMessage } from '../../shared/responseMessage.ts';
import {
  CallToolResultSchema,
  type CallToolRequest,
  type CancelTaskResult,
  type ClientRequest,
  type CompatibilityCallToolResultSchema,
  type GetTaskResult,
  type ListTasksResult,
  type Notification,
  type Request,
  type Result,
  type ServerCapabilities,
} from '../../types.ts';
import type { KnownTools } from '../client/known-tools.ts';
import type { RequestOptions } from '../shared/protocol-options.ts';

type Stream<T> = AsyncGenerator<ResponseMessage<SchemaOutput<T> & Result>, void, void>;

/** The used members of a client, some of which are not public. */
interface TaskClient<RequestT extends Request> {
  readonly _knownTools: KnownTools;
  getServerCapabilities(): ServerCapabilities | undefined;
  requestStream<T extends AnySchema>(
    request: ClientRequest | RequestT,
    resultSchema: T,
    options?: RequestOptions,
  ): Stream<T>;
  getTask(params: { taskId: string }, options?: RequestOptions): Promise<GetTaskResult>;
  getTaskResult<T extends AnySchema>(
    params: { taskId: string },
    resultSchema: T,
    options?: RequestOptions,
  ): Promise<SchemaOutput<T>>;
  listTasks(params?: { cursor?: string }, options?: RequestOptions): Promise<ListTasksResult>;
  cancelTask(params: { taskId: string }, options?: RequestOptions): Promise<CancelTaskResult>;
}

/** `client.experimental.tasks`: calls that become tasks, and the tasks of a server. */
export class ExperimentalClientTasks<
  RequestT extends Request = Request,
  _NotificationT extends Notification = Notification,
  _ResultT extends Result = Result,
> {
  readonly #client: TaskClient<RequestT>;

  constructor(client: object) {
    this.#client = client as TaskClient<RequestT>;
  }

  /** Calls a tool, as a task where the tool is known to support one; a result that breaks the tool's output schema ends in an error. */
  async *callToolStream<T extends typeof CallToolResultSchema | typeof CompatibilityCallToolResultSchema>(
    params: CallToolRequest['params'],
    resultSchema: T = CallToolResultSchema as T,
    options: RequestOptions = {},
  ): Stream<T> {
    const client = this.#client;
    const hasTasks = client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
    const asTask = hasTasks && client._knownTools.canBeTask(params.name) ? { task: {} } : {};
    for await (const message of client.requestStream({ method: 'tools/call', params }, resultSchema, {
      ...asTask,
      ...options,
    })) {
      const problem = message.type === 'result' ? client._knownTools.problemOf(params.name, message.result) : undefined;
      if (problem === undefined) yield message;
      else return yield { type: 'error', error: problem };
    }
  }

  getTask(taskId: string, options?: RequestOptions): Promise<GetTaskResult> {
    return this.#client.getTask({ taskId }, options);
  }

  getTaskResult<T extends AnyObjectSchema>(
    taskId: string,
    resultSchema?: T,
    options?: RequestOptions,
  ): Promise<SchemaOutput<T>> {
    return this.#client.getTaskResult({ taskId }, resultSchema as T, options);
  }

  listTasks(cursor?: string, options?: RequestOptions): Promise<ListTasksResult> {
    return this.#client.listTasks(cursor ? { cursor } : undefined, options);
  }

  cancelTask(taskId: string, options?: RequestOptions): Promise<CancelTaskResult> {
    return this.#client.cancelTask({ taskId }, options);
  }

  requestStream<T extends AnyObjectSchema>(
    request: ClientRequest | RequestT,
    resultSchema: T,
    options?: RequestOptions,
  ): Stream<T> {
    return this.#client.requestStream(request, resultSchema, options);
  }
}
