import type { JsonObject } from '../../jsonrpc/message.ts';
import { META_IMMEDIATE_RESPONSE } from '../../protocol/meta.ts';
import { isTerminal, type Task } from '../../protocol/tasks.ts';
import type { CallToolResult } from '../../protocol/tools.ts';
import type { Clock } from '../../peer/clock.ts';
import { untilAborted } from '../calls/abort.ts';
import { within } from '../calls/deadline.ts';
import type { ClientTasks } from './client-tasks.ts';
import type { WaitOptions } from './waiting.ts';

/** A tool call that goes on by itself: looked at, waited for, cancelled, and found again by its id. */
export interface TaskHandle {
  /** To be kept for `resumeTask`, also across restarts. `undefined` where the server answers the call itself, without a task. */
  readonly taskId: string | undefined;
  /** As it was last seen. */
  readonly task: Task | undefined;
  /** What a model may be told meanwhile, if the server has said. */
  readonly immediateResponse: string | undefined;
  /** Asks the server how it stands; `undefined` where there is no task. */
  status(options?: { signal?: AbortSignal | undefined }): Promise<Task | undefined>;
  /** The result of the call, or its error. May be called again, and after the connection was lost. */
  wait(options?: WaitOptions): Promise<CallToolResult>;
  cancel(): Promise<void>;
}

export interface TaskSide {
  /** Holds the result against what its tool promised. */
  check(result: JsonObject): void;
  /** The task has ended. */
  over(): void;
}

const NOTHING: TaskSide = { check() {}, over() {} };

/** Of a task that the server has made. */
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
      options.onstatus?.(task);
    };
    const known = this.#task;
    // What ended is asked for anew: the first look may have been long ago, or without its result.
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

/** Of a call that the server answers itself. */
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
    // Whoever waits is told; a failure that nobody waits for yet is no accident.
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
