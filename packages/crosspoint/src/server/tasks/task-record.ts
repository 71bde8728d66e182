import type { ErrorObject, JsonObject, RequestId } from '../../jsonrpc/message.ts';
import type { Progress } from '../../peer/progress.ts';
import type { Ask, Facts } from '../../protocol/outcome.ts';
import { isTerminal, mayBecome, type Task, type TaskStatus } from '../../protocol/tasks.ts';
import { rememberLast } from '../../runtime/remember-last.ts';
import type { AuthInfo } from '../../transports/transport.ts';

/** A question of a task, and its answer. Its key is never used for another one. */
export interface KeptQuestion {
  readonly digest: string;
  readonly ask: Ask;
  readonly answer?: JsonObject;
  /** The client's refusal to answer. */
  readonly error?: ErrorObject;
}

/** The call that became a task, with everything needed to run it again on another node. No token is stored. */
export interface KeptCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: string;
  readonly facts: Facts;
  readonly progressToken?: RequestId;
  readonly caller?: Pick<AuthInfo, 'clientId' | 'scopes'> & { readonly sub?: unknown; readonly iss?: unknown };
}

/** The stored record of a task. Plain data. */
export interface TaskRecord {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string | undefined;
  /** The last progress, of a task whose generation has no progress messages. */
  readonly progress?: Progress | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  /** The owner; `null` where callers have no names, and the id alone gives access. */
  readonly owner: string | null;
  /** The account in which the unfinished task is counted. */
  readonly share: string;
  /** The caller that the ended task counts for; absent in records of earlier releases. */
  readonly leftBy?: string;
  /** The run that may change the task; `null` once it has ended. */
  readonly run: string | null;
  readonly call: KeptCall;
  readonly questions: Readonly<Record<string, KeptQuestion>>;
  readonly result?: JsonObject | undefined;
  readonly error?: ErrorObject | undefined;
}

export type TaskChange = Partial<
  Pick<TaskRecord, 'status' | 'statusMessage' | 'progress' | 'questions' | 'result' | 'error' | 'run'>
>;

/** The record with a change, or `undefined` where the change is not allowed: a task that has ended stays as it is. */
export function changed(record: TaskRecord, change: TaskChange, now: number): TaskRecord | undefined {
  const { status = record.status } = change;
  if (isTerminal(record.status) || (status !== record.status && !mayBecome(record.status, status))) return undefined;
  // Not a second spread, which takes 1 µs, 3 % of a task in one process.
  const next: { -readonly [Name in keyof TaskRecord]: TaskRecord[Name] } = Object.assign({ ...record }, change);
  // The message of the former status does not apply to the next one.
  if (status !== record.status) next.statusMessage = change.statusMessage;
  if (isTerminal(status)) next.call = withoutWork(record.call);
  next.updatedAt = now;
  return next;
}

/** Drops the arguments and the caller of a task that has ended: it is not run again. */
function withoutWork({ method, revision }: KeptCall): KeptCall {
  return { method, revision, params: {}, facts: NO_FACTS };
}

const NO_FACTS: Facts = { capabilities: {} };

/** The questions that wait for an answer. */
export function outstanding({ questions }: TaskRecord): [string, KeptQuestion][] {
  return Object.entries(questions).filter(([, { answer, error }]) => answer === undefined && error === undefined);
}

/** The task as every caller may see it, without questions, result or error. */
export function toTask(record: TaskRecord): Task {
  const { taskId, status, statusMessage, ttlMs, pollIntervalMs } = record;
  const createdAt = isoTime(record.createdAt);
  const lastUpdatedAt = isoTime(record.updatedAt);
  return statusMessage === undefined
    ? { taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
    : { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs };
}

/** The last text is kept: tasks are told several times in one millisecond, and making it takes 0.4 µs. */
const isoTime = /* @__PURE__ */ rememberLast((ms: number) => new Date(ms).toISOString());

/** A random id of 122 bits, which cannot be guessed. */
export function newTaskId(): string {
  return crypto.randomUUID();
}
