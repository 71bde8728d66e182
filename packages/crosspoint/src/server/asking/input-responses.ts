import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Root } from '../../protocol/roots.ts';
import type { CreateMessageResult } from '../../protocol/sampling.ts';
import type { AnySchema, SchemaOutput } from '../../schema/index.ts';
import { isThenable } from '../calls/handler.ts';
import { prepareForm } from './prepare-form.ts';

/** An answer that the client brought back under a name, told apart by its shape. */
export type InputResponseView =
  | { readonly kind: 'missing' }
  | { readonly kind: 'elicit'; readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: JsonObject }
  | { readonly kind: 'sampling'; readonly result: CreateMessageResult }
  | { readonly kind: 'roots'; readonly roots: Root[] };

/** Reads one entry of `ctx.inputResponses`. The values come from the client and are not checked: treat them as untrusted input. */
export function inputResponse(responses: JsonObject | undefined, key: string): InputResponseView {
  const answer = responses !== undefined && Object.hasOwn(responses, key) ? responses[key] : undefined;
  if (!isJsonObject(answer)) return { kind: 'missing' };
  const { action, content, roots, role } = answer;
  if (action === 'accept' || action === 'decline' || action === 'cancel')
    return isJsonObject(content) ? { kind: 'elicit', action, content } : { kind: 'elicit', action };
  if (Array.isArray(roots)) return { kind: 'roots', roots: roots as Root[] };
  if (typeof role === 'string' && content !== undefined)
    return { kind: 'sampling', result: answer as object as CreateMessageResult };
  return { kind: 'missing' };
}

/**
 * Returns the content of an accepted form; with a schema, checked and typed. `undefined` for anything else: not answered, declined, of another kind, or not
 * fitting the schema. Throws `TypeError` for a schema that checks asynchronously.
 */
export function acceptedContent<T extends JsonObject = JsonObject>(
  responses: JsonObject | undefined,
  key: string,
): T | undefined;
export function acceptedContent<S extends AnySchema>(
  responses: JsonObject | undefined,
  key: string,
  schema: S,
): SchemaOutput<S> | undefined;
export function acceptedContent(responses: JsonObject | undefined, key: string, schema?: AnySchema): unknown {
  const answer = inputResponse(responses, key);
  if (answer.kind !== 'elicit' || answer.action !== 'accept') return undefined;
  if (schema === undefined) return answer.content ?? {};
  const parsed = prepareForm(schema).parse(answer.content ?? {});
  if (isThenable(parsed))
    throw new TypeError('acceptedContent needs a schema that checks at once; await the parsing of this one yourself.');
  return parsed.ok ? parsed.value : undefined;
}
