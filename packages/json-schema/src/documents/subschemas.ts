/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import type { Dialect } from './dialect.ts';
import { isJsonSchema, isSchemaObject, type JsonSchema, type JsonSchemaObject } from '../json-schema.ts';

type Holds = 'one' | 'list' | 'map' | 'one-or-list' | 'map-of-mixed';

const everyDraft: Readonly<Record<string, Holds>> = {
  definitions: 'map',
  properties: 'map',
  patternProperties: 'map',
  additionalProperties: 'one',
  propertyNames: 'one',
  dependencies: 'map-of-mixed',
  contains: 'one',
  allOf: 'list',
  anyOf: 'list',
  oneOf: 'list',
  not: 'one',
  if: 'one',
  then: 'one',
  else: 'one',
};

const since2019: Readonly<Record<string, Holds>> = {
  ...everyDraft,
  $defs: 'map',
  dependentSchemas: 'map',
  unevaluatedProperties: 'one',
  unevaluatedItems: 'one',
  contentSchema: 'one',
};

const byDraft: Readonly<Record<Dialect['draft'], Readonly<Record<string, Holds>>>> = {
  'draft-07': { ...everyDraft, items: 'one-or-list', additionalItems: 'one' },
  '2019-09': { ...since2019, items: 'one-or-list', additionalItems: 'one' },
  '2020-12': { ...since2019, items: 'one', prefixItems: 'list' },
};

/** Calls `visit` for every direct subschema in a place where the draft defines one; other values are plain data. */
export function forEachSubschema(
  schema: JsonSchemaObject,
  draft: Dialect['draft'],
  visit: (subschema: JsonSchema, keyword: string) => void,
): void {
  const places = byDraft[draft];
  for (const keyword of Object.keys(schema)) {
    const holds = Object.hasOwn(places, keyword) ? places[keyword] : undefined;
    if (holds === undefined) continue;
    for (const item of candidates(schema[keyword], holds)) if (isJsonSchema(item)) visit(item, keyword);
  }
}

function candidates(value: unknown, holds: Holds): readonly unknown[] {
  if (holds === 'map' || holds === 'map-of-mixed') return isSchemaObject(value) ? Object.values(value) : [];
  if (Array.isArray(value)) return holds === 'one' ? [] : value;
  return holds === 'list' ? [] : [value];
}

/** A copy with every direct subschema replaced; everything else, unknown keywords included, is kept as it is. */
export function mapSubschemas(
  schema: JsonSchemaObject,
  draft: Dialect['draft'],
  convert: (subschema: JsonSchema) => JsonSchema,
): Record<string, unknown> {
  const places = byDraft[draft];
  const one = (value: unknown): unknown => (isJsonSchema(value) ? convert(value) : value);
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    const holds = Object.hasOwn(places, keyword) ? places[keyword] : undefined;
    if (holds === undefined) return [keyword, value];
    if (Array.isArray(value)) return [keyword, holds === 'list' || holds === 'one-or-list' ? value.map(one) : value];
    if (holds === 'one' || holds === 'one-or-list') return [keyword, one(value)];
    if (holds === 'list' || !isSchemaObject(value)) return [keyword, value];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, item]) => [name, one(item)]))];
  });
  return Object.fromEntries(entries);
}
