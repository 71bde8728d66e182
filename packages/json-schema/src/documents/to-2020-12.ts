import { compileSchema } from '../compile-schema.ts';
import { defaultDialect, type Dialect, dialectOf } from './dialect.ts';
import { isJsonSchema, isSchemaObject, type JsonSchema, type JsonSchemaObject } from '../json-schema.ts';
import { rewritePointer } from './rewrite-pointer.ts';
import { forEachSubschema, mapSubschemas } from './subschemas.ts';

/**
 * Rewrites a schema in 2020-12. A schema that is in 2020-12 already is returned as it is; so is one that cannot be rewritten without changing
 * what it accepts, which stays correct under the dialect it declares.
 */
export function to202012(schema: JsonSchema): JsonSchema {
  if (!isSchemaObject(schema) || typeof schema['$schema'] !== 'string') return schema;
  const dialect = dialectOf(schema['$schema'], () => undefined);
  if (dialect.draft === defaultDialect.draft || !isConvertible(schema, dialect)) return schema;
  const converted = convert(schema, { dialect, root: schema });
  return compiles(converted) ? converted : schema;
}

/** Finds a reference into a place that the rewriting did not foresee. */
function compiles(schema: JsonSchema): boolean {
  try {
    compileSchema(schema);
    return true;
  } catch {
    return false;
  }
}

interface Place {
  readonly dialect: Dialect;
  /** The resource that `#` refers to. */
  readonly root: JsonSchemaObject;
}

/**
 * Whether a schema can be rewritten. Three things do not carry over: a part in another dialect, a pointer into another resource, whose keywords
 * may have moved, and `unevaluatedItems` of 2019-09, which ignores `contains`.
 */
function isConvertible(schema: JsonSchemaObject, dialect: Dialect): boolean {
  const used = new Set<string>();
  const visited = new Set<JsonSchema>();
  let foreign = false;
  const visit = (part: JsonSchema): void => {
    if (!isSchemaObject(part) || visited.has(part)) return;
    visited.add(part);
    for (const keyword of Object.keys(part)) used.add(keyword);
    if (part['$schema'] !== undefined && part['$schema'] !== schema['$schema']) foreign = true;
    if (typeof part['$ref'] === 'string' && /[^#]#\//.test(part['$ref'])) foreign = true;
    forEachSubschema(part, dialect.draft, visit);
  };
  visit(schema);
  return !foreign && !(dialect.draft === '2019-09' && used.has('unevaluatedItems') && used.has('contains'));
}

/** Keywords without a meaning in draft-07 that 2020-12 would give one. */
const meaninglessInDraft07 = [
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$vocabulary',
  'prefixItems',
  'minContains',
  'maxContains',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** Keywords that may stay beside a draft-07 `$ref`, whose siblings are no longer ignored in 2020-12. */
const besideRef = ['$ref', 'definitions', '$defs', 'title', 'description', 'default', 'examples', '$comment'];

const recursiveName = 'recursive';

function convert(schema: JsonSchema, place: Place): JsonSchema {
  if (!isSchemaObject(schema)) return schema;
  const { dialect } = place;
  const id = schema[dialect.idKeyword];
  const root = typeof id === 'string' && !id.startsWith('#') ? schema : place.root;
  const next = mapSubschemas(schema, dialect.draft, (part) => convert(part, { dialect, root }));
  delete next['$schema'];
  if (dialect.draft === 'draft-07') {
    for (const keyword of meaninglessInDraft07) delete next[keyword];
    // `$defs` is not a keyword of that draft, but its references may point there.
    if (isSchemaObject(schema['$defs'])) next['$defs'] = convertMap(schema['$defs'], { dialect, root });
    if (typeof next['$ref'] === 'string') {
      for (const keyword of Object.keys(next)) if (!besideRef.includes(keyword)) delete next[keyword];
    }
    convertId(next, dialect);
    convertLimit(next, 'minimum', 'exclusiveMinimum');
    convertLimit(next, 'maximum', 'exclusiveMaximum');
  } else convertRecursion(next, root);
  if (typeof next['$ref'] === 'string') next['$ref'] = rewritePointer(next['$ref'], root);
  convertItems(next);
  convertDependencies(next);
  if (isSchemaObject(next['definitions']) && next['$defs'] === undefined) {
    next['$defs'] = next['definitions'];
    delete next['definitions'];
  }
  return next;
}

function convertMap(map: JsonSchemaObject, place: Place): JsonSchemaObject {
  return Object.fromEntries(
    Object.entries(map).map(([name, part]) => [name, isJsonSchema(part) ? convert(part, place) : part]),
  );
}

function convertId(next: Record<string, unknown>, dialect: Dialect): void {
  const id = next[dialect.idKeyword];
  if (typeof id !== 'string') return;
  delete next[dialect.idKeyword];
  if (!id.startsWith('#')) next['$id'] = id.replace(/#$/, '');
  else if (id.length > 1) next['$anchor'] = id.slice(1);
}

function convertLimit(next: Record<string, unknown>, limit: string, exclusive: string): void {
  if (typeof next[exclusive] !== 'boolean') return;
  if (next[exclusive] && next[limit] !== undefined) {
    next[exclusive] = next[limit];
    delete next[limit];
  } else delete next[exclusive];
}

function convertRecursion(next: Record<string, unknown>, root: JsonSchemaObject): void {
  if (next['$recursiveAnchor'] === true) next['$dynamicAnchor'] = recursiveName;
  if (typeof next['$recursiveRef'] === 'string') {
    if (root['$recursiveAnchor'] === true) next['$dynamicRef'] = `#${recursiveName}`;
    else if (next['$ref'] === undefined) next['$ref'] = '#';
    else next['allOf'] = [...(Array.isArray(next['allOf']) ? next['allOf'] : []), { $ref: '#' }];
  }
  delete next['$recursiveAnchor'];
  delete next['$recursiveRef'];
}

function convertItems(next: Record<string, unknown>): void {
  const { items, additionalItems } = next;
  delete next['additionalItems'];
  if (!Array.isArray(items)) return;
  delete next['items'];
  if (items.length > 0) next['prefixItems'] = items;
  if (additionalItems !== undefined) next['items'] = additionalItems;
}

function convertDependencies(next: Record<string, unknown>): void {
  const { dependencies } = next;
  if (!isSchemaObject(dependencies)) return;
  delete next['dependencies'];
  const entries = Object.entries(dependencies);
  const required = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  if (required.length > 0) {
    next['dependentRequired'] = { ...Object.fromEntries(required), ...asMap(next['dependentRequired']) };
  }
  if (schemas.length > 0)
    next['dependentSchemas'] = { ...Object.fromEntries(schemas), ...asMap(next['dependentSchemas']) };
}

function asMap(value: unknown): JsonSchemaObject {
  return isSchemaObject(value) ? value : {};
}
