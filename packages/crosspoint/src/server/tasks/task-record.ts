import type { ErrorObject, JsonObject, RequestId } from '../../jsonrpc/message.ts';
import type { Ask, Facts } from '../../protocol/outcome.ts';
import { isTerminal, mayBecome, type Task, type TaskStatus } from '../../protocol/tasks.ts';
import type { AuthInfo } from '../../transports/transport.ts';

/** A question that a task has asked, and what came of it. Its key is never used for another one. */
export interface KeptQuestion {
  readonly digest: string;
  readonly ask: Ask;
  readonly answer?: JsonObject;
  /** The client's refusal to answer. */
  readonly error?: ErrorObject;
}

/** The call that became a task: what it takes to run it again on another node. No token is kept. */
export interface KeptCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: string;
  readonly facts: Facts;
  readonly progressToken?: RequestId;
  readonly caller?: Pick<AuthInfo, 'clientId' | 'scopes'> & { readonly sub?: unknown; readonly iss?: unknown };
}

/** What is kept of a task. Plain data. */
export interface TaskRecord {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  /** Whose it is; `null` where callers have no names, and knowing the id is all it takes. */
  readonly owner: string | null;
  /** Whose share of unfinished tasks it counts in. */
  readonly share: string;
  /** The caller for whom it counts once it has ended; absent in records of earlier releases. */
  readonly leftBy?: string;
  /** The run that may change it; `null` once it has ended. */
  readonly run: string | null;
  readonly call: KeptCall;
  readonly questions: Readonly<Record<string, KeptQuestion>>;
  readonly result?: JsonObject;
  readonly error?: ErrorObject;
}

export type TaskChange = Partial<
  Pick<TaskRecord, 'status' | 'statusMessage' | 'questions' | 'result' | 'error' | 'run'>
>;

/** The record with a change, or `undefined` where it may not be changed so: a task that has ended stays as it is. */
export function changed(record: TaskRecord, change: TaskChange, now: number): TaskRecord | undefined {
  const { status = record.status } = change;
  if (isTerminal(record.status) || (status !== record.status && !mayBecome(record.status, status))) return undefined;
  const call = isTerminal(status) ? withoutWork(record.call) : record.call;
  const next = { ...record, ...change, call, updatedAt: now };
  // What was said about the former status does not hold for the next one.
  if (record.statusMessage !== undefined && status !== record.status && change.statusMessage === undefined)
    delete next.statusMessage;
  return next;
}

/** What has ended is not run again: what it was called with, and by whom, is not kept any longer. */
function withoutWork({ method, revision }: KeptCall): KeptCall {
  return { method, revision, params: {}, facts: NO_FACTS };
}

const NO_FACTS: Facts = { capabilities: {} };

/** The questions that wait for an answer. */
export function outstanding({ questions }: TaskRecord): [string, KeptQuestion][] {
  return Object.entries(questions).filter(([, { answer, error }]) => answer === undefined && error === undefined);
}

/** The task as everybody may see it, without what its status brings. */
export function toTask(record: TaskRecord): Task {
  const { taskId, status, statusMessage, ttlMs, pollIntervalMs } = record;
  const createdAt = new Date(record.createdAt).toISOString();
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt: record.updatedAt === record.createdAt ? createdAt : new Date(record.updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}

/** 122 random bits: nobody finds one by trying. */
export function newTaskId(): string {
  return crypto.randomUUID();
}
