import { addCheck } from './checks.ts';
import {
  allOfJson,
  type Conversion,
  type Convert,
  enumJson,
  type Json,
  type Library,
  listJson,
  lookUp,
  nullable,
  objectJson,
  otherKinds,
  plainKinds,
  recordJson,
  referTo,
  tupleJson,
  type SchemaSide,
} from './conversion.ts';

/** The structure of a valibot schema or pipe step; its members depend on `type`. */
interface ValibotSchema {
  readonly kind: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

export function isValibotSchema(schema: unknown): schema is ValibotSchema {
  if (typeof schema !== 'object' || schema === null || !('kind' in schema) || !('type' in schema)) return false;
  return schema.kind === 'schema' && typeof schema.type === 'string' && '~run' in schema;
}

export const valibot: Library = {
  convert: (schema, conversion) => convert(schema as ValibotSchema, conversion),
  mayBeAbsent: (schema, side) => valibotMayBeAbsent(schema as ValibotSchema, side),
};

const absentTypes = ['optional', 'exact_optional', 'nullish', 'undefinedable', 'undefined', 'void'];

/** Whether a missing member is accepted (input), or may remain missing (output). */
function valibotMayBeAbsent(schema: ValibotSchema, side: SchemaSide): boolean {
  if (!absentTypes.includes(schema.type)) return false;
  return side === 'input' || schema['default'] === undefined;
}

const wrapped: Convert = (schema, { convert: inner }) => withDefault(schema, inner(schema['wrapped']));

const wrappedOrNull: Convert = (schema, { convert: inner }) => withDefault(schema, nullable(inner(schema['wrapped'])));

const options: Convert = (schema, conversion) => ({ anyOf: listJson(conversion, schema['options']) });

const choices: Convert = (schema) => enumJson(schema['options'] as readonly unknown[]);

const object: Convert = (schema, conversion) => objectJson(conversion, schema['entries'], undefined);

const tuple: Convert = (schema, conversion) => tupleJson(listJson(conversion, schema['items']), {});

const converters: Readonly<Record<string, Convert>> = {
  ...plainKinds,
  ...otherKinds,
  literal: (schema) => enumJson([schema['literal']]),
  picklist: choices,
  enum: choices,
  object,
  loose_object: (schema, conversion) => objectJson(conversion, schema['entries'], {}),
  strict_object: (schema, conversion) => objectJson(conversion, schema['entries'], false),
  object_with_rest: (schema, conversion) =>
    objectJson(conversion, schema['entries'], conversion.convert(schema['rest'])),
  array: (schema, { convert: inner }) => ({ type: 'array', items: inner(schema['item']) }),
  tuple,
  loose_tuple: tuple,
  strict_tuple: (schema, conversion) => tupleJson(listJson(conversion, schema['items']), undefined),
  tuple_with_rest: (schema, conversion) =>
    tupleJson(listJson(conversion, schema['items']), conversion.convert(schema['rest'])),
  record: (schema, conversion) => recordJson(conversion, schema['key'], schema['value']),
  union: options,
  variant: options,
  intersect: (schema, conversion) => allOfJson(conversion, schema['options']),
  optional: wrapped,
  exact_optional: wrapped,
  undefinedable: wrapped,
  non_optional: wrapped,
  non_nullish: wrapped,
  non_nullable: wrapped,
  nullable: wrappedOrNull,
  nullish: wrappedOrNull,
  lazy: (schema, conversion) => {
    const getter = schema['getter'] as (input: unknown) => unknown;
    return referTo(conversion, getter, () => conversion.convert(getter(undefined)));
  },
};

function convert(schema: ValibotSchema, conversion: Conversion): Json {
  const { pipe } = schema;
  if (!Array.isArray(pipe)) return convertPlain(schema, conversion);
  let json: Json = {};
  for (const step of pipe as readonly ValibotSchema[]) {
    if (step.kind === 'schema') json = convert(step, conversion);
    else if (step.kind === 'transformation' && !keepsType.has(step.type)) {
      // The input is settled here; the output is unknown until the next schema in the pipe.
      if (conversion.side === 'input') return json;
      json = {};
    } else json = withAction(json, step);
  }
  return json;
}

const keepsType = new Set([
  'brand',
  'flavor',
  'readonly',
  'trim',
  'trim_start',
  'trim_end',
  'normalize',
  'to_lower_case',
  'to_upper_case',
]);

/** Adds the constraint or metadata of an action. */
function withAction(json: Json, action: ValibotSchema): Json {
  const { type, requirement } = action;
  const next = { ...json };
  if (type === 'title' || type === 'description') next[type] = action[type];
  else if (type === 'metadata') Object.assign(next, describing(action['metadata']));
  else if (type === 'safe_integer') addCheck(next, 'integer', requirement);
  else if (type === 'non_empty') addCheck(next, 'min_length', 1);
  else addCheck(next, type, requirement);
  return next;
}

function describing(metadata: unknown): Json {
  if (typeof metadata !== 'object' || metadata === null) return {};
  const known = Object.entries(metadata).filter(([name]) => ['title', 'description', 'examples'].includes(name));
  return Object.fromEntries(known);
}

function convertPlain(schema: ValibotSchema, conversion: Conversion): Json {
  const converter = lookUp(converters, schema.type);
  if (converter === undefined) {
    throw new TypeError(
      `\`${schema.type}\` is not converted here; call registerJsonSchemaConverter('valibot', …) with toJsonSchema of @valibot/to-json-schema`,
    );
  }
  return converter(schema, conversion);
}

/** Adds a plain default. A default that is computed on each use is no fact about the schema. */
function withDefault(schema: Readonly<Record<string, unknown>>, json: Json): Json {
  const value = schema['default'];
  return value === undefined || typeof value === 'function' ? json : { ...json, default: value };
}
