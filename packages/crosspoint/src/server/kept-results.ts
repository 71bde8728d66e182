import type { JsonObject } from '../jsonrpc/message.ts';
import { keepText } from '../jsonrpc/serialise.ts';
import type { Revision } from '../revisions/revision.ts';

const kept = new WeakMap<JsonObject, Map<Revision, JsonObject>>();

/** Says that a result is the same object for every caller and never changes, so that its written form and its text may be kept. */
export function keepResult<T extends JsonObject>(result: T): T {
  kept.set(result, new Map());
  return result;
}

/** Writes a result in a revision's words, or takes what was written before. */
export function writeOnce(result: JsonObject, revision: Revision, write: () => JsonObject): JsonObject {
  const written = kept.get(result);
  if (written === undefined) return write();
  let form = written.get(revision);
  if (form === undefined) written.set(revision, (form = keepText(write())));
  return form;
}
