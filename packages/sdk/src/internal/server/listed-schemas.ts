import type { AnySchema, StandardSchemaWithJSON } from 'crosspoint/schema';
import {
  getObjectShape,
  getSchemaDescription,
  isSchemaOptional,
  normalizeObjectSchema,
  objectFromShape,
  type AnySchema as ZodSchema,
  type ZodRawShapeCompat,
} from '../../server/zod-compat.ts';
import { toJsonSchemaCompat } from '../../server/zod-json-schema-compat.ts';

type Validate = StandardSchemaWithJSON['~standard']['validate'];

/** The schema that v1 lists for a tool without parameters, and for one whose parameters are not simply an object, such as a union. */
const ANY_OBJECT = { type: 'object', properties: {} };

const accept: Validate = (value) => ({ value });

/** The parameters of a tool that has none: whatever arguments it is called with, they are not read. */
export const NO_PARAMETERS: StandardSchemaWithJSON = {
  '~standard': {
    version: 1,
    vendor: 'crosspoint',
    validate: accept,
    jsonSchema: { input: () => ANY_OBJECT, output: () => ANY_OBJECT },
  },
};

interface ReadSchema {
  /** The schema that is registered: it lists as v1 does, and accepts everything where `validate` is there. */
  readonly listed: object;
  /** Checks a value in the words of zod. Absent for a schema of another library, which is checked where it is registered. */
  readonly validate?: Validate;
  readonly isObject: boolean;
}

/** A server for each session registers the same schemas again: each is converted once. */
const known = new WeakMap<object, ReadSchema>();

/**
 * A schema of zod, or a shape of them, whose JSON Schema is the one that v1 lists: draft-07, by zod itself or, for zod 3, by
 * `zod-to-json-schema`. Schemas of other libraries, which v1 does not take, are given back as they are.
 */
export function listedAsV1<T extends AnySchema | undefined>(schema: T): T {
  return schema === undefined ? schema : (read(schema).listed as T);
}

/** The same for results. v1 lists no schema of a result that is not simply an object. */
export function listedOutput<T extends AnySchema | undefined>(schema: T): T | undefined {
  return schema !== undefined && read(schema).isObject ? listedAsV1(schema) : undefined;
}

/** The arguments of a prompt, listed as v1 lists them: only an optional one is not required, and one with a default is. */
export function listedArguments<T extends AnySchema | undefined>(schema: T): T {
  if (schema === undefined || read(schema).validate === undefined) return schema;
  const { listed } = read(schema);
  const members = Object.entries(getObjectShape(listed as ZodSchema) ?? {});
  const json = {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, describing(member)])),
    required: members.filter(([, member]) => !isSchemaOptional(member)).map(([name]) => name),
  };
  const value = { version: 1, vendor: 'zod', validate: accept, jsonSchema: { input: () => json, output: () => json } };
  return Object.create(listed, { '~standard': { value } }) as T;
}

function describing(schema: ZodSchema): { description?: string } {
  const description = getSchemaDescription(schema);
  return description === undefined ? {} : { description };
}

/** The verdict of a zod schema on a value; `undefined` for a schema of another library. */
export function validatorAsV1(schema: AnySchema): Validate | undefined {
  return read(schema).validate;
}

/** Returns the schema. Throws for anything that is none, such as a JSON Schema. */
export function requireSchema<T extends AnySchema | undefined>(schema: T): T {
  if (schema !== undefined) read(schema);
  return schema;
}

function read(schema: object): ReadSchema {
  let found = known.get(schema);
  if (found === undefined) {
    found = isZod(schema) || isShape(schema, isZod) ? convert(schema) : { listed: schema, isObject: true };
    if (found.validate === undefined && !isStandard(schema) && !isShape(schema, isStandard))
      throw new Error('inputSchema must be a Zod schema or raw shape, received an unrecognized object');
    known.set(schema, found);
  }
  return found;
}

/** The zod schema is its prototype, so that a program can go on reading members such as `shape`. */
function convert(given: object): ReadSchema {
  const schema = isZod(given) ? (given as ZodSchema) : objectFromShape(given as ZodRawShapeCompat);
  const isObject = normalizeObjectSchema(schema) !== undefined;
  const value = {
    version: 1,
    vendor: 'zod',
    validate: accept,
    jsonSchema: {
      input: () => (isObject ? toJsonSchemaCompat(schema) : ANY_OBJECT),
      output: () => toJsonSchemaCompat(schema, { pipeStrategy: 'output' }),
    },
  };
  const listed = Object.create(schema, { '~standard': { value } }) as object;
  return { listed, validate: validatorOf(schema), isObject };
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

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

const isStandard = (value: unknown): boolean => isObject(value) && '~standard' in value;

const isZod = (value: unknown): boolean =>
  isObject(value) && ('_zod' in value || ('_def' in value && 'safeParse' in value));

const isShape = (value: object, isMember: (member: unknown) => boolean): boolean =>
  !isStandard(value) && Object.values(value).every(isMember);
