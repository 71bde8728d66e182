import type { JsonObject } from '../../jsonrpc/message.ts';
import { META_IMMEDIATE_RESPONSE } from '../../protocol/meta.ts';
import { isTerminal, type Task } from '../../protocol/tasks.ts';
import type { CallToolResult } from '../../protocol/tools.ts';
import type { Clock } from '../../peer/clock.ts';
import { untilAborted } from '../calls/abort.ts';
import { within } from '../calls/deadline.ts';
import type { ClientTasks } from './client-tasks.ts';
import type { WaitOptions } from './waiting.ts';

/** A started tool call: read its status, wait for it, cancel it, find it again by its id. */
export interface TaskHandle {
  /** Id for `resumeTask`, valid across restarts. `undefined` where the server answers the call directly, without a task. */
  readonly taskId: string | undefined;
  /** The task as last seen. */
  readonly task: Task | undefined;
  /** Text for the model until the result is there, if the server sent one. */
  readonly immediateResponse: string | undefined;
  /** Asks the server for the present status; `undefined` where there is no task. */
  status(options?: { signal?: AbortSignal | undefined }): Promise<Task | undefined>;
  /** Resolves with the result of the call, or rejects with its error. May be called repeatedly, also after the connection was lost. */
  wait(options?: WaitOptions): Promise<CallToolResult>;
  cancel(): Promise<void>;
}

export interface TaskSide {
  /** Checks the result against the tool's output schema. */
  check(result: JsonObject): void;
  /** Called when the task has ended. */
  over(): void;
  /** Called with every status that is read while the task is waited for. */
  onstatus?: ((task: Task) => void) | undefined;
}

const NOTHING: TaskSide = { check() {}, over() {} };

/** Handle of a task that the server created. */
export class StartedTask implements TaskHandle {
  readonly #tasks: ClientTasks;
  readonly #side: TaskSide;
  #task: (Task & { _meta?: unknown }) | undefined;
  readonly taskId: string;
  readonly immediateResponse: string | undefined;

  constructor(tasks: ClientTasks, task: (Task & JsonObject) | string, side: TaskSide = NOTHING) {
    this.#tasks = tasks;
    this.#side = side;
    this.#task = typeof task === 'string' ? undefined : task;
    this.taskId = typeof task === 'string' ? task : task.taskId;
    const meta = this.#task?._meta as JsonObject | undefined;
    const told = meta?.[META_IMMEDIATE_RESPONSE];
    this.immediateResponse = typeof told === 'string' ? told : undefined;
  }

  get task(): Task | undefined {
    return this.#task;
  }

  async status(options: { signal?: AbortSignal | undefined } = {}): Promise<Task> {
    return (this.#task = await this.#tasks.get(this.taskId, options));
  }

  async wait(options: WaitOptions = {}): Promise<CallToolResult> {
    const seen = (task: Task): void => {
      this.#task = task;
      this.#side.onstatus?.(task);
      options.onstatus?.(task);
    };
    const known = this.#task;
    // A terminal task is fetched again: the status may be old, or lack the result.
    const task = known === undefined || isTerminal(known.status) ? await this.status(options) : known;
    const result = await this.#tasks.wait(task, { ...options, onstatus: seen });
    this.#side.over();
    this.#side.check(result);
    return result as object as CallToolResult;
  }

  async cancel(): Promise<void> {
    this.#task = await this.#tasks.cancel(this.taskId);
    this.#side.over();
  }
}

/** Handle of a call that the server answers directly. */
export class AnsweredCall implements TaskHandle {
  readonly taskId = undefined;
  readonly task = undefined;
  readonly immediateResponse = undefined;
  readonly #result: Promise<CallToolResult>;
  readonly #abort: AbortController;
  readonly #clock: Clock;

  constructor(result: Promise<JsonObject>, abort: AbortController, clock: Clock) {
    this.#result = result as Promise<object> as Promise<CallToolResult>;
    this.#abort = abort;
    this.#clock = clock;
    // The rejection reaches the callers of `wait`; without one it must not count as unhandled.
    this.#result.catch(() => {});
  }

  async status(): Promise<undefined> {}

  wait({ signal, maxTotalTimeout: totalMs = 0 }: WaitOptions = {}): Promise<CallToolResult> {
    const clock = this.#clock;
    const what = 'The wait for the call';
    return within({ clock, what, totalMs, startedAt: clock.now(), signal }, (own) =>
      untilAborted(this.#result, what, own),
    );
  }

  async cancel(): Promise<void> {
    this.#abort.abort();
  }
}
