/** A side of a schema: the values that its parser accepts, or those that it produces. */
export type SchemaSide = 'input' | 'output';

export type Json = Record<string, unknown>;

/** One conversion from a library's schema to JSON Schema. Parts are schemas of that library. */
export interface Conversion {
  readonly side: SchemaSide;
  readonly convert: (part: unknown) => Json;
  /** Whether a member with this schema may be missing on the side. */
  readonly mayBeAbsent: (part: unknown) => boolean;
  /** The names of schemas that may contain themselves, by getter or schema; they live in `$defs`, so that recursion ends. */
  readonly names: Map<unknown, string>;
  readonly definitions: Record<string, unknown>;
}

/** How a library's schemas are read. */
export interface Library {
  readonly convert: (schema: unknown, conversion: Conversion) => Json;
  readonly mayBeAbsent: (schema: unknown, side: SchemaSide) => boolean;
  /** Whether a part may contain itself without a mark, as getters of zod 4 allow. */
  readonly mayContainItself?: boolean;
}

/** Makes the JSON of a kind of schema from its definition. */
export type Convert = (definition: Readonly<Record<string, unknown>>, conversion: Conversion) => Json;

/** The JSON Schema of one side of a schema. Throws `TypeError` for a kind that cannot be expressed. */
export function convertSchema(schema: unknown, side: SchemaSide, library: Library): Json {
  const open = new Set<unknown>();
  const conversion: Conversion = {
    side,
    convert: (part) => {
      if (open.has(part) || conversion.names.has(part)) return referenceTo(conversion, part);
      if (library.mayContainItself) open.add(part);
      const json = library.convert(part, conversion);
      open.delete(part);
      return conversion.names.has(part) ? referTo(conversion, part, () => json) : json;
    },
    mayBeAbsent: (part) => library.mayBeAbsent(part, side),
    names: new Map(),
    definitions: {},
  };
  const json = conversion.convert(schema);
  return conversion.names.size === 0 ? json : { ...json, $defs: conversion.definitions };
}

/** A reference to a schema that contains itself or stands behind a getter, converted on the first encounter. */
export function referTo(conversion: Conversion, part: unknown, convert: () => Json): Json {
  const { names, definitions } = conversion;
  const reference = referenceTo(conversion, part);
  const name = String(names.get(part));
  if (!Object.hasOwn(definitions, name)) {
    // Not converted a second time by what is inside of it.
    definitions[name] = undefined;
    definitions[name] = convert();
  }
  return reference;
}

function referenceTo({ names }: Conversion, part: unknown): Json {
  const name = names.get(part) ?? `schema${names.size}`;
  names.set(part, name);
  return { $ref: `#/$defs/${name}` };
}

export function lookUp<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Kinds without parts that every library calls the same. */
export const plainKinds: Readonly<Record<string, Convert>> = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  null: () => ({ type: 'null' }),
  any: () => ({}),
  unknown: () => ({}),
  never: () => ({ not: {} }),
};

const nothing: Convert = () => ({ not: {} });

/** Kinds of values that JSON lacks. */
export const otherKinds: Readonly<Record<string, Convert>> = {
  bigint: () => ({ type: 'integer' }),
  date: () => ({ type: 'string', format: 'date-time' }),
  undefined: nothing,
  void: nothing,
};

/** An object with these members. `others`: the schema of members not listed; `undefined` where they are accepted and dropped. */
export function objectJson(conversion: Conversion, shape: unknown, others: Json | boolean | undefined): Json {
  const members = Object.entries(shape as object);
  const required = members.filter(([, member]) => !conversion.mayBeAbsent(member)).map(([name]) => name);
  const additional = others ?? (conversion.side === 'output' ? false : undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, conversion.convert(member)])),
    ...(required.length > 0 ? { required } : {}),
    ...(additional === undefined ? {} : { additionalProperties: additional }),
  };
}

export function recordJson({ convert }: Conversion, key: unknown, value: unknown): Json {
  const names = convert(key);
  const isPlain = Object.keys(names).length === 1 && names['type'] === 'string';
  return { type: 'object', ...(isPlain ? {} : { propertyNames: names }), additionalProperties: convert(value) };
}

export function listJson(conversion: Conversion, parts: unknown): Json[] {
  return (parts as readonly unknown[]).map((part) => conversion.convert(part));
}

export function tupleJson(items: readonly Json[], rest: Json | undefined): Json {
  const length = { minItems: items.length, ...(rest === undefined ? { maxItems: items.length } : {}) };
  return {
    type: 'array',
    ...(items.length > 0 ? { prefixItems: items } : {}),
    ...(rest === undefined ? {} : { items: rest }),
    ...length,
  };
}

/** All of these at once. Members of one part are unknown to the others, so none may be closed. */
export function allOfJson(conversion: Conversion, parts: unknown): Json {
  return {
    allOf: listJson(conversion, parts).map((json) => {
      const { additionalProperties, ...open } = json;
      return additionalProperties === false ? open : json;
    }),
  };
}

export function enumJson(values: readonly unknown[]): Json {
  const types = new Set(values.map((value) => (value === null ? 'null' : typeof value)));
  const [type] = types;
  const known = types.size === 1 && (type === 'string' || type === 'number' || type === 'boolean');
  const only = values.length === 1 ? { const: values[0] } : { enum: [...values] };
  return known ? { type, ...only } : only;
}

export function nullable(json: Json): Json {
  if (typeof json['type'] === 'string' && json['enum'] === undefined && json['const'] === undefined) {
    return { ...json, type: [json['type'], 'null'] };
  }
  return { anyOf: [json, { type: 'null' }] };
}
