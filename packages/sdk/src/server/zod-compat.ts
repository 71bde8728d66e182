/** `server/zod-compat.js` of v1: one view of the schemas of zod 3 and zod 4. This library itself accepts any Standard Schema. */
import * as z3 from 'zod/v3';
import type * as z4 from 'zod/v4/core';
import { object, safeParse as parse4, safeParseAsync as parse4Async } from 'zod/v4-mini';

export type AnySchema = z3.ZodTypeAny | z4.$ZodType;
export type AnyObjectSchema = z3.AnyZodObject | z4.$ZodObject | AnySchema;
export type ZodRawShapeCompat = Record<string, AnySchema>;

type ShapeSource = Record<string, AnySchema> | (() => Record<string, AnySchema>);

/** The used part of a zod 3 schema. */
export interface ZodV3Internal {
  _def?: { typeName?: string; value?: unknown; values?: unknown[]; shape?: ShapeSource; description?: string };
  shape?: ShapeSource;
  value?: unknown;
}
/** The used part of a zod 4 schema. */
export interface ZodV4Internal {
  _zod?: { def?: { type?: string; value?: unknown; values?: unknown[]; shape?: ShapeSource } };
  value?: unknown;
}

export type SchemaOutput<S> = S extends z3.ZodTypeAny ? z3.infer<S> : S extends z4.$ZodType ? z4.output<S> : never;
export type SchemaInput<S> = S extends z3.ZodTypeAny ? z3.input<S> : S extends z4.$ZodType ? z4.input<S> : never;
export type ShapeOutput<Shape extends ZodRawShapeCompat> = { [K in keyof Shape]: SchemaOutput<Shape[K]> };

type Parsed<S> = { success: true; data: SchemaOutput<S> } | { success: false; error: unknown };

const inside3 = (schema: unknown): ZodV3Internal => schema as ZodV3Internal;
const inside4 = (schema: unknown): ZodV4Internal => schema as ZodV4Internal;
const isSchema = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('_zod' in value || '_def' in value || 'parse' in value);

export function isZ4Schema(s: AnySchema): s is z4.$ZodType {
  return inside4(s)._zod !== undefined;
}

/** The object schema of a shape; zod 4 for an empty one. Throws when both major versions are mixed. */
export function objectFromShape(shape: ZodRawShapeCompat): AnyObjectSchema {
  const members = Object.values(shape);
  const newer = members.filter(isZ4Schema).length;
  if (newer === members.length) return object(shape as Record<string, z4.$ZodType>);
  if (newer === 0) return z3.object(shape as z3.ZodRawShape);
  throw new TypeError('The members of a shape must all come from the same major version of zod.');
}

export function safeParse<S extends AnySchema>(schema: S, data: unknown): Parsed<S> {
  return (isZ4Schema(schema) ? parse4(schema, data) : schema.safeParse(data)) as Parsed<S>;
}

export async function safeParseAsync<S extends AnySchema>(schema: S, data: unknown): Promise<Parsed<S>> {
  return (await (isZ4Schema(schema) ? parse4Async(schema, data) : schema.safeParseAsync(data))) as Parsed<S>;
}

/** The members of an object schema; `undefined` for any other. */
export function getObjectShape(schema: AnyObjectSchema | undefined): Record<string, AnySchema> | undefined {
  if (schema === undefined) return undefined;
  const shape = isZ4Schema(schema) ? inside4(schema)._zod?.def?.shape : inside3(schema).shape;
  return typeof shape === 'function' ? shape() : shape;
}

/** The object schema, given as one or as a shape; `undefined` for anything else. */
export function normalizeObjectSchema(schema: AnySchema | ZodRawShapeCompat | undefined): AnyObjectSchema | undefined {
  if (schema === undefined || schema === null) return undefined;
  if (isSchema(schema)) return getObjectShape(schema as AnySchema) === undefined ? undefined : (schema as AnySchema);
  const members = Object.values(schema);
  return members.length > 0 && members.every(isSchema) ? objectFromShape(schema as ZodRawShapeCompat) : undefined;
}

/** All issues, one per line, each with its path. */
export function getParseErrorMessage(error: unknown): string {
  const { issues, message } = (error ?? {}) as { issues?: unknown; message?: unknown };
  if (Array.isArray(issues) && issues.length > 0) return issues.map(describe).join('\n');
  return typeof message === 'string' ? message : String(error);
}

function describe({ message, path = [] }: { message: string; path?: PropertyKey[] }): string {
  if (path.length === 0) return message;
  const [first, ...rest] = path;
  const inside = rest.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return `${message} at ${String(first)}${inside.join('')}`;
}

export function getSchemaDescription(schema: AnySchema): string | undefined {
  return (schema as { description?: string }).description;
}

export function isSchemaOptional(schema: AnySchema): boolean {
  return isZ4Schema(schema) ? inside4(schema)._zod?.def?.type === 'optional' : schema.isOptional();
}

/** The value of a literal, the first where it has several; `undefined` for any other schema. */
export function getLiteralValue(schema: AnySchema): unknown {
  const definition = isZ4Schema(schema) ? inside4(schema)._zod?.def : inside3(schema)._def;
  return definition?.value ?? definition?.values?.[0];
}
