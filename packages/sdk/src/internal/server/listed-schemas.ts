import type { AnySchema, StandardSchemaWithJSON } from 'crosspoint/schema';
import {
  normalizeObjectSchema,
  objectFromShape,
  type AnySchema as ZodSchema,
  type ZodRawShapeCompat,
} from '../../server/zod-compat.ts';
import { toJsonSchemaCompat } from '../../server/zod-json-schema-compat.ts';

type Validate = StandardSchemaWithJSON['~standard']['validate'];

/** The schema that v1 lists for a tool without parameters, and for one whose parameters are not simply an object, such as a union. */
const ANY_OBJECT = { type: 'object', properties: {} };

/** The parameters of a tool that has none: whatever arguments it is called with, they are not read. */
export const NO_PARAMETERS: StandardSchemaWithJSON = {
  '~standard': {
    version: 1,
    vendor: 'crosspoint',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ANY_OBJECT, output: () => ANY_OBJECT },
  },
};

/** A server for each session registers the same schemas again: each is converted once. */
const known = new WeakMap<object, object>();

/**
 * A schema of zod, or a shape of them, whose JSON Schema is the one that v1 lists: draft-07, by zod itself or, for zod 3, by
 * `zod-to-json-schema`. Schemas of other libraries, which v1 does not take, are given back as they are.
 */
export function listedAsV1<T extends AnySchema | undefined>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  let listed = known.get(schema);
  if (listed === undefined)
    known.set(schema, (listed = isZod(schema) || isZodShape(schema) ? convert(schema) : schema));
  return listed as T;
}

/** The zod schema is its prototype, so that a program can go on reading members such as `shape`. */
function convert(given: object): object {
  const schema = isZod(given) ? (given as ZodSchema) : objectFromShape(given as ZodRawShapeCompat);
  const isObject = normalizeObjectSchema(schema) !== undefined;
  const value = {
    version: 1,
    vendor: 'zod',
    validate: validatorOf(schema),
    jsonSchema: {
      input: () => (isObject ? toJsonSchemaCompat(schema) : ANY_OBJECT),
      output: () => toJsonSchemaCompat(schema, { pipeStrategy: 'output' }),
    },
  };
  return Object.create(schema, { '~standard': { value } }) as object;
}

function validatorOf(schema: ZodSchema): Validate {
  const { '~standard': standard } = schema as { '~standard'?: { validate: Validate } };
  if (standard !== undefined) return standard.validate;
  // zod before 3.24
  const { safeParseAsync } = schema as { safeParseAsync: (value: unknown) => Promise<Parsed> };
  return async (value) => {
    const parsed = await safeParseAsync(value);
    return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
  };
}

type Parsed = { success: true; data: unknown } | { success: false; error: { issues: { message: string }[] } };

const isZod = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('_zod' in value || ('_def' in value && 'safeParse' in value));

const isZodShape = (value: object): boolean => !('~standard' in value) && Object.values(value).every(isZod);
