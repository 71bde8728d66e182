import type { JsonObject } from '../../jsonrpc/message.ts';
import { without, type Reducer } from '../reducer.ts';

/** What a task has come to is fetched for itself in this revision. */
export const withoutPayload: Reducer = without('result', 'error', 'inputRequests');

const RENAMED: ReadonlySet<string> = new Set(['ttlMs', 'pollIntervalMs', 'resultType']);

/** This revision's names for the members of a task that the neutral model calls otherwise. `ttl` is required here, and null is "for ever". */
export function writeTask(task: JsonObject): JsonObject {
  const written: JsonObject = {};
  for (const [key, value] of Object.entries(task)) if (!RENAMED.has(key)) written[key] = value;
  written['ttl'] ??= task['ttlMs'] ?? null;
  if (task['pollIntervalMs'] !== undefined) written['pollInterval'] = task['pollIntervalMs'];
  return written;
}

/** The neutral names. */
export function readTask(task: JsonObject): JsonObject {
  const { ttl, pollInterval, ...rest } = task;
  const read: JsonObject = { ...rest, ttlMs: ttl ?? null };
  if (pollInterval !== undefined) read['pollIntervalMs'] = pollInterval;
  return read;
}
