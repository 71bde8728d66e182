import type { CallToolResult, Task } from 'crosspoint/client';
import type { JsonObject } from '@crosspoint/host';

/** A task as the server tells it, with the call that it began with where this connection knows it. */
export type TaskFacts = Task & {
  readonly tool?: string;
  readonly arguments?: JsonObject;
  /** The ids of its questions that wait in the inbox. */
  readonly requests: readonly string[];
};

interface TaskNamed {
  readonly task: string;
}

/** Operations about tasks, of both generations. */
export interface TaskOperations {
  /** Starts a call as a task: the task, or the result where the server answers without one. */
  'tasks.start': {
    readonly params: {
      readonly tool: string;
      readonly arguments: JsonObject;
      readonly call: string;
      readonly ttlMs?: number;
      readonly acceptChanges?: boolean;
    };
    readonly result: { readonly task: TaskFacts } | { readonly result: CallToolResult };
  };
  /** The tasks that this connection began or waits for, and those that the server lists. */
  'tasks.list': { readonly params: object; readonly result: { readonly tasks: readonly TaskFacts[] } };
  'tasks.get': { readonly params: TaskNamed; readonly result: TaskFacts };
  /** The result of the task. Its status and its questions come as events; the task goes on where the wait is given up. */
  'tasks.wait': { readonly params: TaskNamed; readonly result: CallToolResult };
  'tasks.cancel': { readonly params: TaskNamed; readonly result: TaskFacts };
}
