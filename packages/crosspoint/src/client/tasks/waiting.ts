import { isJsonObject, type ErrorObject, type JsonObject } from '../../jsonrpc/message.ts';
import { pause, type Clock } from '../../peer/clock.ts';
import { ProtocolError, TransportError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import { isTask, isTerminal, type Task } from '../../protocol/tasks.ts';
import { withoutEnvelope } from '../../revisions/meta-keys.ts';
import { untilAborted } from '../calls/abort.ts';
import { within } from '../calls/deadline.ts';
import type { RequestOptions } from '../calls/request-options.ts';
import type { TaskGeneration } from './generation.ts';

export interface WaitOptions {
  /** Ends the wait; the task continues. */
  readonly signal?: AbortSignal | undefined;
  /** Called with every status that is read. */
  readonly onstatus?: ((task: Task) => void) | undefined;
  /** Longest wait in milliseconds; 0 or absent: as long as the task takes. */
  readonly maxTotalTimeout?: number | undefined;
}

export interface WaitingPort {
  readonly clock: Clock;
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  answer(ask: Ask, signal: AbortSignal | undefined): Promise<JsonObject>;
  readError(error: ErrorObject): ProtocolError;
}

/** Poll interval when the server names none. */
const POLL_MS = 1000;
/** Bounds for the poll interval that a server names. */
const MIN_POLL_MS = 20;
const MAX_POLL_MS = 60_000;
/** The shortest interval grows with the time waited: to 1/20 of it, at most to one second. */
const WAITED_SHARE = 20;
const MOST_WAITED_SHARE_MS = 1000;
/** Most questions that one task may ask. */
const MAX_QUESTIONS = 1000;

/** The task in a result, without the members that belong to the answer. Throws `invalid-result` where there is none. */
export function readTask(method: string, value: JsonObject): Task & JsonObject {
  if (!isTask(value))
    throw new TransportError('invalid-result', `The result of ${method} is not a valid task.`, {
      method,
      result: value,
    });
  const { resultType: _, ...task } = withoutEnvelope(value);
  return task as Task & JsonObject;
}

/**
 * Waits for the result that the call would have had, or for its error. Polls at the server's interval and answers the questions of the
 * task.
 */
export function waitForTask(
  port: WaitingPort,
  generation: TaskGeneration,
  task: Task,
  options: WaitOptions,
): Promise<JsonObject> {
  const { clock } = port;
  const { maxTotalTimeout: totalMs = 0, signal, onstatus } = options;
  const deadline = { clock, what: `The task ${task.taskId}`, totalMs, startedAt: clock.now(), signal };
  return within(deadline, (own) => {
    const wait = new Wait(port, own, onstatus);
    return generation === 'core' ? wait.fetch(task) : wait.follow(task);
  });
}

class Wait {
  readonly #port: WaitingPort;
  readonly #signal: AbortSignal | undefined;
  readonly #onstatus: WaitOptions['onstatus'];
  readonly #startedAt: number;

  constructor(port: WaitingPort, signal: AbortSignal | undefined, onstatus: WaitOptions['onstatus']) {
    this.#port = port;
    this.#startedAt = port.clock.now();
    this.#signal = signal;
    this.#onstatus = onstatus;
  }

  /** `core` tasks: `tasks/result` returns the result, and the questions of the task arrive while it is pending. */
  async fetch(first: Task): Promise<JsonObject> {
    let task = first;
    while (task.status === 'working') task = await this.#next(task);
    const options = { signal: this.#signal, timeout: 0, maxTotalTimeout: 0, replay: true };
    return this.#port.request('tasks/result', { taskId: task.taskId }, options);
  }

  /** Tasks of the extension: result and questions are members of the task. */
  async follow(first: Task): Promise<JsonObject> {
    const answered = new Set<string>();
    let task: Task & { inputRequests?: unknown; result?: unknown; error?: unknown } = first;
    for (;;) {
      if (isTerminal(task.status)) return this.#outcome(task);
      if (task.status === 'input_required' && task.inputRequests !== undefined) await this.#answer(task, answered);
      task = await this.#next(task);
    }
  }

  #outcome(task: Task & { result?: unknown; error?: unknown }): JsonObject {
    const { status, taskId } = task;
    if (status === 'completed' && isJsonObject(task.result)) return task.result;
    if (status === 'failed' && isJsonObject(task.error))
      throw this.#port.readError(task.error as object as ErrorObject);
    if (status === 'cancelled')
      throw new ProtocolError('other', `The task ${taskId} was cancelled${because(task)}.`, { taskId });
    throw new TransportError('invalid-result', `The task ${taskId} is ${status}, but has no result or error.`, {
      taskId,
    });
  }

  /** Answers each question once, however often the task lists it. */
  async #answer(task: Task & { inputRequests?: unknown }, answered: Set<string>): Promise<void> {
    const signal = this.#signal;
    const asked = isJsonObject(task.inputRequests) ? Object.entries(task.inputRequests) : [];
    const open = asked.filter(([key]) => !answered.has(key));
    if (open.length === 0) return;
    if (answered.size + open.length > MAX_QUESTIONS)
      throw new TransportError('invalid-result', `The task ${task.taskId} asks more than ${MAX_QUESTIONS} questions.`, {
        taskId: task.taskId,
      });
    for (const [key] of open) answered.add(key);
    const answering = Promise.all(
      open.map(async ([key, ask]) => [key, await this.#port.answer(readAsk(task, ask), signal)] as const),
    );
    const answers = await untilAborted(answering, `The task ${task.taskId}`, signal);
    const params = { taskId: task.taskId, inputResponses: Object.fromEntries(answers) };
    await this.#port.request('tasks/update', params, { signal });
  }

  async #next(task: Task): Promise<Task & JsonObject> {
    const { clock } = this.#port;
    const signal = this.#signal;
    await pause(this.#interval(task), clock, signal);
    const next = readTask('tasks/get', await this.#port.request('tasks/get', { taskId: task.taskId }, { signal }));
    this.#onstatus?.(next);
    return next;
  }

  #interval({ pollIntervalMs = POLL_MS }: Task): number {
    const waited = this.#port.clock.now() - this.#startedAt;
    const shortest = Math.max(MIN_POLL_MS, Math.min(waited / WAITED_SHARE, MOST_WAITED_SHARE_MS));
    return Math.min(Math.max(pollIntervalMs, shortest), MAX_POLL_MS);
  }
}

function readAsk({ taskId }: Task, value: unknown): Ask {
  const { method, params = {} } = isJsonObject(value) ? value : {};
  if (typeof method !== 'string' || !isJsonObject(params))
    throw new TransportError('invalid-result', `The task ${taskId} has an invalid question.`, {
      taskId,
      question: value,
    });
  return { method: method as Ask['method'], params };
}

function because({ statusMessage }: Task): string {
  return statusMessage === undefined ? '' : `: ${statusMessage}`;
}
