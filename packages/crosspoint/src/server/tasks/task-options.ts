import type { JsonObject } from '../../jsonrpc/message.ts';
import type { TaskStatus } from '../../protocol/tasks.ts';
import type { TaskSupport } from '../../protocol/tools.ts';
import type { Store } from '../../stores/store.ts';

/** Options for the tasks of a server. Times in milliseconds. */
export interface TaskOptions {
  /** The store of the tasks. When absent: the store of the server, that of its HTTP handler, or this process, with which they then end. */
  readonly store?: Store;
  /** Lifetime of a task from its creation, when the client names none. One hour when absent. */
  readonly ttlMs?: number;
  /** Longest lifetime that a client may ask for. One day when absent. */
  readonly maxTtlMs?: number;
  /** Interval at which clients are told to poll. One second when absent. */
  readonly pollIntervalMs?: number;
  /** Most unfinished tasks of one caller. 100 when absent. */
  readonly maxPerCaller?: number;
  /**
   * Whether callers can list their tasks, where their revision has such a method. Off when absent: without authorization every caller would see the tasks of
   * all others.
   */
  readonly list?: boolean;
  /** Time after which a node without a sign of life counts as gone, and another takes over its tasks. 15 seconds when absent. */
  readonly leaseMs?: number;
  /** Receives the events of tasks, for logs and alarms. An error that it throws is reported. */
  readonly onevent?: (event: TaskEvent) => void;
}

export interface TaskEvent {
  /** `refused`: a caller named a task that does not exist, or is not its own. */
  readonly event: 'created' | 'resumed' | 'ended' | 'read' | 'refused';
  readonly taskId: string;
  readonly status?: TaskStatus;
  /** The caller, where it is known. */
  readonly principal?: string;
}

/** Task options of one tool. */
export interface ToolTaskOptions {
  /** Whether calls may (`optional`), must (`required`) or cannot (`forbidden`) run as tasks. */
  readonly support: TaskSupport;
  readonly ttlMs?: number;
  readonly pollIntervalMs?: number;
  /** A text for the model while the task runs. Only the older generation of tasks carries it. */
  readonly immediateResponse?: string | ((args: JsonObject) => string);
  /**
   * When a call becomes a task, where the server decides: `at-once` when absent. With `when-told`, the handler decides with `await ctx.beginTask()`, and may
   * ask before; a client that asked for a task gets it at once all the same.
   */
  readonly begin?: 'at-once' | 'when-told';
  /** Its handler makes the task itself and ends the call with `endWithTask`, for a program that keeps its tasks itself. */
  readonly isOwn?: boolean;
  /** Runs the handler again from the top after a crash, even if it had taken no step and asked nothing. */
  readonly resume?: boolean;
}

/** The options with everything filled in. */
export interface TaskRules {
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly pollIntervalMs: number;
  readonly maxPerCaller: number;
  readonly leaseMs: number;
}

export function taskRules(options: TaskOptions): TaskRules {
  const { maxTtlMs = 86_400_000, ttlMs = 3_600_000, pollIntervalMs = 1000, maxPerCaller = 100 } = options;
  const rules = { maxTtlMs, ttlMs: Math.min(ttlMs, maxTtlMs), pollIntervalMs, maxPerCaller };
  for (const [name, value] of Object.entries(rules))
    if (!(value >= 1)) throw new TypeError(`The ${name} of tasks must be at least 1, not ${String(value)}.`);
  return { ...rules, leaseMs: Math.max(100, options.leaseMs ?? 15_000) };
}
