import { ProtocolError } from '../../protocol/errors.ts';
import { isTerminal } from '../../protocol/tasks.ts';
import { asError } from '../../runtime/guard.ts';
import { RenewedMap } from '../../runtime/renewed-map.ts';
import type { MessageExtraInfo } from '../../transports/transport.ts';
import type { ServerCore } from '../core.ts';
import type { Edge } from '../calls/edge.ts';
import { acquireLease, leaseHolder, type Lease } from '../../stores/lease.ts';
import { later, leaseTimers } from './background.ts';
import type { TaskNews } from './task-news.ts';
import type { TaskRules, ToolTaskOptions } from './task-options.ts';
import type { TaskRecord } from './task-record.ts';
import { TaskRun } from './task-run.ts';
import type { KeptStep, TaskShelf } from './task-shelf.ts';

export interface RunnerSetup {
  readonly core: ServerCore;
  readonly shelf: TaskShelf;
  readonly news: TaskNews;
  readonly rules: TaskRules;
  /** The task options of the called tool; `undefined` when it is not offered as a task any more. */
  optionsOf(record: TaskRecord): ToolTaskOptions | undefined;
  onended(record: TaskRecord): void;
  /** Called when a run is over on this node, with any outcome. */
  onover(taskId: string): void;
  onresumed(record: TaskRecord): void;
  /** Called for a task that expired before it ended. */
  onexpired(taskId: string): void;
}

/** The origin of a run, while it is known. */
export interface Origin {
  readonly session: Pick<Edge, 'notifySession'> | undefined;
  readonly sessionId: string | undefined;
  readonly extra: MessageExtraInfo | undefined;
}

const NOWHERE: Origin = { session: undefined, sessionId: undefined, extra: undefined };

/** The lease of a task that no other process can see. */
const UNCONTESTED: Lease = {
  key: '',
  lost: new AbortController().signal,
  renew: async () => true,
  release: async () => undefined,
};

/** Runs tasks on this node, each under a lease, and takes over those whose node is gone. */
export class TaskRunner {
  readonly #setup: RunnerSetup;
  readonly #node = crypto.randomUUID();
  readonly #runs = new RenewedMap<string, { readonly run: TaskRun; readonly lease: Lease }>();
  #sweep: unknown;
  #sweepingSince: number | undefined;

  constructor(setup: RunnerSetup) {
    this.#setup = setup;
  }

  /** Reserves the right to run a new task, before any caller can know of it. */
  async reserve(taskId: string): Promise<Lease> {
    const lease = await this.#lease(taskId);
    if (lease === undefined)
      throw new ProtocolError(
        'internal',
        `The task ${taskId} could not be created: the store gave its lease to another process.`,
      );
    return lease;
  }

  launch(
    { record, version }: { readonly record: TaskRecord; readonly version?: string },
    lease: Lease,
    origin: Origin,
    steps: ReadonlyMap<string, KeptStep> = new Map(),
  ): void {
    const { core, shelf, news } = this.#setup;
    const revision = core.spoken.find(record.call.revision);
    const handler = core.handlerFor(record.call.method);
    if (revision === undefined || handler === undefined)
      return this.#inBackground(this.#giveUp(record, lease, 'What it runs is not offered any more.'));
    const run = new TaskRun({
      core,
      shelf,
      news,
      record,
      version,
      revision,
      handler,
      steps,
      ...origin,
      onover: (ended, hasSteps) => this.#inBackground(this.#over(record.taskId, ended, hasSteps)),
    });
    this.#runs.set(record.taskId, { run, lease });
    run.start();
  }

  isRunning(taskId: string): boolean {
    return this.#runs.get(taskId) !== undefined;
  }

  /** Stops the run of a task. */
  stop(taskId: string, reason: string, isOver = false): void {
    this.#runs.get(taskId)?.run.stop(reason, isOver);
  }

  /** Stops all runs on this node; other nodes may take over those that can continue. */
  stopAll(): void {
    this.#setup.core.clock.clearTimeout(this.#sweep);
    this.#sweepingSince = undefined;
    for (const [, { run }] of this.#runs) run.stop('The server is closing.');
  }

  /** Looks periodically for tasks whose node is gone. */
  startSweeping(): void {
    if (this.#sweepingSince !== undefined) return;
    this.#sweepingSince = this.#setup.core.clock.now();
    this.#nextSweep(0);
  }

  #nextSweep(ms: number): void {
    const { core, rules } = this.#setup;
    const sweep = (): void =>
      void this.#sweepOnce().finally(() => {
        if (this.#sweepingSince !== undefined) this.#nextSweep(rules.leaseMs / 2);
      });
    this.#sweep = later(core.clock, sweep, ms);
  }

  async #sweepOnce(): Promise<void> {
    const { core, shelf } = this.#setup;
    try {
      for (const taskId of await shelf.working()) await this.adopt(taskId);
    } catch (error) {
      core.onproblem(asError(error));
    }
  }

  /** Takes over a task without a run: it continues where its steps allow that, and otherwise fails. */
  async adopt(taskId: string): Promise<void> {
    const { shelf, news } = this.#setup;
    if (this.isRunning(taskId)) return;
    if ((await leaseHolder(shelf.store, shelf.runLease(taskId))) !== undefined) return;
    await news.start();
    const lease = await this.#lease(taskId);
    if (lease === undefined) return;
    try {
      await this.#take(taskId, lease);
    } catch (error) {
      // The next node finds it unchanged.
      await lease.release();
      throw error;
    }
  }

  async #take(taskId: string, lease: Lease): Promise<void> {
    const { shelf } = this.#setup;
    const run = crypto.randomUUID();
    const taken = await shelf.change(taskId, ({ status }) => (isTerminal(status) ? undefined : { run }));
    if (taken === undefined) return this.#tidy(taskId, lease);
    const steps = await shelf.steps(taskId);
    const options = this.#setup.optionsOf(taken);
    const { core, rules } = this.#setup;
    // Programs may still be registering their tools.
    const young = core.clock.now() - (this.#sweepingSince ?? 0) < 2 * rules.leaseMs;
    if (options === undefined && young && this.#sweepingSince !== undefined) return lease.release();
    if (options === undefined || core.spoken.find(taken.call.revision) === undefined)
      return this.#giveUp(taken, lease, 'What it runs is not offered any more.');
    if (steps.size === 0 && Object.keys(taken.questions).length === 0 && options.resume !== true)
      return this.#giveUp(taken, lease, 'The server stopped while it ran, and it has no steps to go on from.');
    this.#setup.onresumed(taken);
    this.launch({ record: taken }, lease, NOWHERE, steps);
  }

  /** Cleans up after a task that has ended: its node may have died before it did so itself. */
  async #tidy(taskId: string, lease: Lease): Promise<void> {
    const record = await this.#setup.shelf.find(taskId);
    if (record) await this.#setup.shelf.settle(record, true);
    await lease.release();
  }

  async #giveUp({ taskId, call, run }: TaskRecord, lease: Lease, why: string): Promise<void> {
    const { core, shelf } = this.#setup;
    const message = `The task was interrupted. ${why}`;
    const revision = core.spoken.find(call.revision) ?? core.spoken.all[0];
    const error = revision.writeError(new ProtocolError('internal', message, { outcome: 'unknown' }));
    const ended = await shelf.change(taskId, (record) =>
      record.run === run ? { status: 'failed', statusMessage: message, run: null, error } : undefined,
    );
    if (ended) await this.#ended(ended, true);
    await lease.release();
  }

  async #lease(taskId: string): Promise<Lease | undefined> {
    const { core, shelf, rules } = this.#setup;
    if (shelf.isOwn) return UNCONTESTED;
    const lease = await acquireLease(shelf.store, shelf.runLease(taskId), {
      ttlMs: rules.leaseMs,
      holder: this.#node,
      ...leaseTimers(core.clock),
      onlost: () => this.stop(taskId, 'This node may not be the one that runs the task any more.'),
    });
    return lease;
  }

  async #over(taskId: string, ended: TaskRecord | undefined, hasSteps: boolean): Promise<void> {
    const held = this.#runs.get(taskId);
    this.#runs.delete(taskId);
    this.#setup.onover(taskId);
    try {
      if (ended) await this.#ended(ended, hasSteps);
      else if ((await this.#setup.shelf.find(taskId)) === undefined) this.#setup.onexpired(taskId);
    } finally {
      await held?.lease.release();
    }
  }

  /** Reports a failure; leftover records expire by themselves. */
  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => this.#setup.core.onproblem(asError(error)));
  }

  async #ended(record: TaskRecord, hasSteps: boolean): Promise<void> {
    this.#setup.onended(record);
    await this.#setup.shelf.settle(record, hasSteps);
  }
}
