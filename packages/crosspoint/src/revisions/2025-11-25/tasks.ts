import type { JsonObject } from '../../jsonrpc/message.ts';
import { without, type Reducer } from '../reducer.ts';

/** Drops the outcome of a task: this revision fetches it with `tasks/result`. */
export const withoutPayload: Reducer = without('result', 'error', 'inputRequests');

/** Writes a task under this revision's names. `ttl` is required here; null means "for ever". */
export function writeTask(task: JsonObject): JsonObject {
  const { ttlMs, pollIntervalMs, resultType: _, ...written } = task;
  written['ttl'] ??= ttlMs ?? null;
  if (pollIntervalMs !== undefined) written['pollInterval'] = pollIntervalMs;
  return written;
}
