import { addCheck } from './checks.ts';
import {
  type Conversion,
  type Convert,
  enumJson,
  type Json,
  type Library,
  listJson,
  lookUp,
  objectJson,
  otherKinds,
  recordJson,
  referTo,
  tupleJson,
  type SchemaSide,
} from './conversion.ts';
import { enumOf, zodKinds } from './zod-kinds.ts';

/** The definition of a zod 3 schema; its members depend on `typeName`. */
interface Zod3Definition {
  readonly typeName: string;
  readonly description?: string;
  readonly [member: string]: unknown;
}

interface Zod3Schema {
  readonly _def: Zod3Definition;
}

export function isZod3Schema(schema: unknown): schema is Zod3Schema {
  if (typeof schema !== 'object' || schema === null || !('_def' in schema) || '_zod' in schema) return false;
  const { _def: definition } = schema;
  return typeof definition === 'object' && definition !== null && 'typeName' in definition;
}

export const zod3: Library = {
  convert: (schema, conversion) => convert(schema as Zod3Schema, conversion),
  mayBeAbsent: (schema, side) => zod3MayBeAbsent(schema as Zod3Schema, side),
};

/** The kind of a schema, by its name in zod 4 where that has it: `ZodString` is `string`. */
function kindOf({ typeName }: Zod3Definition): string {
  return typeName.slice(3).toLowerCase();
}

/** Whether zod 3 accepts a missing member of this kind (input), or may produce none (output). */
function zod3MayBeAbsent({ _def: definition }: Zod3Schema, side: SchemaSide): boolean {
  const passesOn = (member: string): boolean => zod3MayBeAbsent(definition[member] as Zod3Schema, side);
  switch (kindOf(definition)) {
    case 'optional':
    case 'undefined':
    case 'void':
    case 'any':
    case 'unknown':
      return true;
    case 'default':
    case 'catch':
      return side === 'input';
    case 'nullable':
    case 'readonly':
      return passesOn('innerType');
    case 'branded':
      return passesOn('type');
    case 'effects':
      return passesOn('schema');
    case 'pipeline':
      return passesOn(side === 'input' ? 'in' : 'out');
    case 'union':
      return (definition['options'] as readonly Zod3Schema[]).some((option) => zod3MayBeAbsent(option, side));
    default:
      return false;
  }
}

const ofType: Convert = (definition, { convert: part }) => part(definition['type']);

const converters: Readonly<Record<string, Convert>> = {
  ...zodKinds,
  ...otherKinds,
  string: (definition) => checked({ type: 'string' }, definition),
  number: (definition) => checked({ type: 'number' }, definition),
  nan: () => ({ not: {} }),
  literal: (definition) => enumJson([definition['value']]),
  enum: (definition) => enumJson(definition['values'] as readonly unknown[]),
  nativeenum: (definition) => enumOf(definition['values']),
  object: (definition, conversion) =>
    objectJson(conversion, (definition['shape'] as () => unknown)(), additionalOf(definition, conversion)),
  array: (definition, conversion) => ({ type: 'array', items: ofType(definition, conversion), ...sizeOf(definition) }),
  record: (definition, conversion) => recordJson(conversion, definition['keyType'], definition['valueType']),
  map: (definition, conversion) => ({
    type: 'array',
    items: tupleJson(listJson(conversion, [definition['keyType'], definition['valueType']]), undefined),
  }),
  set: (definition, { convert: part }) => ({
    type: 'array',
    uniqueItems: true,
    items: part(definition['valueType']),
    ...sizeOf(definition),
  }),
  union: (definition, conversion) => {
    const options = definition['options'] as readonly Zod3Schema[];
    return {
      anyOf: listJson(
        conversion,
        options.filter((option) => kindOf(option._def) !== 'undefined'),
      ),
    };
  },
  discriminatedunion: (definition, conversion) => ({ oneOf: listJson(conversion, definition['options']) }),
  branded: ofType,
  promise: ofType,
  effects: (definition, { convert: part, side }) => {
    const { type } = definition['effect'] as { readonly type: string };
    // The output of a transformation cannot be known without running it.
    return type === 'transform' && side === 'output' ? {} : part(definition['schema']);
  },
  pipeline: (definition, { convert: part, side }) => part(definition[side === 'input' ? 'in' : 'out']),
  lazy: (definition, conversion) => {
    const getter = definition['getter'] as () => unknown;
    return referTo(conversion, getter, () => conversion.convert(getter()));
  },
};

function convert({ _def: definition }: Zod3Schema, conversion: Conversion): Json {
  const { typeName, description } = definition;
  const converter = lookUp(converters, kindOf(definition));
  if (converter === undefined) throw new TypeError(`${typeName} cannot be expressed in JSON Schema`);
  const json = converter(definition, conversion);
  return description === undefined ? json : { ...json, description };
}

function additionalOf(definition: Readonly<Record<string, unknown>>, conversion: Conversion): Json | false | undefined {
  const { catchall, unknownKeys } = definition;
  if (kindOf((catchall as Zod3Schema)._def) !== 'never') return conversion.convert(catchall);
  if (unknownKeys === 'strict') return false;
  return unknownKeys === 'passthrough' ? {} : undefined;
}

interface Check {
  readonly kind: string;
  readonly value?: unknown;
  readonly regex?: unknown;
  readonly inclusive?: boolean;
  readonly version?: string;
}

/** The checks of zod 3 that have another name elsewhere. */
const checkNames: Readonly<Record<string, string>> = {
  int: 'integer',
  multipleOf: 'multiple_of',
  startsWith: 'starts_with',
  endsWith: 'ends_with',
};

function checked(json: Json, { checks }: Readonly<Record<string, unknown>>): Json {
  const next = { ...json };
  for (const check of (checks ?? []) as readonly Check[]) {
    const { kind, value, regex, inclusive, version } = check;
    if (kind === 'ip' && version !== undefined) addCheck(next, `ip${version}`, value);
    else if (kind === 'base64') next['contentEncoding'] = kind;
    else if (kind !== 'min' && kind !== 'max') addCheck(next, lookUp(checkNames, kind) ?? kind, value ?? regex);
    else if (json['type'] === 'string') addCheck(next, `${kind}_length`, value);
    else if (inclusive === false) addCheck(next, kind === 'min' ? 'gt_value' : 'lt_value', value);
    else addCheck(next, `${kind}_value`, value);
  }
  return next;
}

/** Size limits of arrays and sets, which zod 3 names differently. */
function sizeOf(definition: Readonly<Record<string, unknown>>): Json {
  const read = (...names: readonly string[]): unknown =>
    names
      .map((name) => definition[name] as { readonly value: number } | null | undefined)
      .find((limit) => limit !== null && limit !== undefined)?.value;
  const min = read('exactLength', 'minLength', 'minSize');
  const max = read('exactLength', 'maxLength', 'maxSize');
  return { ...(min === undefined ? {} : { minItems: min }), ...(max === undefined ? {} : { maxItems: max }) };
}
