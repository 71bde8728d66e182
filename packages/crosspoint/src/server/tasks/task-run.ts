import type { JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError, TransportError, isProtocolError, toProtocolError } from '../../protocol/errors.ts';
import type { Progress } from '../../peer/progress.ts';
import type { Ask } from '../../protocol/outcome.ts';
import { isTerminal } from '../../protocol/tasks.ts';
import { asError } from '../../runtime/guard.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { MessageExtraInfo } from '../../transports/transport.ts';
import type { Asker, AskerPort, StepOptions } from '../asking/asker.ts';
import { Journal, type JournalEntry } from '../asking/replay/journal.ts';
import { Steps, type StepRecord } from '../asking/steps.ts';
import { Call } from '../calls/call.ts';
import { ServerContext } from '../calls/context.ts';
import type { ServerCore } from '../core.ts';
import type { AskOptions, Edge } from '../calls/edge.ts';
import type { RequestHandler } from '../calls/handler.ts';
import { later } from './background.ts';
import { TaskAsker } from './task-asker.ts';
import { TaskEdge, type TaskOwner } from './task-edge.ts';
import type { TaskNews } from './task-news.ts';
import { outstanding, type TaskChange, type TaskRecord } from './task-record.ts';
import type { KeptStep, KeptTask, TaskShelf } from './task-shelf.ts';
import { callerOf } from './task-caller.ts';
import { answerLimits } from './answer-limits.ts';

export interface RunSetup {
  readonly core: ServerCore;
  readonly shelf: TaskShelf;
  readonly news: TaskNews;
  readonly record: TaskRecord;
  /** The version of the record, while it is known. */
  readonly version: string | undefined;
  readonly revision: Revision;
  readonly handler: RequestHandler;
  /** The steps of an earlier run. */
  readonly steps: ReadonlyMap<string, KeptStep>;
  /** The session that began the task, where it is on this node and its generation sends it notifications. */
  readonly session: Pick<Edge, 'notifySession'> | undefined;
  readonly sessionId: string | undefined;
  /** The request that began the task; absent after a crash, when only the name of the caller is known. */
  readonly extra: MessageExtraInfo | undefined;
  /** Called when the run is over on this node; with the record, if the task has ended. */
  onover(record: TaskRecord | undefined, hasSteps: boolean): void;
}

const RETRY_MS = 1000;

/** One run of a task on this node, from its start or from where an earlier run stopped. */
export class TaskRun implements TaskOwner {
  readonly taskId: string;
  readonly #setup: RunSetup;
  readonly #call: Call;
  /** The answers and steps of earlier runs; made when the call asks, or where there are any. */
  #journal: Journal | undefined;
  readonly #expires: number;
  readonly #expiry: unknown;
  #over = false;
  #hasStatus = false;
  #progress: Progress | undefined;
  #isKeeping = false;
  #hasSteps: boolean;
  /** The first record of the task, until it is changed here. */
  #known: KeptTask | undefined;

  constructor(setup: RunSetup) {
    const { core, record, revision, session, sessionId } = setup;
    const { call } = record;
    this.#setup = setup;
    this.taskId = record.taskId;
    const edge = new TaskEdge(core, this, { session, sessionId });
    const inbound = {
      id: record.taskId,
      method: call.method,
      params: call.params,
      facts: call.facts,
      retry: undefined,
      progressToken: call.progressToken,
    };
    const extra = setup.extra ?? { authInfo: call.caller && callerOf(call.caller), principal: record.owner };
    this.#call = new Call(edge, new ServerContext(inbound, call.facts, revision, extra));
    // The call was admitted with the request that began the task.
    this.#call.handler = setup.handler;
    this.#hasSteps = setup.steps.size > 0;
    this.#known = setup.version === undefined ? undefined : { record, version: setup.version };
    this.#expires = record.createdAt + record.ttlMs;
    this.#expiry = later(core.clock, () => this.stop('The task has expired.', true), this.#left());
  }

  start(): void {
    // Made at once where there are earlier steps or answers, so that a run that never repeats them is noticed.
    const isLater = this.#hasSteps || Object.keys(this.#setup.record.questions).length > 0;
    if (isLater && this.#openJournal().replaying) this.#call.openAsker();
    this.#call.run();
  }

  /**
   * Ends the run without changing the task. `isOver`: the task was cancelled or has expired; otherwise it belongs to another node now. The reason of the
   * signal carries it, for handlers that have begun something elsewhere.
   */
  stop(reason: string, isOver = false): void {
    if (this.#over) return;
    this.#call.end();
    this.#call.abort(new TransportError('aborted', reason, { isOver }));
    this.#leave(undefined);
  }

  // ---- TaskOwner

  async setStatus(message: string): Promise<void> {
    this.#hasStatus = true;
    try {
      await this.#change(() => ({ statusMessage: message }));
    } catch (error) {
      // Only a status message: the work goes on without it.
      this.#problem(error);
    }
  }

  /** Writes at most once in the time between two polls: nobody sees more. The last value is written with the end. */
  progressed(progress: Progress): void {
    this.#progress = progress;
    if (!this.#isKeeping) void this.#keepProgress();
  }

  async #keepProgress(): Promise<void> {
    const { core, record } = this.#setup;
    this.#isKeeping = true;
    for (let kept: Progress | undefined; this.#progress !== undefined && kept !== this.#progress && !this.#over;) {
      const progress = (kept = this.#progress);
      // A status that the program has set is more than a number.
      const isSaid = progress.message === undefined && this.#hasStatus;
      try {
        await this.#change(() => (isSaid ? { progress } : { progress, statusMessage: wordsOf(progress) }));
      } catch (error) {
        // Only progress: the work goes on without it.
        this.#problem(error);
      }
      await new Promise<void>((resolve) => later(core.clock, resolve, record.pollIntervalMs));
    }
    this.#isKeeping = false;
  }

  completed(result: JsonObject): void {
    void this.#conclude({ status: 'completed', result, run: null });
  }

  failed(error: unknown): void {
    const { revision } = this.#setup;
    if (!isProtocolError(error)) this.#problem(error);
    const written = revision.writeError(toProtocolError(error));
    void this.#conclude({ status: 'failed', statusMessage: written.message, error: written, run: null });
  }

  openAsker(port: AskerPort): Asker {
    const { clock } = this.#setup.core;
    const { graceMs, maxRounds } = this.#setup.core.rounds;
    const journal = this.#openJournal();
    return new TaskAsker(
      {
        settle: (settlement) => port.settle(settlement),
        rerun: () => port.rerun(),
        isOver: () => port.isOver(),
        maxRounds,
        ask: (key, question, options) => this.#ask(key, question, options),
        keepStep: (name, run, options) => this.#keepStep(name, run, options),
        newSteps: () => new Steps(this.taskId),
        claimed: () => journal.whenClaimed(graceMs, clock),
      },
      journal,
    );
  }

  #openJournal(): Journal {
    return (this.#journal ??= new Journal(kept(this.#setup.record, this.#setup.steps)));
  }

  // ---- inside

  async #ask(key: string, question: { digest: string; ask: Ask }, options: AskOptions): Promise<JsonObject> {
    const { news, shelf, core, revision } = this.#setup;
    const watch = news.watch(this.taskId);
    const { signal, done } = answerLimits(this.#call.signal, options, core.clock);
    try {
      await this.#persist(() =>
        this.#change(({ questions }) =>
          Object.hasOwn(questions, key)
            ? undefined
            : { status: 'input_required', questions: { ...questions, [key]: question } },
        ),
      );
      for (;;) {
        const record = await this.#persist(() => shelf.find(this.taskId));
        if (record === undefined || !this.#owns(record)) throw this.#gone();
        const { answer, error } = record.questions[key] ?? {};
        if (error) throw revision.readError(error);
        if (answer) return answer;
        await watch.changed(signal);
      }
    } catch (error) {
      if (signal.aborted && !this.#call.aborted) await this.#withdraw(key);
      throw error;
    } finally {
      done();
      watch.close();
    }
  }

  /** Withdraws a question that is no longer awaited. */
  async #withdraw(key: string): Promise<void> {
    const { revision } = this.#setup;
    const error = revision.writeError(new ProtocolError('invalid-request', 'The question was withdrawn.'));
    await this.#change((record) => {
      const question = record.questions[key];
      if (question === undefined || question.answer || question.error) return undefined;
      const others = outstanding(record).length - 1;
      return {
        questions: { ...record.questions, [key]: { ...question, error } },
        ...(others === 0 && { status: 'working' as const }),
      };
    });
  }

  /**
   * Runs a step. One that had begun before and has no end was interrupted: it runs once more, and not a third time. A step that another run has begun meanwhile
   * belongs to that run.
   */
  async #keepStep(
    name: string,
    run: () => Promise<StepRecord>,
    { interrupted = 'again' }: StepOptions = {},
  ): Promise<StepRecord> {
    const { shelf } = this.#setup;
    if (this.#over) throw this.#gone();
    this.#hasSteps = true;
    const by = crypto.randomUUID();
    const claim = await this.#persist(() => shelf.beginStep(this.taskId, name, { by, ttlMs: this.#left() }));
    if (claim === undefined) throw this.#lose();
    if (claim.begun > (interrupted === 'fail' ? 1 : 2))
      throw new ProtocolError(
        'internal',
        `The outcome of the step "${name}" is unknown: it was interrupted, and is not run again.`,
        {
          step: name,
          outcome: 'unknown',
        },
      );
    const record = await run();
    const finished = await this.#persist(() =>
      shelf.finishStep(this.taskId, name, claim, { record, ttlMs: this.#left() }),
    );
    if (finished !== true) throw this.#lose();
    return record;
  }

  #lose(): Error {
    this.stop('Another node runs the task now.');
    return this.#gone();
  }

  #gone(): TransportError {
    return new TransportError('aborted', 'The task is over.');
  }

  #owns({ run, status }: TaskRecord): boolean {
    return run === this.#setup.record.run && !isTerminal(status);
  }

  #left(): number {
    return Math.max(1, this.#expires - this.#setup.core.clock.now());
  }

  /** Ends the task. Most tasks are not changed before they end, so the first record is tried without reading. */
  #end(change: TaskChange): Promise<TaskRecord | undefined> {
    const known = this.#known;
    this.#known = undefined;
    return this.#setup.shelf.change(this.taskId, (record) => (this.#owns(record) ? change : undefined), known);
  }

  #change(change: (record: TaskRecord) => TaskChange | undefined): Promise<TaskRecord | undefined> {
    this.#known = undefined;
    return this.#setup.shelf.change(this.taskId, (record) => (this.#owns(record) ? change(record) : undefined));
  }

  async #conclude(change: TaskChange): Promise<void> {
    const progress = this.#progress;
    const ended = await this.#persist(() => this.#end(progress === undefined ? change : { ...change, progress }));
    if (this.#over) return;
    this.#leave(ended);
  }

  /** Writes, and retries while the store cannot be reached, for as long as the task belongs to this node. */
  async #persist<T>(write: () => Promise<T>): Promise<T | undefined> {
    const { core } = this.#setup;
    while (!this.#over) {
      try {
        return await write();
      } catch (error) {
        this.#problem(error);
        await new Promise<void>((resolve) => core.clock.setTimeout(resolve, RETRY_MS));
      }
    }
    return undefined;
  }

  #problem(error: unknown): void {
    this.#setup.core.onproblem(asError(error));
  }

  #leave(record: TaskRecord | undefined): void {
    this.#over = true;
    this.#setup.core.clock.clearTimeout(this.#expiry);
    this.#setup.onover(record, this.#hasSteps);
  }
}

/** Progress as a status message. */
function wordsOf({ progress, total, message }: Progress): string {
  return message ?? (total === undefined ? String(progress) : `${progress} of ${total}`);
}

/** The answers and steps of earlier runs. */
function kept({ questions }: TaskRecord, steps: ReadonlyMap<string, KeptStep>): Record<string, JournalEntry> {
  const entries: [string, JournalEntry][] = [];
  for (const [key, { digest, answer }] of Object.entries(questions))
    if (answer) entries.push([`q:${key}`, { d: digest, a: answer }]);
  for (const [name, { record }] of steps) if (record) entries.push([`s:${name}`, record]);
  return Object.fromEntries(entries);
}
