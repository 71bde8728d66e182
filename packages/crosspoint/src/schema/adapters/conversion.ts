import type { SchemaSide } from '../schema.ts';

export type Json = Record<string, unknown>;

/** State of one conversion from a library's schema to JSON Schema. */
export interface Conversion {
  readonly side: SchemaSide;
  /** Schemas behind a lazy getter, by that getter; they live in `$defs`, so that recursion ends. */
  readonly names: Map<unknown, string>;
  readonly definitions: Record<string, unknown>;
}

export function startConversion(side: SchemaSide): Conversion {
  return { side, names: new Map(), definitions: {} };
}

export function finishConversion(conversion: Conversion, json: Json): Json {
  return conversion.names.size === 0 ? json : { ...json, $defs: conversion.definitions };
}

/** A reference to the schema behind a lazy getter, converting it on the first encounter. */
export function referTo(conversion: Conversion, getter: unknown, convert: () => Json): Json {
  let name = conversion.names.get(getter);
  if (name === undefined) {
    name = `schema${conversion.names.size}`;
    conversion.names.set(getter, name);
    conversion.definitions[name] = convert();
  }
  return { $ref: `#/$defs/${name}` };
}

export interface ObjectParts {
  readonly members: readonly (readonly [name: string, json: Json, mayBeAbsent: boolean])[];
  /** The schema of members not listed; `undefined` leaves `additionalProperties` out. */
  readonly additional: Json | boolean | undefined;
}

export function objectJson({ members, additional }: ObjectParts): Json {
  const required = members.filter(([, , absent]) => !absent).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, json]) => [name, json])),
    ...(required.length > 0 ? { required } : {}),
    ...(additional === undefined ? {} : { additionalProperties: additional }),
  };
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

/** The source of an expression, if its flags do not change its meaning. */
export function patternOf(expression: unknown): string | undefined {
  return expression instanceof RegExp && !/[imsy]/.test(expression.flags) ? expression.source : undefined;
}

/** Adds a pattern, beside an existing one if there is any. */
export function addPattern(json: Json, pattern: string | undefined): void {
  if (pattern === undefined) return;
  if (json['pattern'] === undefined) json['pattern'] = pattern;
  else json['allOf'] = [...(Array.isArray(json['allOf']) ? json['allOf'] : []), { pattern }];
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
