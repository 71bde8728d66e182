import { isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';

/** References followed in a row; a longer chain is taken for a circle. */
const MAX_HOPS = 16;

/** The value that a reference inside the document points to; `undefined` when there is none. */
export function lookUp(document: JsonObject, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let value: unknown = document;
  for (const part of reference.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = (value as unknown[])[Number(name)];
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** The object behind a chain of references. */
export function resolved(document: JsonObject, given: unknown): JsonObject | undefined {
  let value = given;
  for (let hop = 0; hop < MAX_HOPS && isJsonObject(value); hop += 1) {
    const { $ref } = value;
    if (typeof $ref !== 'string') return value;
    value = lookUp(document, $ref);
  }
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
