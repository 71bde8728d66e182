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
import { zod4Checks } from './zod4-checks.ts';

/** The structure of a zod 4 schema; the members of the definition depend on `type`. */
export interface Zod4Schema {
  readonly _zod: {
    readonly def: Readonly<Record<string, unknown>> & { readonly type: string };
    readonly optin?: string;
    readonly optout?: string;
  };
}

export function isZod4Schema(schema: unknown): schema is Zod4Schema {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

/** Converts schemas of `zod/mini` and of zod before 4.2, which do not carry their JSON Schema; others convert themselves. */
export function zod4ToJson(schema: Zod4Schema, side: SchemaSide): Json {
  const conversion = startConversion(side);
  return finishConversion(conversion, convert(schema, { ...conversion, cyclic: cyclicSchemas(schema) }));
}

export function zod4MayBeAbsent({ _zod: { optin, optout } }: Zod4Schema, side: SchemaSide): boolean {
  return side === 'input' ? optin !== undefined : optout === 'optional';
}

interface Zod4Conversion extends Conversion {
  /** Schemas that contain themselves, which getters allow without any mark. */
  readonly cyclic: ReadonlySet<Zod4Schema>;
}

type Convert = (definition: Zod4Schema['_zod']['def'], conversion: Zod4Conversion) => Json;

const inner: Convert = (definition, conversion) => convert(definition['innerType'] as Zod4Schema, conversion);

const withDefault: Convert = (definition, conversion) => ({
  ...inner(definition, conversion),
  default: definition['defaultValue'],
});

const list = (schemas: unknown, conversion: Zod4Conversion): readonly Json[] =>
  (schemas as readonly Zod4Schema[]).map((schema) => convert(schema, conversion));

const converters: Readonly<Record<string, Convert>> = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  null: () => ({ type: 'null' }),
  any: () => ({}),
  unknown: () => ({}),
  never: () => ({ not: {} }),
  literal: (definition) => enumJson(definition['values'] as readonly unknown[]),
  enum: (definition) => enumJson(enumValues(definition['entries'] as Readonly<Record<string, unknown>>)),
  object: objectSchema,
  array: (definition, conversion) => ({
    type: 'array',
    items: convert(definition['element'] as Zod4Schema, conversion),
  }),
  tuple: (definition, conversion) => {
    const rest = definition['rest'] as Zod4Schema | null;
    return tupleJson(list(definition['items'], conversion), rest === null ? undefined : convert(rest, conversion));
  },
  record: (definition, conversion) => ({
    type: 'object',
    propertyNames: convert(definition['keyType'] as Zod4Schema, conversion),
    additionalProperties: convert(definition['valueType'] as Zod4Schema, conversion),
  }),
  union: (definition, conversion) => ({
    [definition['discriminator'] === undefined ? 'anyOf' : 'oneOf']: list(definition['options'], conversion),
  }),
  intersection: (definition, conversion) => ({
    allOf: list([definition['left'], definition['right']], conversion).map(({ additionalProperties, ...open }) =>
      additionalProperties === undefined || additionalProperties === false ? open : { ...open, additionalProperties },
    ),
  }),
  optional: inner,
  nonoptional: inner,
  readonly: inner,
  catch: inner,
  nullable: (definition, conversion) => nullable(inner(definition, conversion)),
  default: withDefault,
  prefault: (definition, conversion) =>
    conversion.side === 'input' ? withDefault(definition, conversion) : inner(definition, conversion),
  pipe: (definition, conversion) => {
    const [from, to] = [definition['in'], definition['out']] as [Zod4Schema, Zod4Schema];
    // A preprocessing step accepts anything; the schema after it says which input is meant.
    const first = from._zod.def.type === 'transform' ? to : from;
    return convert(conversion.side === 'input' ? first : to, conversion);
  },
  lazy: (definition, conversion) => convert((definition['getter'] as () => Zod4Schema)(), conversion),
};

function convert(schema: Zod4Schema, conversion: Zod4Conversion): Json {
  const { def: definition } = schema._zod;
  const converter = Object.hasOwn(converters, definition.type) ? converters[definition.type] : undefined;
  if (converter === undefined) throw new TypeError(`\`${definition.type}\` cannot be expressed in JSON Schema`);
  const build = (): Json => describe(schema, zod4Checks(converter(definition, conversion), definition));
  return conversion.cyclic.has(schema) ? referTo(conversion, schema, build) : build();
}

function describe(schema: object, json: Json): Json {
  const description: unknown = Reflect.get(schema, 'description');
  return typeof description === 'string' ? { ...json, description } : json;
}

function objectSchema(definition: Zod4Schema['_zod']['def'], conversion: Zod4Conversion): Json {
  const members = Object.entries(definition['shape'] as Readonly<Record<string, Zod4Schema>>).map(
    ([name, member]) => [name, convert(member, conversion), zod4MayBeAbsent(member, conversion.side)] as const,
  );
  const catchall = definition['catchall'] as Zod4Schema | undefined;
  if (catchall === undefined)
    return objectJson({ members, additional: conversion.side === 'output' ? false : undefined });
  return objectJson({
    members,
    additional: catchall._zod.def.type === 'never' ? false : convert(catchall, conversion),
  });
}

/** The values of a TypeScript enum. Numeric enums also map values back to names; those entries are left out. */
function enumValues(entries: Readonly<Record<string, unknown>>): readonly unknown[] {
  const names = Object.keys(entries).filter((name) => typeof entries[String(entries[name])] !== 'number');
  return [...new Set(names.map((name) => entries[name]))];
}

function cyclicSchemas(root: Zod4Schema): ReadonlySet<Zod4Schema> {
  const cyclic = new Set<Zod4Schema>();
  const done = new Set<Zod4Schema>();
  const open = new Set<Zod4Schema>();
  const visit = (schema: Zod4Schema): void => {
    if (open.has(schema)) cyclic.add(schema);
    if (open.has(schema) || done.has(schema)) return;
    open.add(schema);
    for (const part of partsOf(schema)) visit(part);
    open.delete(schema);
    done.add(schema);
  };
  visit(root);
  return cyclic;
}

/** The schemas that a definition mentions: as a member, in a list, in a shape, or behind a getter. */
function partsOf({ _zod: { def: definition } }: Zod4Schema): readonly Zod4Schema[] {
  const { shape, getter } = definition;
  const direct = Object.values(definition).flatMap((member) =>
    Array.isArray(member) ? (member as unknown[]) : [member],
  );
  const members = typeof shape === 'object' && shape !== null ? Object.values(shape) : [];
  const lazy: unknown[] = definition.type === 'lazy' ? [(getter as () => unknown)()] : [];
  return [...direct, ...(members as unknown[]), ...lazy].filter(isZod4Schema).filter((part) => 'type' in part._zod.def);
}
