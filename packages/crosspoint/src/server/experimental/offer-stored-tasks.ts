import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { ServerCore } from '../core.ts';
import type { RequestHandler } from '../handler.ts';
import type { ServerExtension } from '../server-extension.ts';
import type { ServerOptions } from '../server-options.ts';
import { registerStoredTasks } from './stored-task-registry.ts';
import { StoredTasks } from './stored-tasks.ts';

interface Offering {
  getCapabilities(): ServerCapabilities;
  hasRequestHandler(method: string): boolean;
  setRequestHandler(method: string, handler: RequestHandler): void;
  use(half: ServerExtension): void;
}

/** Answers for the tasks in a task store that the program brought along. */
export function offerStoredTasks(server: Offering, core: ServerCore, options: ServerOptions): void {
  const { taskStore, taskMessageQueue, maxTaskQueueSize, defaultTaskPollInterval } = options;
  if (taskStore === undefined) return;
  const tasks = new StoredTasks(core, { taskStore, taskMessageQueue, maxTaskQueueSize, defaultTaskPollInterval });
  registerStoredTasks(core, tasks);
  if (server.getCapabilities().tasks === undefined) return;
  for (const [method, handler] of Object.entries(tasks.methods())) server.setRequestHandler(method, handler);
  server.use(tasks.half());
}
