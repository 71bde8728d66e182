import { isJsonObject, type ErrorObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { isTerminal } from '../../protocol/tasks.ts';
import { asError, attempt } from '../../runtime/guard.ts';
import { acquireLease, type Lease } from '../../stores/lease.ts';
import { memoryStoreWithin } from '../../stores/memory.ts';
import type { Holding } from '../../stores/shares.ts';
import type { Store } from '../../stores/store.ts';
import type { JournalEntry } from '../asking/replay/journal.ts';
import type { ServerContext } from '../calls/context.ts';
import type { ServerCore } from '../core.ts';
import { holdHeavy, isLight, refuseHeavy } from '../callers/open-bytes.ts';
import { leftBy } from '../callers/left-by.ts';
import { roughSize } from '../callers/rough-size.ts';
import { TaskBroadcast } from './task-broadcast.ts';
import { keptCaller } from './task-caller.ts';
import type { Generation } from './generation-of.ts';
import { leaseTimers } from './background.ts';
import { TaskNews, type TaskWatch } from './task-news.ts';
import { taskRules, type TaskEvent, type TaskOptions, type TaskRules, type ToolTaskOptions } from './task-options.ts';
import { newTaskId, outstanding, type KeptQuestion, type TaskRecord } from './task-record.ts';
import { TaskRunner } from './task-runner.ts';
import { TaskShelf, shareOf, type KeptStep, type KeptTask } from './task-shelf.ts';

/** A task that was made and does not run yet: `launch` it once its caller has been answered, or `discard` it. */
export interface NewTask {
  readonly record: TaskRecord;
  launch(): void;
  discard(): Promise<void>;
}

export interface TaskRequest {
  readonly generation: Generation;
  readonly options: ToolTaskOptions;
  /** The answers and steps of the call before it became a task. */
  readonly past: Readonly<Record<string, JournalEntry>>;
}

/** The tasks of one server: made, read, answered and cancelled by their callers. */
export class TaskService {
  readonly core: ServerCore;
  readonly rules: TaskRules;
  readonly news: TaskNews;
  readonly #options: TaskOptions;
  readonly #shelf: TaskShelf;
  readonly #runner: TaskRunner;
  readonly #broadcast: TaskBroadcast;
  /** Running tasks with long arguments, and their counts. */
  readonly #heavy = new Map<string, Holding>();

  constructor(core: ServerCore, options: TaskOptions, optionsOf: (record: TaskRecord) => ToolTaskOptions | undefined) {
    this.core = core;
    this.rules = taskRules(options);
    this.#options = options;
    this.#shelf = new TaskShelf(
      {
        given: () => this.#shared,
        own: () => memoryStoreWithin(core.leftBehind, { now: () => core.clock.now() }),
      },
      core.clock,
    );
    this.news = new TaskNews(this.#shelf, core.clock, (taskId) => void this.#heard(taskId));
    this.#broadcast = new TaskBroadcast(core);
    this.#shelf.onchanged = (record) => this.#changed(record);
    this.#runner = new TaskRunner({
      core,
      shelf: this.#shelf,
      news: this.news,
      rules: this.rules,
      optionsOf,
      onresumed: (record) => this.#note({ event: 'resumed', taskId: record.taskId }),
      onexpired: (taskId) => this.#broadcast.tell(taskId, undefined),
      onover: (taskId) => this.#release(taskId),
      onended: ({ taskId, status }) => this.#note({ event: 'ended', taskId, status }),
    });
    this.startSweeping();
  }

  get #shared(): Store | undefined {
    return this.#options.store ?? this.core.store();
  }

  /** Looks for tasks whose node is gone, once there is a shared store. */
  startSweeping(): void {
    if (this.#shared !== undefined) this.#runner.startSweeping();
  }

  /** Stops all runs. Tasks in a shared store continue on other nodes, or here after a restart. */
  async stop(): Promise<void> {
    this.#runner.stopAll();
    await this.news.stop();
  }

  async create(ctx: ServerContext, { generation, options, past }: TaskRequest): Promise<NewTask> {
    await this.news.start();
    this.startSweeping();
    const owner = leftBy(ctx);
    const share = shareOf(owner);
    const { maxPerCaller } = this.rules;
    if (await this.#shelf.isFull(share, maxPerCaller))
      throw new ProtocolError('rate-limited', `No more than ${maxPerCaller} tasks at a time.`, {
        retryAfterMs: this.rules.pollIntervalMs,
      });
    const bytes = roughSize(ctx.inbound.params);
    refuseHeavy(this.core.leftBehind, owner, bytes);
    const record = this.#newRecord(ctx, share, { generation, options, past });
    const { taskId } = record;
    const lease = await this.#runner.reserve(taskId);
    for (const [name, entry] of Object.entries(past))
      if (name.startsWith('s:')) await this.#shelf.keepStep(taskId, name.slice(2), entry, record.ttlMs);
    const kept = await this.#shelf.add(record, this.#options.list === true);
    this.#hold(taskId, owner, bytes);
    this.#note({ event: 'created', taskId, status: record.status }, ctx);
    return {
      record,
      launch: () => this.#launch({ kept, lease, past }, ctx, generation),
      discard: async () => {
        this.#release(taskId);
        await this.#shelf.remove(record);
        await lease.release();
      },
    };
  }

  /** Counts a running task with long arguments. When callers hold too much, a task of the caller with the most is cancelled. */
  #hold(taskId: string, owner: string, bytes: number): void {
    if (isLight(bytes)) return;
    const end = (): void =>
      attempt(
        () => this.cancel(taskId, 'The task was cancelled: its caller holds too much memory of the server.'),
        (problem) => this.core.onproblem(problem),
      );
    const heavy = holdHeavy(this.core.leftBehind, owner, bytes, end);
    if (heavy) this.#heavy.set(taskId, heavy);
  }

  #release(taskId: string): void {
    const heavy = this.#heavy.get(taskId);
    if (heavy === undefined) return;
    this.#heavy.delete(taskId);
    this.core.leftBehind.release(heavy);
  }

  #launch(
    { kept, lease, past }: { kept: KeptTask; lease: Lease; past: TaskRequest['past'] },
    ctx: ServerContext,
    generation: Generation,
  ): void {
    const session = generation === 'core' ? ctx.call.edge : undefined;
    if (session) this.#broadcast.follow(kept.record, session);
    const { authInfo, requestInfo, clientAddress: address } = ctx;
    const extra = { authInfo, requestInfo, address, principal: kept.record.owner };
    const steps = Object.entries(past).flatMap(([name, entry]): [string, KeptStep][] =>
      name.startsWith('s:') ? [[name.slice(2), { begun: 1, record: entry }]] : [],
    );
    this.#runner.launch(kept, lease, { session, sessionId: ctx.sessionId, extra }, new Map(steps));
  }

  #newRecord(ctx: ServerContext, share: string, { generation, options, past }: TaskRequest): TaskRecord {
    const { inbound, facts, revision } = ctx;
    const { task: wish, requestState: _state, inputResponses: _answers, ...params } = inbound.params;
    const now = this.core.clock.now();
    const caller = keptCaller(ctx.authInfo);
    const questions = Object.entries(past).flatMap(([name, { d, a }]): [string, KeptQuestion][] =>
      name.startsWith('q:') && d !== undefined && a
        ? [[name.slice(2), { digest: d, ask: { method: 'elicitation/create', params: {} }, answer: a }]]
        : [],
    );
    return {
      taskId: newTaskId(),
      status: 'working',
      createdAt: now,
      updatedAt: now,
      ttlMs: this.#ttl(generation === 'core' ? wish : undefined, options),
      pollIntervalMs: options.pollIntervalMs ?? this.rules.pollIntervalMs,
      owner: ctx.principal ?? null,
      share,
      leftBy: leftBy(ctx),
      run: crypto.randomUUID(),
      call: {
        method: inbound.method,
        params,
        revision: revision.id,
        facts,
        ...(inbound.progressToken !== undefined && { progressToken: inbound.progressToken }),
        ...(caller && { caller }),
      },
      questions: Object.fromEntries(questions),
      // In their places from the beginning: adding a member to a copy takes longer than setting one.
      statusMessage: undefined,
      progress: undefined,
      result: undefined,
      error: undefined,
    };
  }

  #ttl(wish: unknown, options: ToolTaskOptions): number {
    const wanted = isJsonObject(wish) ? wish['ttl'] : undefined;
    if (wanted === undefined || wanted === null)
      return Math.min(options.ttlMs ?? this.rules.ttlMs, this.rules.maxTtlMs);
    if (typeof wanted !== 'number' || !(wanted > 0))
      throw new ProtocolError(
        'invalid-params',
        `The ttl of a task must be a positive number of milliseconds, not ${JSON.stringify(wanted).slice(0, 40)}.`,
      );
    return Math.ceil(Math.min(wanted, this.rules.maxTtlMs));
  }

  // ---- for those whose tasks they are

  /** Finds a task of the caller. A task of another caller is treated as unknown. */
  async read(taskId: unknown, ctx: ServerContext): Promise<TaskRecord> {
    if (typeof taskId !== 'string') throw new ProtocolError('invalid-params', `${ctx.inbound.method} needs a taskId.`);
    const record = await this.#shelf.find(taskId);
    if (record === undefined || !this.#mayRead(record, ctx)) {
      this.#note({ event: 'refused', taskId: taskId.slice(0, 200) }, ctx);
      throw new ProtocolError('invalid-params', 'Task not found: it never was, has expired, or is not yours.');
    }
    this.#note({ event: 'read', taskId, status: record.status }, ctx);
    if (isTerminal(record.status) || this.#runner.isRunning(taskId)) return record;
    await this.#runner.adopt(taskId);
    return (await this.#shelf.find(taskId)) ?? record;
  }

  #mayRead({ owner }: TaskRecord, ctx: ServerContext): boolean {
    return owner === (ctx.principal ?? null);
  }

  /** The tasks among these that are the caller's. */
  async known(taskIds: readonly string[], ctx: ServerContext): Promise<readonly string[]> {
    const records = await Promise.all(taskIds.map((taskId) => this.#shelf.find(taskId)));
    return records.flatMap((record) => (record && this.#mayRead(record, ctx) ? [record.taskId] : []));
  }

  async list(
    ctx: ServerContext,
    after: string | undefined,
    limit: number,
  ): Promise<{ records: readonly TaskRecord[]; next: string | undefined }> {
    const places = await this.#shelf.list(ctx.principal ?? null, after, limit + 1);
    const page = places.slice(0, limit);
    const found = await Promise.all(page.map((place) => this.#shelf.find(place.slice(place.indexOf(':') + 1))));
    const records = found.flatMap((record) => (record ? [record] : []));
    return { records, next: places.length > limit ? page.at(-1) : undefined };
  }

  /** Answers open questions; other answers are ignored. */
  async answer(taskId: string, answers: JsonObject): Promise<void> {
    await this.#settleQuestions(taskId, (key) => {
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      return isJsonObject(answer) ? { answer } : undefined;
    });
  }

  /** Records that the client refuses to answer a question. */
  async refuse(taskId: string, refused: string, error: ErrorObject): Promise<void> {
    await this.#settleQuestions(taskId, (key) => (key === refused ? { error } : undefined));
  }

  async #settleQuestions(
    taskId: string,
    settled: (key: string) => Pick<KeptQuestion, 'answer' | 'error'> | undefined,
  ): Promise<void> {
    await this.#shelf.change(taskId, (record) => {
      const ends = outstanding(record).flatMap(([key, question]): [string, KeptQuestion][] => {
        const end = settled(key);
        return end ? [[key, { ...question, ...end }]] : [];
      });
      if (ends.length === 0) return undefined;
      const questions = { ...record.questions, ...Object.fromEntries(ends) };
      const isDone = outstanding({ ...record, questions }).length === 0;
      return { questions, ...(isDone && { status: 'working' as const }) };
    });
  }

  /** Cancels a task; `undefined` when it had ended already. */
  async cancel(taskId: string, statusMessage = 'The task was cancelled by request.'): Promise<TaskRecord | undefined> {
    const cancelled = await this.#shelf.change(taskId, () => ({
      status: 'cancelled',
      statusMessage,
      run: null,
    }));
    if (cancelled === undefined) return undefined;
    this.#runner.stop(taskId, 'The client cancelled the task.', true);
    await this.#shelf.settle(cancelled, true);
    this.#note({ event: 'ended', taskId, status: 'cancelled' });
    return cancelled;
  }

  async follow(taskId: string): Promise<TaskWatch> {
    await this.news.start();
    return this.news.watch(taskId);
  }

  /** Sends the state of these tasks to their listeners, now and whenever it changes. */
  async push(taskIds: readonly string[]): Promise<void> {
    await this.news.start();
    for (const taskId of taskIds) {
      this.#broadcast.listenTo(taskId);
      await this.#heard(taskId);
    }
  }

  /** Takes the right to send a question to the client; `undefined` when another node has it. */
  claimQuestion(taskId: string, key: string): Promise<Lease | undefined> {
    return acquireLease(this.#shelf.store, this.#shelf.questionLease(taskId, key), {
      ttlMs: this.rules.leaseMs,
      holder: key,
      ...leaseTimers(this.core.clock),
    });
  }

  /** Announces a change made here. */
  #changed(record: TaskRecord): void {
    this.news.wake(record.taskId);
    this.#broadcast.tell(record.taskId, record);
  }

  /** Announces a change made by another node. */
  async #heard(taskId: string): Promise<void> {
    const isRunning = this.#runner.isRunning(taskId);
    if (!isRunning && !this.#broadcast.concerns(taskId)) return;
    try {
      const record = await this.#shelf.find(taskId);
      if (record?.status === 'cancelled') this.#runner.stop(taskId, 'The client cancelled the task.', true);
      this.#broadcast.tell(taskId, record);
    } catch (error) {
      this.core.onproblem(asError(error));
    }
  }

  #note(event: TaskEvent, ctx?: ServerContext): void {
    const principal = ctx?.principal;
    attempt(
      () => this.#options.onevent?.(principal === undefined ? event : { ...event, principal }),
      (problem) => this.core.onproblem(problem),
    );
  }
}
