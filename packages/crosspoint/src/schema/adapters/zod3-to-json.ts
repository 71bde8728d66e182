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
import { zod3Number, zod3Size, zod3String } from './zod3-checks.ts';

/** The definition of a zod 3 schema; its members depend on `typeName`. */
interface Zod3Definition {
  readonly typeName: string;
  readonly description?: string;
  readonly [member: string]: unknown;
}

export interface Zod3Schema {
  readonly _def: Zod3Definition;
}

export function isZod3Schema(schema: unknown): schema is Zod3Schema {
  if (typeof schema !== 'object' || schema === null || !('_def' in schema) || '_zod' in schema) return false;
  const { _def: definition } = schema;
  return typeof definition === 'object' && definition !== null && 'typeName' in definition;
}

export function zod3ToJson(schema: Zod3Schema, side: SchemaSide): Json {
  const conversion = startConversion(side);
  return finishConversion(conversion, convert(schema, conversion));
}

/** Whether zod 3 accepts a missing member of this kind (input), or may produce none (output). */
export function zod3MayBeAbsent(schema: Zod3Schema, side: SchemaSide): boolean {
  const { _def: definition } = schema;
  switch (definition.typeName) {
    case 'ZodOptional':
    case 'ZodUndefined':
    case 'ZodVoid':
    case 'ZodAny':
    case 'ZodUnknown':
      return true;
    case 'ZodDefault':
    case 'ZodCatch':
      return side === 'input';
    case 'ZodNullable':
    case 'ZodReadonly':
      return zod3MayBeAbsent(definition['innerType'] as Zod3Schema, side);
    case 'ZodBranded':
      return zod3MayBeAbsent(definition['type'] as Zod3Schema, side);
    case 'ZodEffects':
      return zod3MayBeAbsent(definition['schema'] as Zod3Schema, side);
    case 'ZodPipeline':
      return zod3MayBeAbsent(definition[side === 'input' ? 'in' : 'out'] as Zod3Schema, side);
    case 'ZodUnion':
      return (definition['options'] as readonly Zod3Schema[]).some((option) => zod3MayBeAbsent(option, side));
    default:
      return false;
  }
}

type Convert = (definition: Zod3Definition, conversion: Conversion) => Json;

const inner =
  (member: string): Convert =>
  (definition, conversion) =>
    convert(definition[member] as Zod3Schema, conversion);

const anyValue: Convert = () => ({});

const union: Convert = (definition, conversion) => ({
  anyOf: (definition['options'] as readonly Zod3Schema[])
    .filter((option) => option._def.typeName !== 'ZodUndefined')
    .map((option) => convert(option, conversion)),
});

const converters: Readonly<Record<string, Convert>> = {
  ZodString: zod3String,
  ZodNumber: zod3Number,
  ZodBigInt: () => ({ type: 'integer' }),
  ZodBoolean: () => ({ type: 'boolean' }),
  ZodDate: () => ({ type: 'string', format: 'date-time' }),
  ZodNull: () => ({ type: 'null' }),
  ZodNaN: () => ({ not: {} }),
  ZodNever: () => ({ not: {} }),
  ZodUndefined: () => ({ not: {} }),
  ZodVoid: () => ({ not: {} }),
  ZodAny: anyValue,
  ZodUnknown: anyValue,
  ZodLiteral: (definition) => enumJson([definition['value']]),
  ZodEnum: (definition) => enumJson(definition['values'] as readonly unknown[]),
  ZodNativeEnum: (definition) => enumJson(nativeEnumValues(definition['values'] as Readonly<Record<string, unknown>>)),
  ZodObject: objectSchema,
  ZodArray: (definition, conversion) => ({
    type: 'array',
    items: convert(definition['type'] as Zod3Schema, conversion),
    ...zod3Size(definition),
  }),
  ZodTuple: (definition, conversion) => {
    const items = (definition['items'] as readonly Zod3Schema[]).map((item) => convert(item, conversion));
    const rest = definition['rest'] as Zod3Schema | null;
    return tupleJson(items, rest === null ? undefined : convert(rest, conversion));
  },
  ZodRecord: recordSchema,
  ZodMap: (definition, conversion) => {
    const pair = [definition['keyType'], definition['valueType']].map((part) =>
      convert(part as Zod3Schema, conversion),
    );
    return { type: 'array', items: tupleJson(pair, undefined) };
  },
  ZodSet: (definition, conversion) => ({
    type: 'array',
    uniqueItems: true,
    items: convert(definition['valueType'] as Zod3Schema, conversion),
    ...zod3Size(definition),
  }),
  ZodUnion: union,
  ZodDiscriminatedUnion: (definition, conversion) => ({
    oneOf: (definition['options'] as readonly Zod3Schema[]).map((option) => convert(option, conversion)),
  }),
  ZodIntersection: (definition, conversion) => ({
    allOf: [definition['left'], definition['right']].map((part) => opened(convert(part as Zod3Schema, conversion))),
  }),
  ZodOptional: /* @__PURE__ */ inner('innerType'),
  ZodReadonly: /* @__PURE__ */ inner('innerType'),
  ZodCatch: /* @__PURE__ */ inner('innerType'),
  ZodBranded: /* @__PURE__ */ inner('type'),
  ZodPromise: /* @__PURE__ */ inner('type'),
  ZodNullable: (definition, conversion) => nullable(convert(definition['innerType'] as Zod3Schema, conversion)),
  ZodDefault: (definition, conversion) => ({
    ...convert(definition['innerType'] as Zod3Schema, conversion),
    default: (definition['defaultValue'] as () => unknown)(),
  }),
  ZodEffects: (definition, conversion) => {
    const { type } = definition['effect'] as { readonly type: string };
    // The output of a transformation cannot be known without running it.
    if (type === 'transform' && conversion.side === 'output') return {};
    return convert(definition['schema'] as Zod3Schema, conversion);
  },
  ZodPipeline: (definition, conversion) =>
    convert(definition[conversion.side === 'input' ? 'in' : 'out'] as Zod3Schema, conversion),
  ZodLazy: (definition, conversion) => {
    const getter = definition['getter'] as () => Zod3Schema;
    return referTo(conversion, getter, () => convert(getter(), conversion));
  },
};

function convert(schema: Zod3Schema, conversion: Conversion): Json {
  const { _def: definition } = schema;
  const converter = converters[definition.typeName];
  if (converter === undefined) throw new TypeError(`${definition.typeName} cannot be expressed in JSON Schema`);
  const json = converter(definition, conversion);
  return definition.description === undefined ? json : { ...json, description: definition.description };
}

function objectSchema(definition: Zod3Definition, conversion: Conversion): Json {
  const shape = (definition['shape'] as () => Readonly<Record<string, Zod3Schema>>)();
  const members = Object.entries(shape).map(
    ([name, member]) => [name, convert(member, conversion), zod3MayBeAbsent(member, conversion.side)] as const,
  );
  return objectJson({ members, additional: additionalOf(definition, conversion) });
}

function additionalOf(definition: Zod3Definition, conversion: Conversion): Json | boolean | undefined {
  const catchall = definition['catchall'] as Zod3Schema;
  if (catchall._def.typeName !== 'ZodNever') return convert(catchall, conversion);
  if (definition['unknownKeys'] === 'strict') return false;
  if (definition['unknownKeys'] === 'passthrough') return {};
  // Unknown members are accepted but dropped.
  return conversion.side === 'output' ? false : undefined;
}

/** Members of one side of an intersection are unknown to the other, so neither may be closed. */
function opened(json: Json): Json {
  if (json['additionalProperties'] !== false) return json;
  const { additionalProperties: _, ...open } = json;
  return open;
}

function recordSchema(definition: Zod3Definition, conversion: Conversion): Json {
  const names = convert(definition['keyType'] as Zod3Schema, conversion);
  const isPlain = Object.keys(names).length === 1 && names['type'] === 'string';
  return {
    type: 'object',
    ...(isPlain ? {} : { propertyNames: names }),
    additionalProperties: convert(definition['valueType'] as Zod3Schema, conversion),
  };
}

/** The values of a TypeScript enum. Numeric enums also map values back to names; those entries are left out. */
function nativeEnumValues(values: Readonly<Record<string, unknown>>): readonly unknown[] {
  const names = Object.keys(values).filter((name) => typeof values[String(values[name])] !== 'number');
  return [...new Set(names.map((name) => values[name]))];
}
