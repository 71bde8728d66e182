import type { CallToolResult, Client, ProgressCallback, RequestId, Task, Tool } from 'crosspoint/client';
import type { JsonObject } from '../values/json.ts';

/** How a call runs as a task. */
export interface TaskOptions {
  /** Milliseconds that the server is asked to keep the task, where clients decide that. */
  readonly ttlMs?: number | undefined;
  /** Called once the server has taken the call: with the task, or with `undefined` where it answers without one. The call fails where it fails; the task goes on. */
  readonly onstarted?: ((task: Task | undefined) => void) | undefined;
  /** Called with every status that is read. */
  readonly onstatus?: ((task: Task) => void) | undefined;
}

interface TaskSettings {
  readonly signal: AbortSignal | undefined;
  readonly onprogress: ProgressCallback | undefined;
  readonly toolDefinition: Tool;
  readonly onsent: (id: RequestId) => void;
  readonly onstatus: (task: Task) => void;
  readonly task: TaskOptions;
}

/** Starts a call as a task and waits for its result. The task goes on where the wait is given up. */
export async function asTask(
  client: Client,
  params: { readonly name: string; readonly arguments: JsonObject },
  { task, onstatus, ...settings }: TaskSettings,
): Promise<CallToolResult> {
  const { ttlMs } = task;
  const handle = await client.startTask(
    { ...params },
    { ...settings, task: ttlMs === undefined ? {} : { ttl: ttlMs } },
  );
  if (handle.task !== undefined) onstatus(handle.task);
  task.onstarted?.(handle.task);
  return handle.wait({
    signal: settings.signal,
    onstatus: (seen) => {
      onstatus(seen);
      task.onstatus?.(seen);
    },
  });
}
