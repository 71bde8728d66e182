import { isSchemaObject } from '../json-schema.ts';

/** The keywords of 2020-12 that hold a schema or a list of them. */
const HOLD_SCHEMAS: ReadonlySet<string> = new Set([
  'additionalProperties',
  'propertyNames',
  'contains',
  'items',
  'prefixItems',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
]);

/** The keywords that hold schemas by name. */
const HOLD_NAMED: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
]);

/** Moves a schema of 2020-12, or a list of them, to a place inside another: references to its own root now start at that place, a JSON Pointer. */
export function rebaseReferences<T>(schema: T, pointer: string): T {
  const within = (part: unknown): unknown => rebaseReferences(part, pointer);
  if (Array.isArray(schema)) return schema.map(within) as T;
  if (!isSchemaObject(schema)) return schema;
  const moved = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (HOLD_SCHEMAS.has(keyword)) return [keyword, within(value)];
    if (HOLD_NAMED.has(keyword) && isSchemaObject(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, within(part)]))];
    return [keyword, keyword === '$ref' && isOwn(value) ? `#${pointer}${value.slice(1)}` : value];
  });
  return Object.fromEntries(moved) as T;
}

function isOwn(reference: unknown): reference is string {
  return typeof reference === 'string' && (reference === '#' || reference.startsWith('#/'));
}
