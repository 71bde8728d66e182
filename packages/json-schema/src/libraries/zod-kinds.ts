import {
  allOfJson,
  type Convert,
  enumJson,
  type Json,
  listJson,
  nullable,
  plainKinds,
  tupleJson,
} from './conversion.ts';

/** The schema that a schema stands around. */
export const inner: Convert = (definition, { convert }) => convert(definition['innerType']);

export const withDefault: Convert = (definition, conversion) => {
  const { defaultValue: given } = definition;
  return {
    ...inner(definition, conversion),
    default: typeof given === 'function' ? (given as () => unknown)() : given,
  };
};

/** The kinds of schemas that zod 3 and zod 4 define alike, by their names in zod 4. */
export const zodKinds: Readonly<Record<string, Convert>> = {
  ...plainKinds,
  tuple: (definition, conversion) => {
    const { rest } = definition;
    return tupleJson(listJson(conversion, definition['items']), rest === null ? undefined : conversion.convert(rest));
  },
  intersection: (definition, conversion) => allOfJson(conversion, [definition['left'], definition['right']]),
  optional: inner,
  readonly: inner,
  catch: inner,
  nullable: (definition, conversion) => nullable(inner(definition, conversion)),
  default: withDefault,
};

/** The values of a TypeScript enum. Numeric enums also map values back to names; those entries are left out. */
export function enumOf(entries: unknown): Json {
  const values = entries as Readonly<Record<string, unknown>>;
  const names = Object.keys(values).filter((name) => typeof values[String(values[name])] !== 'number');
  return enumJson([...new Set(names.map((name) => values[name]))]);
}
