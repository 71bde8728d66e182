import type { ErrorObject, JsonObject } from '../../jsonrpc/message.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { isTerminal, type Task } from '../../protocol/tasks.ts';
import { asError } from '../../runtime/guard.ts';
import type { Link } from '../connecting/link.ts';
import type { CallToolOptions, RequestOptions } from '../calls/request-options.ts';
import type { ServerFacts } from '../connecting/server-facts.ts';
import { taskGeneration, type TaskGeneration } from './generation.ts';
import { readTask, waitForTask, type WaitOptions } from './waiting.ts';
import type { Engine } from '../engine.ts';

/** The tasks of a server, in either generation. */
export class ClientTasks {
  readonly #engine: Engine;
  /** The server facts that `#mayAsk` was computed from. */
  #told: ServerFacts | undefined;
  #mayAsk = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get generation(): TaskGeneration | undefined {
    return taskGeneration(this.#engine.link, this.#engine.facts.capabilities);
  }

  /** Whether a tool call may ask to become a task. */
  get mayAsk(): boolean {
    const { server } = this.#engine.link;
    if (server === undefined) return false;
    // Every call reads this; it is computed once per server facts.
    if (server !== this.#told) {
      this.#mayAsk = this.generation === 'core' && hasCapability(server.capabilities, 'tasks.requests.tools.call');
      this.#told = server;
    }
    return this.#mayAsk;
  }

  async get(taskId: string, options?: RequestOptions): Promise<Task & JsonObject> {
    this.#need();
    return readTask('tasks/get', await this.#engine.calls.request('tasks/get', { taskId }, options));
  }

  /** Cancels a task and returns its status. The extension only records the wish, and the task may still end otherwise. */
  async cancel(taskId: string, options?: RequestOptions): Promise<Task & JsonObject> {
    const generation = this.#need();
    const answer = await this.#engine.calls.request('tasks/cancel', { taskId }, options);
    return generation === 'core' ? readTask('tasks/cancel', answer) : this.get(taskId, options);
  }

  /** Waits for the result that the call would have had without a task. */
  async wait(task: Task, options: WaitOptions = {}): Promise<JsonObject> {
    const generation = this.#need();
    const { link, clock } = this.#engine;
    return waitForTask(
      {
        clock,
        request: (method, params, settings) => this.#engine.calls.request(method, params, settings),
        answer: (ask, signal) => this.#engine.answering.answer(ask, { requestId: task.taskId, signal }),
        readError: (error) => this.#readError(link, error),
      },
      generation,
      task,
      { ...options, onstatus: this.#contained(options.onstatus) },
    );
  }

  /** Like `wait`, for a call that became a task: if waiting fails, the task is cancelled, because no handle to it exists. */
  async finish(task: Task, options: CallToolOptions): Promise<JsonObject> {
    try {
      this.#contained(options.onstatus)?.(task);
      return await this.wait(task, options);
    } catch (error) {
      if (!isTerminal(task.status) && !(error instanceof ProtocolError))
        this.#engine.calls
          .request('tasks/cancel', { taskId: task.taskId })
          .catch((problem: unknown) => this.#report(problem));
      throw error;
    }
  }

  #need(): TaskGeneration {
    const { generation } = this;
    if (generation === undefined)
      throw new ProtocolError('method-not-found', 'This server has no tasks in the protocol revision in use.');
    return generation;
  }

  /** A status callback that throws ends neither the wait nor the task. */
  #contained(onstatus: WaitOptions['onstatus']): WaitOptions['onstatus'] {
    if (onstatus === undefined) return undefined;
    return (task) => this.#engine.guard(() => onstatus(task));
  }

  #readError({ revision }: Link, error: ErrorObject): ProtocolError {
    const read = revision?.readError(error);
    return read === undefined
      ? new ProtocolError('other', error.message, error.data)
      : new ProtocolError(read.kind, read.message, read.data, { code: read.code });
  }

  /** A task that has ended cannot be cancelled; that refusal is not reported. */
  #report(problem: unknown): void {
    if (!(problem instanceof ProtocolError)) this.#engine.onproblem(asError(problem));
  }
}
