/** `server/zod-json-schema-compat.js` of v1. */
import type * as z3 from 'zod/v3';
import { toJSONSchema } from 'zod/v4-mini';
import { zodToJsonSchema } from 'zod-to-json-schema';
import {
  getLiteralValue,
  getObjectShape,
  isZ4Schema,
  safeParse,
  type AnyObjectSchema,
  type AnySchema,
} from './zod-compat.ts';

export interface JsonSchemaOptions {
  strictUnions?: boolean;
  /** Which side of a transformation to describe; `input` when absent. */
  pipeStrategy?: 'input' | 'output';
  /** draft-07 when absent. Followed for schemas of zod 4 alone. */
  target?: 'jsonSchema7' | 'draft-7' | 'jsonSchema2019-09' | 'draft-2020-12';
}

const NEW_TARGETS: ReadonlySet<unknown> = new Set(['jsonSchema2019-09', 'draft-2020-12']);

/**
 * The JSON Schema of a zod schema of either major, made by the same converters as in v1. Where v1 throws because JSON Schema has no words for a part, such as a
 * date, that part allows anything.
 */
export function toJsonSchemaCompat(schema: AnyObjectSchema, options: JsonSchemaOptions = {}): Record<string, unknown> {
  const { strictUnions = true, pipeStrategy = 'input', target } = options;
  if (!isZ4Schema(schema)) return zodToJsonSchema(schema as z3.ZodTypeAny, { strictUnions, pipeStrategy });
  return toJSONSchema(schema, {
    target: NEW_TARGETS.has(target) ? 'draft-2020-12' : 'draft-7',
    io: pipeStrategy,
    unrepresentable: 'any',
  });
}

/** The method in the schema of a request or notification. Throws when it has none. */
export function getMethodLiteral(schema: AnyObjectSchema): string {
  const member = getObjectShape(schema)?.['method'];
  if (member === undefined) throw new Error('Schema is missing a method literal');
  const method = getLiteralValue(member);
  if (typeof method !== 'string') throw new Error('Schema method literal must be a string');
  return method;
}

/** Parses data; throws the validation error. */
export function parseWithCompat(schema: AnySchema, data: unknown): unknown {
  const result = safeParse(schema, data);
  if (result.success) return result.data;
  throw result.error instanceof Error ? result.error : new TypeError(String(result.error));
}
