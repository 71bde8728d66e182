import { safeParse, type AnySchema, type SchemaOutput } from '../../server/zod-compat.ts';
import type { SchemaLike } from './protocol-options.ts';

/** Parses a value with a schema of any library; throws the error of that library when it does not match. */
export function readWith<T extends AnySchema>(schema: T, value: unknown): SchemaOutput<T>;
export function readWith<T>(schema: SchemaLike<T> | AnySchema, value: unknown): T;
export function readWith(schema: SchemaLike<unknown> | AnySchema, value: unknown): unknown {
  if (!('_zod' in schema) && !('safeParse' in schema)) return schema.parse(value);
  const parsed = safeParse(schema as AnySchema, value);
  if (parsed.success) return parsed.data;
  throw parsed.error instanceof Error ? parsed.error : new Error('The answer does not match the schema.');
}
