import type { JsonObject } from '../../jsonrpc/message.ts';
import { without, type Reducer } from '../reducer.ts';

/** Drops the outcome of a task: this revision fetches it with `tasks/result`. */
export const withoutPayload: Reducer = without('result', 'error', 'inputRequests');

const RENAMED: ReadonlySet<string> = new Set(['ttlMs', 'pollIntervalMs', 'resultType']);

/** Writes a task under this revision's names. `ttl` is required here; null means "for ever". */
export function writeTask(task: JsonObject): JsonObject {
  // Not assigned one by one: assigning a member called `__proto__` would set the prototype.
  const written: JsonObject = Object.fromEntries(Object.entries(task).filter(([key]) => !RENAMED.has(key)));
  written['ttl'] ??= task['ttlMs'] ?? null;
  if (task['pollIntervalMs'] !== undefined) written['pollInterval'] = task['pollIntervalMs'];
  return written;
}
