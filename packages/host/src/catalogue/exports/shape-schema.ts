import { isObject, type Json, type JsonObject } from '../../values/json.ts';

/** A schema in a form that a model's API takes, and what had to be changed for it. */
export interface ShapedSchema {
  readonly schema: JsonObject & { readonly type: 'object' };
  /** One sentence each. The server still checks arguments against its own schema, so a looser schema lets nothing through. */
  readonly changes: readonly string[];
}

/** The names of arguments that every API takes. */
const KEY = /^[A-Za-z0-9_.-]{1,64}$/;
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;
/** Keywords that APIs refuse at the top, beside those that are merged. */
const NOT_AT_TOP = ['enum', 'const', 'not', 'if', 'then', 'else', '$ref', '$schema', '$id', '$anchor'];
const MAX_DEPTH = 64;

/**
 * The input schema of a tool in the form that the APIs of models take: an object at the top, without alternatives there, no address to be
 * fetched, items for every list, and arguments with plain names.
 */
export function shapeSchema(given: JsonObject): ShapedSchema {
  const changes: string[] = [];
  const top = flattened(resolved(given), changes);
  const properties: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(objectAt(top, 'properties'))) {
    if (KEY.test(name)) properties[name] = within(schema ?? {}, changes, 1);
    else changes.push(`The argument ${JSON.stringify(name)} is left out: its name is not one that APIs take.`);
  }
  const required = namesAt(top, 'required').filter((name) => Object.hasOwn(properties, name));
  const rest = Object.entries(top).filter(
    ([key]) => !['type', 'properties', 'required', ...ALTERNATIVES, ...NOT_AT_TOP].includes(key),
  );
  const others = Object.fromEntries(rest.map(([key, value]) => [key, within(value ?? null, changes, 1)]));
  const schema = { type: 'object' as const, ...others, properties, ...(required.length > 0 && { required }) };
  return { schema, changes: [...new Set(changes)] };
}

/** A reference at the top to a definition of the same document, followed once. */
function resolved(schema: JsonObject): JsonObject {
  const { $ref: reference, ...rest } = schema;
  const path = typeof reference === 'string' ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) : null;
  if (path === null) return schema;
  return { ...objectAt(objectAt(schema, path[1] ?? ''), path[2] ?? ''), ...rest };
}

/** Alternatives at the top as one object: every argument of any of them; required are those that all of them require. */
function flattened(schema: JsonObject, changes: string[]): JsonObject {
  return ALTERNATIVES.reduce<JsonObject>((merged, keyword) => {
    const parts = merged[keyword];
    if (!Array.isArray(parts)) return merged;
    const objects = parts.filter(isObject);
    changes.push(`"${keyword}" at the top became one object with the arguments of all its parts.`);
    const properties = Object.assign(
      {},
      objectAt(merged, 'properties'),
      ...objects.map((part) => objectAt(part, 'properties')),
    ) as JsonObject;
    const [first = [], ...others] = objects.map((part) => namesAt(part, 'required'));
    const shared =
      keyword === 'allOf'
        ? [first, ...others].flat()
        : first.filter((name) => others.every((names) => names.includes(name)));
    const { [keyword]: _, ...rest } = merged;
    return { ...rest, properties, required: [...new Set([...namesAt(merged, 'required'), ...shared])] };
  }, schema);
}

/** A schema below the top. */
function within(value: Json, changes: string[], depth: number): Json {
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(value)) return value.map((item: Json) => within(item, changes, depth + 1));
  if (!isObject(value)) return value;
  const { $ref: reference } = value;
  if (typeof reference === 'string' && !reference.startsWith('#')) {
    changes.push(`The reference to ${JSON.stringify(reference)} is left out: nothing is fetched.`);
    return {};
  }
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, within(item ?? null, changes, depth + 1)]),
  );
  if (value['type'] === 'array' && value['items'] === undefined && value['prefixItems'] === undefined)
    copy['items'] = {};
  return copy;
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isObject(found) ? found : {};
}

function namesAt(value: JsonObject, key: string): string[] {
  const found = value[key];
  return Array.isArray(found) ? found.filter((name) => typeof name === 'string') : [];
}
