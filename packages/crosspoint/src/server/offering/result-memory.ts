import type { JsonObject } from '../../jsonrpc/message.ts';
import { keepText } from '../../jsonrpc/serialise.ts';
import type { Revision } from '../../revisions/revision.ts';

const kept = new WeakMap<JsonObject, Map<Revision, JsonObject>>();

/** Marks a result that is the same object for every caller and never changes, so that its written form and its text may be cached. */
export function keepResult<T extends JsonObject>(result: T): T {
  kept.set(result, new Map());
  return result;
}

/** The written forms of a marked result, by revision; `undefined` for any other. */
export function keptForms(result: JsonObject): Map<Revision, JsonObject> | undefined {
  return kept.get(result);
}

/** Caches the written form of a result, with its text. */
export function keepForm(forms: Map<Revision, JsonObject>, revision: Revision, form: JsonObject): JsonObject {
  forms.set(revision, keepText(form));
  return form;
}
