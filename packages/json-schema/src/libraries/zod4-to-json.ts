import { addCheck, addPattern, isFormat } from './checks.ts';
import {
  type Conversion,
  type Convert,
  enumJson,
  type Json,
  type Library,
  listJson,
  lookUp,
  objectJson,
} from './conversion.ts';
import { enumOf, inner, withDefault, zodKinds } from './zod-kinds.ts';

/** The structure of a zod 4 schema; the members of the definition depend on `type`. */
interface Zod4Schema {
  readonly _zod: {
    readonly def: Readonly<Record<string, unknown>> & { readonly type: string };
    readonly optin?: string;
    readonly optout?: string;
  };
}

export function isZod4Schema(schema: unknown): schema is Zod4Schema {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

/** Schemas of `zod/mini` and of zod before 4.2, which do not carry their JSON Schema; others convert themselves. */
export const zod4: Library = {
  convert: (schema, conversion) => convert(schema as Zod4Schema, conversion),
  mayBeAbsent(schema, side) {
    const { optin, optout } = (schema as Zod4Schema)._zod;
    return side === 'input' ? optin !== undefined : optout === 'optional';
  },
  cyclicParts: (schema) => cyclicSchemas(schema as Zod4Schema),
};

const converters: Readonly<Record<string, Convert>> = {
  ...zodKinds,
  literal: (definition) => enumJson(definition['values'] as readonly unknown[]),
  enum: (definition) => enumOf(definition['entries']),
  object: (definition, conversion) => {
    const catchall = definition['catchall'] as Zod4Schema | undefined;
    const others = catchall && (catchall._zod.def.type === 'never' ? false : conversion.convert(catchall));
    return objectJson(conversion, definition['shape'], others);
  },
  array: (definition, { convert: part }) => ({ type: 'array', items: part(definition['element']) }),
  record: (definition, { convert: part }) => ({
    type: 'object',
    propertyNames: part(definition['keyType']),
    additionalProperties: part(definition['valueType']),
  }),
  union: (definition, conversion) => ({
    [definition['discriminator'] === undefined ? 'anyOf' : 'oneOf']: listJson(conversion, definition['options']),
  }),
  nonoptional: inner,
  prefault: (definition, conversion) => (conversion.side === 'input' ? withDefault : inner)(definition, conversion),
  pipe: (definition, conversion) => {
    const [from, to] = [definition['in'], definition['out']] as [Zod4Schema, Zod4Schema];
    // A preprocessing step accepts anything; the schema after it says which input is meant.
    const first = from._zod.def.type === 'transform' ? to : from;
    return conversion.convert(conversion.side === 'input' ? first : to);
  },
  lazy: (definition, { convert: part }) => part((definition['getter'] as () => unknown)()),
};

function convert(schema: Zod4Schema, conversion: Conversion): Json {
  const { def: definition } = schema._zod;
  const converter = lookUp(converters, definition.type);
  if (converter === undefined) throw new TypeError(`\`${definition.type}\` cannot be expressed in JSON Schema`);
  const json = checked(converter(definition, conversion), definition);
  const description: unknown = Reflect.get(schema, 'description');
  return typeof description === 'string' ? { ...json, description } : json;
}

/** Adds the constraints of a schema's checks. A schema such as `z.email()` is itself the first of them. */
function checked(json: Json, definition: Zod4Schema['_zod']['def']): Json {
  const next = { ...json };
  const checks = (definition['checks'] ?? []) as readonly Zod4Schema[];
  for (const check of [definition, ...checks.map(({ _zod: { def } }) => def)]) applyCheck(next, check);
  return next;
}

function applyCheck(json: Json, check: Readonly<Record<string, unknown>>): void {
  const { value, format } = check;
  const isExclusive = check['inclusive'] === false;
  switch (check['check']) {
    case 'greater_than':
      return addCheck(json, isExclusive ? 'gt_value' : 'min_value', value);
    case 'less_than':
      return addCheck(json, isExclusive ? 'lt_value' : 'max_value', value);
    case 'multiple_of':
      return addCheck(json, 'multiple_of', value);
    case 'number_format':
      return String(format).includes('int') ? addCheck(json, 'integer', value) : undefined;
    case 'min_length':
      return addCheck(json, 'min_length', check['minimum']);
    case 'max_length':
      return addCheck(json, 'max_length', check['maximum']);
    case 'length_equals':
      return addCheck(json, 'length', check['length']);
    case 'string_format':
      // A format that JSON Schema knows is named; any other is its pattern.
      return isFormat(String(format)) ? addCheck(json, String(format), value) : addPattern(json, check['pattern']);
    default:
      return undefined;
  }
}

/** Schemas that contain themselves, which getters allow without any mark. */
function cyclicSchemas(root: Zod4Schema): ReadonlySet<unknown> {
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
