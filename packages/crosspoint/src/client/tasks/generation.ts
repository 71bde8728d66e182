import { declares } from '../../extensions/extension.ts';
import { TASKS_EXTENSION_ID } from '../../extensions/tasks/tasks-extension.ts';
import { hasCapability, type ClientCapabilities } from '../../protocol/capabilities.ts';
import type { Tool } from '../../protocol/tools.ts';
import type { Link } from '../connecting/link.ts';

/** How a connection has tasks: `core`, as part of the revision, where clients ask for them; `extension`, where servers decide. */
export type TaskGeneration = 'core' | 'extension';

/** `undefined` when the two sides have no tasks in common; calls then have plain results. */
export function taskGeneration(
  { revision, server }: Link,
  capabilities: ClientCapabilities,
): TaskGeneration | undefined {
  if (revision === undefined || server === undefined) return undefined;
  if (revision.methods.has('tasks/result')) return hasCapability(server.capabilities, 'tasks') ? 'core' : undefined;
  const isExtended =
    revision.family === 'per-request' &&
    declares(capabilities, TASKS_EXTENSION_ID) &&
    declares(server.capabilities, TASKS_EXTENSION_ID);
  return isExtended ? 'extension' : undefined;
}

/** The tool's `taskSupport`; absent means `forbidden`. */
export function taskSupport(tool: Tool | undefined): 'forbidden' | 'optional' | 'required' {
  const support = tool?.execution?.taskSupport;
  return support === 'optional' || support === 'required' ? support : 'forbidden';
}
