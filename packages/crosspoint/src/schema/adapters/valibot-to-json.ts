import type { SchemaSide } from '../schema.ts';
import {
  type Conversion,
  enumJson,
  finishConversion,
  type Json,
  nullable,
  objectJson,
  referTo,
  startConversion,
  tupleJson,
} from './conversion.ts';
import { applyValibotAction } from './valibot-actions.ts';

/** The structure of a valibot schema or pipe step; its members depend on `type`. */
export interface ValibotSchema {
  readonly kind: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

export function isValibotSchema(schema: unknown): schema is ValibotSchema {
  if (typeof schema !== 'object' || schema === null || !('kind' in schema) || !('type' in schema)) return false;
  return schema.kind === 'schema' && typeof schema.type === 'string' && '~run' in schema;
}

export function valibotToJson(schema: ValibotSchema, side: SchemaSide): Json {
  const conversion = startConversion(side);
  return finishConversion(conversion, convert(schema, conversion));
}

const absentTypes = ['optional', 'exact_optional', 'nullish', 'undefinedable', 'undefined', 'void'];

/** Whether a missing member is accepted (input), or may remain missing (output). */
export function valibotMayBeAbsent(schema: ValibotSchema, side: SchemaSide): boolean {
  if (!absentTypes.includes(schema.type)) return false;
  return side === 'input' || schema['default'] === undefined;
}

type Convert = (schema: ValibotSchema, conversion: Conversion) => Json;

const wrapped: Convert = (schema, conversion) =>
  withDefault(schema, convert(schema['wrapped'] as ValibotSchema, conversion));

const wrappedOrNull: Convert = (schema, conversion) =>
  withDefault(schema, nullable(convert(schema['wrapped'] as ValibotSchema, conversion)));

const options = (schema: ValibotSchema, conversion: Conversion): readonly Json[] =>
  (schema['options'] as readonly ValibotSchema[]).map((option) => convert(option, conversion));

/** How each kind of object treats members it does not know: refuse, keep, drop, or check them. */
const object =
  (additional: Json | boolean | 'dropped' | 'rest'): Convert =>
  (schema, conversion) => {
    const members = Object.entries(schema['entries'] as Readonly<Record<string, ValibotSchema>>).map(
      ([name, member]) => [name, convert(member, conversion), valibotMayBeAbsent(member, conversion.side)] as const,
    );
    if (additional === 'rest') {
      return objectJson({ members, additional: convert(schema['rest'] as ValibotSchema, conversion) });
    }
    if (additional !== 'dropped') return objectJson({ members, additional });
    return objectJson({ members, additional: conversion.side === 'output' ? false : undefined });
  };

const tuple: Convert = (schema, conversion) => {
  const items = (schema['items'] as readonly ValibotSchema[]).map((item) => convert(item, conversion));
  if (schema.type === 'tuple_with_rest') return tupleJson(items, convert(schema['rest'] as ValibotSchema, conversion));
  return tupleJson(items, schema.type === 'strict_tuple' ? undefined : {});
};

const converters: Readonly<Record<string, Convert>> = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  bigint: () => ({ type: 'integer' }),
  date: () => ({ type: 'string', format: 'date-time' }),
  null: () => ({ type: 'null' }),
  any: () => ({}),
  unknown: () => ({}),
  never: () => ({ not: {} }),
  undefined: () => ({ not: {} }),
  void: () => ({ not: {} }),
  literal: (schema) => enumJson([schema['literal']]),
  picklist: (schema) => enumJson(schema['options'] as readonly unknown[]),
  enum: (schema) => enumJson(schema['options'] as readonly unknown[]),
  object: /* @__PURE__ */ object('dropped'),
  loose_object: /* @__PURE__ */ object({}),
  strict_object: /* @__PURE__ */ object(false),
  object_with_rest: /* @__PURE__ */ object('rest'),
  array: (schema, conversion) => ({ type: 'array', items: convert(schema['item'] as ValibotSchema, conversion) }),
  tuple,
  loose_tuple: tuple,
  strict_tuple: tuple,
  tuple_with_rest: tuple,
  record: (schema, conversion) => {
    const names = convert(schema['key'] as ValibotSchema, conversion);
    const isPlain = Object.keys(names).length === 1 && names['type'] === 'string';
    const values = convert(schema['value'] as ValibotSchema, conversion);
    return { type: 'object', ...(isPlain ? {} : { propertyNames: names }), additionalProperties: values };
  },
  union: (schema, conversion) => ({ anyOf: options(schema, conversion) }),
  variant: (schema, conversion) => ({ anyOf: options(schema, conversion) }),
  intersect: (schema, conversion) => ({
    allOf: options(schema, conversion).map(({ additionalProperties, ...open }) =>
      additionalProperties === undefined || additionalProperties === false ? open : { ...open, additionalProperties },
    ),
  }),
  optional: wrapped,
  exact_optional: wrapped,
  undefinedable: wrapped,
  non_optional: wrapped,
  non_nullish: wrapped,
  non_nullable: wrapped,
  nullable: wrappedOrNull,
  nullish: wrappedOrNull,
  lazy: (schema, conversion) => {
    const getter = schema['getter'] as (input: unknown) => ValibotSchema;
    return referTo(conversion, getter, () => convert(getter(undefined), conversion));
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
    } else json = applyValibotAction(json, step);
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

function convertPlain(schema: ValibotSchema, conversion: Conversion): Json {
  const converter = Object.hasOwn(converters, schema.type) ? converters[schema.type] : undefined;
  if (converter === undefined) {
    throw new TypeError(
      `\`${schema.type}\` is not converted here; call registerJsonSchemaConverter('valibot', …) with toJsonSchema of @valibot/to-json-schema`,
    );
  }
  return converter(schema, conversion);
}

/** Adds a plain default. A default that is computed on each use is no fact about the schema. */
function withDefault(schema: ValibotSchema, json: Json): Json {
  const value = schema['default'];
  return value === undefined || typeof value === 'function' ? json : { ...json, default: value };
}
