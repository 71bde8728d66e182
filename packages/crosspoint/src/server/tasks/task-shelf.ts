import type { Clock } from '../../peer/clock.ts';
import { attempt } from '../../runtime/guard.ts';
import { isTerminal } from '../../protocol/tasks.ts';
import { refuseRace } from '../../stores/races.ts';
import { asJson, type Store } from '../../stores/store.ts';
import { digest } from '../asking/seals/digest.ts';
import type { StepRecord } from '../asking/steps.ts';
import { changed, type TaskChange, type TaskRecord } from './task-record.ts';

/** A step of a task: how often it was begun, and its record once it has finished. */
export interface KeptStep {
  readonly begun: number;
  /** The run that has begun it last. */
  readonly by?: string;
  readonly record?: StepRecord;
}

/** The right to finish a step. */
export interface StepClaim {
  readonly version: string;
  readonly begun: number;
  readonly by: string;
}

const CHANNEL = 'tasks';

/** Keys: `r` the record, `l` lists of callers, `w` unfinished tasks, `s` steps, `x` leases of runs, `q` leases of questions. */
const recordKey = (taskId: string): string => `task:r:${taskId}`;
const listPrefix = (owner: string | null): string => `task:l:${owner === null ? 'none' : shareOf(owner)}:`;
const listKey = ({ owner, createdAt, taskId }: TaskRecord): string =>
  `${listPrefix(owner)}${String(createdAt).padStart(16, '0')}:${taskId}`;
const workingKey = (share: string, taskId: string): string => `task:w:${share}:${taskId}`;
const stepPrefix = (taskId: string): string => `task:s:${taskId}:`;

const MAX_SHARES = 1000;
const shares = new Map<string, string>();

/** The account under which the tasks of a caller are counted and listed. Cached, since the same callers come again. */
export function shareOf(caller: string): string {
  const known = shares.get(caller);
  if (known !== undefined) return known;
  if (shares.size >= MAX_SHARES) shares.clear();
  const made = digest(caller);
  shares.set(caller, made);
  return made;
}

/** The caller that the record of a task counts for. */
function left({ leftBy }: TaskRecord): { leftBy?: string } {
  return leftBy === undefined ? {} : { leftBy };
}

/** A record as it was read or written, with its version. */
export interface KeptTask {
  readonly record: TaskRecord;
  readonly version: string;
}

/** The stores that tasks may be kept in. */
export interface TaskStores {
  /** The program's store, which other processes may use too. */
  given(): Store | undefined;
  /** A store of this process alone. */
  own(): Store;
}

/** Tasks in the store. Every change requires the version that was read, and is repeated on a newer one otherwise. */
export class TaskShelf {
  /** Called at once for changes made here. */
  onchanged: ((record: TaskRecord) => void) | undefined;
  readonly #stores: TaskStores;
  readonly #clock: Clock;
  readonly #self = crypto.randomUUID();
  #store: Store | undefined;
  #isOwn = false;

  /** The store is chosen on first use, and then stays the same. */
  constructor(stores: TaskStores, clock: Clock) {
    this.#stores = stores;
    this.#clock = clock;
  }

  get store(): Store {
    if (this.#store === undefined) {
      const given = this.#stores.given();
      this.#isOwn = given === undefined;
      this.#store = given ?? this.#stores.own();
    }
    return this.#store;
  }

  /** Whether no other process can see the tasks: then no lease is taken and no message sent. */
  get isOwn(): boolean {
    return this.store !== undefined && this.#isOwn;
  }

  runLease(taskId: string): string {
    return `task:x:${taskId}`;
  }

  questionLease(taskId: string, key: string): string {
    return `task:q:${taskId}:${key}`;
  }

  /** Adds a task. Once this resolves, every node finds it; in lists, if it is `listed`. */
  async add(record: TaskRecord, listed: boolean): Promise<KeptTask> {
    const { taskId, share, ttlMs } = record;
    // The record first: a process that is killed in between leaves one that nobody knows of, and no list or count of a task that does not exist.
    const version = await this.store.put(recordKey(taskId), asJson(record), { ttlMs, ifVersion: null });
    await this.store.put(workingKey(share, taskId), taskId, { ttlMs });
    if (listed) await this.store.put(listKey(record), taskId, { ttlMs, ...left(record) });
    return { record, version: version ?? '' };
  }

  async remove(record: TaskRecord): Promise<void> {
    const { taskId } = record;
    await this.store.delete(listKey(record));
    await this.settle(record, true);
    await this.store.delete(recordKey(taskId));
  }

  async find(taskId: string): Promise<TaskRecord | undefined> {
    return (await this.store.get(recordKey(taskId)))?.value as object as TaskRecord | undefined;
  }

  /**
   * Changes a record and returns the new one; `undefined` when there is none, or when `change` returns none or one that is not allowed. The `known` record is
   * tried first, without reading: it is written only if its version is still current.
   */
  async change(
    taskId: string,
    change: (record: TaskRecord) => TaskChange | undefined,
    known?: KeptTask,
  ): Promise<TaskRecord | undefined> {
    for (let races = 0, guess = known; ; races += 1, guess = undefined) {
      refuseRace(races);
      const kept = guess ?? (await this.#kept(taskId));
      if (kept === undefined) return undefined;
      const { record } = kept;
      const wanted = change(record);
      const now = this.#clock.now();
      const next = wanted && changed(record, wanted, now);
      const remaining = record.createdAt + record.ttlMs - now;
      if (next === undefined || remaining <= 0) return undefined;
      const leftBy = isTerminal(next.status) ? next.leftBy : undefined;
      const options = { ifVersion: kept.version, ttlMs: remaining, leftBy };
      if ((await this.store.put(recordKey(taskId), asJson(next), options)) === undefined) continue;
      this.tell(next);
      return next;
    }
  }

  async #kept(taskId: string): Promise<KeptTask | undefined> {
    const found = await this.store.get(recordKey(taskId));
    return found && { record: found.value as object as TaskRecord, version: found.version };
  }

  /** Cleans up after a task that has ended: it no longer counts, and its steps are deleted. */
  async settle({ taskId, share }: TaskRecord, hasSteps: boolean): Promise<void> {
    // The steps first: a process that is killed in between leaves a task that others find and tidy up.
    if (hasSteps) await this.dropSteps(taskId);
    await this.store.delete(workingKey(share, taskId));
  }

  /** The ids of a caller's tasks, oldest first, after `after`. */
  async list(owner: string | null, after: string | undefined, limit: number): Promise<readonly string[]> {
    const prefix = listPrefix(owner);
    const keys = await this.store.keys(prefix, { limit, ...(after !== undefined && { after: prefix + after }) });
    return keys.map((key) => key.slice(prefix.length));
  }

  /** Whether an account has used up its unfinished tasks. */
  async isFull(share: string, max: number): Promise<boolean> {
    return (await this.store.count(workingKey(share, ''))) >= max;
  }

  /** The ids of all unfinished tasks, of every caller. */
  async working(): Promise<readonly string[]> {
    return (await this.store.keys('task:w:')).map((key) => key.slice(key.lastIndexOf(':') + 1));
  }

  // ---- steps

  async steps(taskId: string): Promise<ReadonlyMap<string, KeptStep>> {
    const prefix = stepPrefix(taskId);
    const steps = new Map<string, KeptStep>();
    for (const key of await this.store.keys(prefix)) {
      const kept = await this.store.get(key);
      if (kept) steps.set(key.slice(prefix.length), kept.value as object as KeptStep);
    }
    return steps;
  }

  /**
   * Records the beginning of a step, possibly once more; `undefined` when another run has begun it meanwhile. May be repeated with the same `by` when the
   * store did not answer.
   */
  async beginStep(
    taskId: string,
    name: string,
    { by, ttlMs }: { by: string; ttlMs: number },
  ): Promise<StepClaim | undefined> {
    const key = stepPrefix(taskId) + name;
    const found = await this.store.get(key);
    const kept = found?.value as object as KeptStep | undefined;
    if (found !== undefined && kept?.by === by) return { version: found.version, begun: kept.begun, by };
    const begun = (kept?.begun ?? 0) + 1;
    const version = await this.store.put(key, { begun, by }, { ifVersion: found?.version ?? null, ttlMs });
    return version === undefined ? undefined : { version, begun, by };
  }

  /** Records the end of a step. False when another run has begun it meanwhile: then this result does not count. May be repeated, too. */
  async finishStep(
    taskId: string,
    name: string,
    { version, begun, by }: StepClaim,
    kept: { record: StepRecord; ttlMs: number },
  ): Promise<boolean> {
    const key = stepPrefix(taskId) + name;
    const value = { begun, by, record: asJson(kept.record) };
    if ((await this.store.put(key, value, { ifVersion: version, ttlMs: kept.ttlMs })) !== undefined) return true;
    const found = (await this.store.get(key))?.value as object as KeptStep | undefined;
    return found?.by === by && found.record !== undefined;
  }

  async keepStep(taskId: string, name: string, record: StepRecord, ttlMs: number): Promise<void> {
    await this.store.put(stepPrefix(taskId) + name, { begun: 1, record: asJson(record) }, { ttlMs });
  }

  async dropSteps(taskId: string): Promise<void> {
    for (const key of await this.store.keys(stepPrefix(taskId))) await this.store.delete(key);
  }

  // ---- news

  /** Announces a change: here at once, to other nodes by a message. Followers there poll as well, so a lost message only costs time. */
  tell(record: TaskRecord): void {
    const { taskId, status } = record;
    this.onchanged?.(record);
    if (this.isOwn) return;
    attempt(() => this.store.publish(CHANNEL, { taskId, status, by: this.#self }), undefined);
  }

  /** Receives changes made by other processes. */
  async listen(onchange: (taskId: string) => void): Promise<() => Promise<void>> {
    if (this.isOwn) return async () => undefined;
    return this.store.subscribe(CHANNEL, (message) => {
      const { taskId, by } = message as { taskId: string; by?: string };
      if (by !== this.#self) onchange(taskId);
    });
  }
}
