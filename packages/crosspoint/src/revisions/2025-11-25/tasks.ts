import type { JsonObject } from '../../jsonrpc/message.ts';
import { without, type Reducer } from '../reducer.ts';

/** What a task has come to is fetched for itself in this revision. */
export const withoutPayload: Reducer = without('result', 'error', 'inputRequests');

/** This revision's names for the members of a task that the neutral model calls otherwise. `ttl` is required here, and null is "for ever". */
export function writeTask(task: JsonObject): JsonObject {
  const { ttlMs, pollIntervalMs, resultType: _, ...rest } = task;
  const written: JsonObject = { ...rest, ttl: rest['ttl'] ?? ttlMs ?? null };
  if (pollIntervalMs !== undefined) written['pollInterval'] = pollIntervalMs;
  return written;
}

/** The neutral names. */
export function readTask(task: JsonObject): JsonObject {
  const { ttl, pollInterval, ...rest } = task;
  const read: JsonObject = { ...rest, ttlMs: ttl ?? null };
  if (pollInterval !== undefined) read['pollIntervalMs'] = pollInterval;
  return read;
}
