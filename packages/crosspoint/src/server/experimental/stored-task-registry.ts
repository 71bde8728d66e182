import type { ServerContext } from '../calls/context.ts';
import type { ServerCore } from '../core.ts';
import type { LateStoredTasks } from './late-stored-tasks.ts';

const stored = new WeakMap<ServerCore, LateStoredTasks>();

/** Kept beside the core, which most servers have without it. */
export function registerStoredTasks(core: ServerCore, tasks: LateStoredTasks): void {
  stored.set(core, tasks);
}

/** The tasks in a task store of the server that a request is for. */
export function storedTasksOf({ call }: ServerContext): LateStoredTasks | undefined {
  return stored.get(call.core);
}
