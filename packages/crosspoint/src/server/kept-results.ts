import type { JsonObject } from '../jsonrpc/message.ts';
import { keepText } from '../jsonrpc/serialise.ts';
import type { Revision } from '../revisions/revision.ts';

const kept = new WeakMap<JsonObject, Map<Revision, JsonObject>>();

/** Says that a result is the same object for every caller and never changes, so that its written form and its text may be kept. */
export function keepResult<T extends JsonObject>(result: T): T {
  kept.set(result, new Map());
  return result;
}

/** What a kept result was written as before in a revision's words. */
export function keptForm(result: JsonObject, revision: Revision): JsonObject | undefined {
  return kept.get(result)?.get(revision);
}

/** Remembers the written form of a result that is kept, with its text; gives it back either way. */
export function keepForm(result: JsonObject, revision: Revision, form: JsonObject): JsonObject {
  const forms = kept.get(result);
  if (forms === undefined) return form;
  forms.set(revision, keepText(form));
  return form;
}
