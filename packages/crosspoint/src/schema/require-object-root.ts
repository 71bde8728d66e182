import { isSchemaObject, type JsonSchema, type JsonSchemaObject } from '@crosspoint/json-schema/internal';

/**
 * Returns the schema with `type: "object"` at its root. It is added where the rest of the schema implies it, as in a union of objects; any other
 * schema throws a `TypeError` that begins with `what`.
 */
export function requireObjectRoot(json: JsonSchema, what: string): JsonSchemaObject {
  if (!isSchemaObject(json))
    throw new TypeError(`${what}: the schema must be an object with type "object" at its root.`);
  if (json['type'] === 'object') return json;
  if (json['type'] === undefined && describesObjects(json, json, new Map())) return { type: 'object', ...json };
  const root = typeof json['type'] === 'string' ? `"${json['type']}"` : 'not an object type';
  throw new TypeError(`${what}: the schema must have type "object" at its root; it is ${root}.`);
}

const maxDepth = 200;

/** Visits each schema once, since references may lead to it in any number of ways; a schema that leads back to itself proves nothing. */
function describesObjects(schema: unknown, root: JsonSchemaObject, known: Map<unknown, boolean>, depth = 0): boolean {
  if (!isSchemaObject(schema) || depth > maxDepth) return false;
  const before = known.get(schema);
  if (before !== undefined) return before;
  known.set(schema, false);
  const inside = (part: unknown): boolean => describesObjects(part, root, known, depth + 1);
  const answer = impliesObjects(schema, root, inside);
  known.set(schema, answer);
  return answer;
}

function impliesObjects(schema: JsonSchemaObject, root: JsonSchemaObject, inside: (part: unknown) => boolean): boolean {
  if (schema['type'] !== undefined) return schema['type'] === 'object';
  const { $ref: reference, anyOf, oneOf, allOf } = schema;
  if (typeof reference === 'string' && inside(target(reference, root))) return true;
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches) && branches.length > 0 && branches.every(inside)) return true;
  }
  if (Array.isArray(allOf) && allOf.some(inside)) return true;
  return isSchemaObject(schema['properties']) && anyOf === undefined && oneOf === undefined;
}

function target(reference: string, root: JsonSchemaObject): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const token of reference.slice(2).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
