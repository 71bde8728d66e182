/** `server/zod-json-schema-compat.js` of v1. */
import { prepareSchema, type StandardTyped } from 'crosspoint/schema';
import { getLiteralValue, getObjectShape, safeParse, type AnyObjectSchema, type AnySchema } from './zod-compat.ts';

export interface JsonSchemaOptions {
  strictUnions?: boolean;
  /** Which side of a transformation to describe; `input` when absent. */
  pipeStrategy?: 'input' | 'output';
  /** Ignored: the schema is always 2020-12, as the protocol requires. */
  target?: 'jsonSchema7' | 'draft-7' | 'jsonSchema2019-09' | 'draft-2020-12';
}

/** The JSON Schema of a zod schema of either major version. */
export function toJsonSchemaCompat(schema: AnyObjectSchema, options: JsonSchemaOptions = {}): Record<string, unknown> {
  const prepared = prepareSchema(schema as StandardTyped, options.pipeStrategy ?? 'input');
  return prepared.json as Record<string, unknown>;
}

/** The method in the schema of a request or notification. Throws when it has none. */
export function getMethodLiteral(schema: AnyObjectSchema): string {
  const member = getObjectShape(schema)?.['method'];
  const method = member === undefined ? undefined : getLiteralValue(member);
  if (typeof method !== 'string')
    throw new TypeError('The schema of a message needs a member "method" that is a literal text.');
  return method;
}

/** Parses data; throws the validation error. */
export function parseWithCompat(schema: AnySchema, data: unknown): unknown {
  const result = safeParse(schema, data);
  if (result.success) return result.data;
  throw result.error instanceof Error ? result.error : new TypeError(String(result.error));
}
