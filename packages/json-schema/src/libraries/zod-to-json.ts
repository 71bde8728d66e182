import { addCheck, addPattern, isFormat } from './checks.ts';
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
  type SchemaSide,
  tupleJson,
} from './conversion.ts';

/** The definition of a schema; its members depend on the kind. Only zod 3 has a `typeName`. */
type Definition = Readonly<Record<string, unknown>>;

interface Zod3Schema {
  readonly _def: Definition;
}

interface Zod4Schema {
  readonly _zod: { readonly def: Definition; readonly optin?: string; readonly optout?: string };
}

function isZod3Schema(schema: unknown): schema is Zod3Schema {
  if (typeof schema !== 'object' || schema === null || !('_def' in schema)) return false;
  const { _def: definition } = schema;
  return typeof definition === 'object' && definition !== null && 'typeName' in definition;
}

function isZod4Schema(schema: unknown): schema is Zod4Schema {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

/** Schemas of zod 3, and those of `zod/mini` and of zod before 4.2, which do not carry their JSON Schema; others convert themselves. */
export function zodOf(schema: unknown): Library | undefined {
  if (isZod4Schema(schema)) return zod4;
  return isZod3Schema(schema) ? zod3 : undefined;
}

const zod3: Library = { convert, mayBeAbsent: zod3MayBeAbsent };

const zod4: Library = {
  convert,
  mayBeAbsent(schema, side) {
    const { optin, optout } = (schema as Zod4Schema)._zod;
    return side === 'input' ? optin !== undefined : optout === 'optional';
  },
  mayContainItself: true,
};

function definitionOf(schema: unknown): Definition {
  return isZod4Schema(schema) ? schema._zod.def : (schema as Zod3Schema)._def;
}

/** The kind of a schema, in zod 3 by its name in zod 4 where that has it: `ZodString` is `string`. */
function kindOf(schema: unknown): string {
  const { type, typeName } = definitionOf(schema);
  return typeof typeName === 'string' ? typeName.slice(3).toLowerCase() : String(type);
}

/** Whether zod 3 accepts a missing member of this kind (input), or may produce none (output). */
function zod3MayBeAbsent(schema: unknown, side: SchemaSide): boolean {
  const definition = definitionOf(schema);
  const passesOn = (member: string): boolean => zod3MayBeAbsent(definition[member], side);
  switch (kindOf(schema)) {
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
      return (definition['options'] as readonly unknown[]).some((option) => zod3MayBeAbsent(option, side));
    default:
      return false;
  }
}

/** The schema that a schema stands around. */
const inner: Convert = ({ innerType }, { convert: part }) => part(innerType);

const ofType: Convert = ({ type }, { convert: part }) => part(type);

const withDefault: Convert = (definition, conversion) => {
  const { defaultValue: given } = definition;
  return {
    ...inner(definition, conversion),
    default: typeof given === 'function' ? (given as () => unknown)() : given,
  };
};

const choices: Convert = ({ entries, values = entries }) => enumOf(values);

const union: Convert = ({ discriminator, options }, conversion) => ({
  [discriminator === undefined ? 'anyOf' : 'oneOf']: listJson(conversion, options),
});

const pipe: Convert = ({ in: from, out: to }, { convert: part, side }) => {
  // A preprocessing step accepts anything; the schema after it says which input is meant.
  return part(side === 'output' || kindOf(from) === 'transform' ? to : from);
};

const converters: Readonly<Record<string, Convert>> = {
  ...plainKinds,
  literal: ({ value, values = [value] }) => enumJson(values as readonly unknown[]),
  enum: choices,
  object: (definition, conversion) => {
    const { shape } = definition;
    const members = typeof shape === 'function' ? (shape as () => unknown)() : shape;
    return objectJson(conversion, members, additionalOf(definition, conversion));
  },
  array: ({ type, element = type, ...definition }, { convert: part }) => ({
    type: 'array',
    items: part(element),
    ...sizeOf(definition),
  }),
  tuple: ({ items, rest }, conversion) =>
    tupleJson(listJson(conversion, items), rest === null ? undefined : conversion.convert(rest)),
  record: ({ keyType, valueType }, { convert: part }) => ({
    type: 'object',
    propertyNames: part(keyType),
    additionalProperties: part(valueType),
  }),
  union,
  intersection: ({ left, right }, conversion) => allOfJson(conversion, [left, right]),
  optional: inner,
  nonoptional: inner,
  readonly: inner,
  catch: inner,
  nullable: (definition, conversion) => nullable(inner(definition, conversion)),
  default: withDefault,
  prefault: (definition, conversion) => (conversion.side === 'input' ? withDefault : inner)(definition, conversion),
  pipe,
  lazy: ({ getter }, { convert: part }) => part((getter as () => unknown)()),
};

/** The kinds that zod 4 lacks, calls by another name, or does not express in JSON Schema. */
const zod3Converters: Readonly<Record<string, Convert>> = {
  ...converters,
  ...otherKinds,
  nan: () => ({ not: {} }),
  nativeenum: choices,
  record: ({ keyType, valueType }, conversion) => recordJson(conversion, keyType, valueType),
  map: ({ keyType, valueType }, conversion) => ({
    type: 'array',
    items: tupleJson(listJson(conversion, [keyType, valueType]), undefined),
  }),
  set: (definition, { convert: part }) => ({
    type: 'array',
    uniqueItems: true,
    items: part(definition['valueType']),
    ...sizeOf(definition),
  }),
  union: ({ options }, conversion) =>
    union({ options: (options as readonly unknown[]).filter((one) => kindOf(one) !== 'undefined') }, conversion),
  discriminatedunion: union,
  branded: ofType,
  promise: ofType,
  effects: ({ effect, schema }, { convert: part, side }) =>
    // The output of a transformation cannot be known without running it.
    (effect as Json)['type'] === 'transform' && side === 'output' ? {} : part(schema),
  pipeline: pipe,
  lazy: ({ getter }, conversion) => referTo(conversion, getter, () => conversion.convert((getter as () => unknown)())),
};

function convert(schema: unknown, conversion: Conversion): Json {
  const kind = kindOf(schema);
  const definition = definitionOf(schema);
  const { typeName } = definition;
  const converter = lookUp(typeName === undefined ? converters : zod3Converters, kind);
  if (converter === undefined) throw new TypeError(`\`${kind}\` cannot be expressed in JSON Schema`);
  const json = { ...converter(definition, conversion) };
  // Bounds of dates and of integers beyond JSON have no words there.
  if (lookUp(otherKinds, kind) === undefined) addChecks(json, definition);
  const { description } = schema as { readonly description?: unknown };
  return typeof description === 'string' ? { ...json, description } : json;
}

function additionalOf({ catchall, unknownKeys }: Definition, { convert: part }: Conversion): Json | false | undefined {
  if (catchall !== undefined && kindOf(catchall) !== 'never') return part(catchall);
  if (unknownKeys === 'passthrough') return {};
  // In zod 4 an object is closed by its catchall; in zod 3 every object has one.
  return unknownKeys === 'strict' || (unknownKeys === undefined && catchall !== undefined) ? false : undefined;
}

/** The values of a list, or of a TypeScript enum. Numeric enums also map values back to names; those entries are left out. */
function enumOf(entries: unknown): Json {
  if (Array.isArray(entries)) return enumJson(entries);
  const values = entries as Readonly<Record<string, unknown>>;
  const names = Object.keys(values).filter((name) => typeof values[String(values[name])] !== 'number');
  return enumJson([...new Set(names.map((name) => values[name]))]);
}

/** Size limits of arrays and sets, which zod 3 names differently. */
function sizeOf(definition: Definition): Json {
  const read = (...names: readonly string[]): unknown =>
    names
      .map((name) => definition[name] as { readonly value: number } | null | undefined)
      .find((limit) => limit !== null && limit !== undefined)?.value;
  const min = read('exactLength', 'minLength', 'minSize');
  const max = read('exactLength', 'maxLength', 'maxSize');
  return { ...(min === undefined ? {} : { minItems: min }), ...(max === undefined ? {} : { maxItems: max }) };
}

/** Adds the constraints of a schema's checks. A schema such as `z.email()` of zod 4 is itself the first of them. */
function addChecks(json: Json, definition: Definition): void {
  const checks = (definition['checks'] ?? []) as readonly (Definition | Zod4Schema)[];
  for (const check of [definition, ...checks]) applyCheck(json, isZod4Schema(check) ? check._zod.def : check);
}

/** The checks that have another name elsewhere: of zod 3 by their `kind`, of zod 4 by their `check`. */
const checkNames: Readonly<Record<string, string>> = {
  greater_than: 'min',
  less_than: 'max',
  length_equals: 'length',
  int: 'integer',
  multipleOf: 'multiple_of',
  startsWith: 'starts_with',
  endsWith: 'ends_with',
};

function applyCheck(json: Json, given: Definition): void {
  const { kind, check = kind, format, version, inclusive, minimum, maximum, length, regex } = given;
  const { value = minimum ?? maximum ?? length ?? regex } = given;
  const name = lookUp(checkNames, String(check)) ?? String(check);
  // A format that JSON Schema knows is named; any other is its pattern.
  if (name === 'string_format' && !isFormat(String(format))) addPattern(json, given['pattern']);
  else if (name === 'string_format') addCheck(json, String(format), value);
  else if (name === 'number_format' && String(format).includes('int')) addCheck(json, 'integer', value);
  else if (name === 'ip' && version !== undefined) addCheck(json, `ip${version as string}`, value);
  else if (name === 'base64') json['contentEncoding'] = name;
  else if (name !== 'min' && name !== 'max') addCheck(json, name, value);
  else if (json['type'] === 'string') addCheck(json, `${name}_length`, value);
  else if (inclusive === false) addCheck(json, name === 'min' ? 'gt_value' : 'lt_value', value);
  else addCheck(json, `${name}_value`, value);
}
