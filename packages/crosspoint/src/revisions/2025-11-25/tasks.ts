import type { JsonObject } from '../../jsonrpc/message.ts';
import { without, type Reducer } from '../reducer.ts';

/** What a task has come to is fetched for itself in this revision. */
export const withoutPayload: Reducer = without('result', 'error', 'inputRequests');

const RENAMED: ReadonlySet<string> = new Set(['ttlMs', 'pollIntervalMs', 'resultType']);

/** This revision's names for the members of a task that the neutral model calls otherwise. `ttl` is required here, and null is "for ever". */
export function writeTask(task: JsonObject): JsonObject {
  // Not assigned one by one: a member called `__proto__` would not become one.
  const written: JsonObject = Object.fromEntries(Object.entries(task).filter(([key]) => !RENAMED.has(key)));
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
