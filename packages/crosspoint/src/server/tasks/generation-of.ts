import { declares } from '../../extensions/extension.ts';
import { TASKS_EXTENSION_ID } from '../../extensions/tasks/tasks-extension.ts';
import type { ServerContext } from '../calls/context.ts';

/** The two generations of tasks: part of the revision, where the client asks for a task; or an extension, where the server decides. */
export type Generation = 'core' | 'extension';

/** The generation of a caller's tasks; `undefined` for a caller without tasks. */
export function generationOf({ revision, family, capabilities }: ServerContext): Generation | undefined {
  if (revision.methods.has('tasks/result')) return 'core';
  return family === 'per-request' && declares(capabilities, TASKS_EXTENSION_ID) ? 'extension' : undefined;
}
