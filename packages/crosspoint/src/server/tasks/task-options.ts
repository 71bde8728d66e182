import type { JsonObject } from '../../jsonrpc/message.ts';
import type { TaskStatus } from '../../protocol/tasks.ts';
import type { TaskSupport } from '../../protocol/tools.ts';
import type { Store } from '../../stores/store.ts';

/** How the tasks of a server are kept and for how long. Times in milliseconds. */
export interface TaskOptions {
  /** Where tasks live. When absent: the store of the server, that of its HTTP handler, or this process, with which they then end. */
  readonly store?: Store;
  /** How long a task is kept from its creation when the client names no time. One hour when absent. */
  readonly ttlMs?: number;
  /** The longest time that a client may have a task kept. One day when absent. */
  readonly maxTtlMs?: number;
  /** How often clients are told to look. One second when absent. */
  readonly pollIntervalMs?: number;
  /** How many tasks one caller may have that have not ended. 100 when absent. */
  readonly maxPerCaller?: number;
  /**
   * Whether callers can list their tasks, where their revision has words for it. Off when absent: without authorization every caller would see
   * the tasks of all others.
   */
  readonly list?: boolean;
  /** How long a node that does not report may be taken for alive; then another takes over its tasks. 15 seconds when absent. */
  readonly leaseMs?: number;
  /** Told of what happens to tasks, for logs and alarms. What it throws is reported. */
  readonly onevent?: (event: TaskEvent) => void;
}

export interface TaskEvent {
  /** `refused`: someone named a task that is not there, or not theirs. */
  readonly event: 'created' | 'resumed' | 'ended' | 'read' | 'refused';
  readonly taskId: string;
  readonly status?: TaskStatus;
  /** Who, where that is known. */
  readonly principal?: string;
}

/** How one tool runs as a task. */
export interface ToolTaskOptions {
  readonly support: TaskSupport;
  readonly ttlMs?: number;
  readonly pollIntervalMs?: number;
  /** What a model may be told while the task runs. Only the older generation of tasks carries it. */
  readonly immediateResponse?: string | ((args: JsonObject) => string);
  /**
   * When a call becomes a task where the server decides that: `at-once` when absent. With `when-told`, the handler decides with
   * `await ctx.beginTask()`, and may ask before; a client that asked for a task gets it at once all the same.
   */
  readonly begin?: 'at-once' | 'when-told';
  /** Its handler makes the task itself and ends the call with `endWithTask`, for a program that keeps its tasks itself. */
  readonly isOwn?: boolean;
  /** Runs it again from the top after a crash even where it had taken no step and asked nothing. */
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
    if (!(value >= 1)) throw new TypeError(`The ${name} of tasks must be a positive number.`);
  return { ...rules, leaseMs: Math.max(100, options.leaseMs ?? 15_000) };
}
