import type { JsonSchema, JsonSchemaObject, ValidationIssue } from '@crosspoint/json-schema/internal';
import type { StandardTyped } from './standard-schema.ts';

export type ParseResult<Out> =
  | { readonly ok: true; readonly value: Out }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

/** A prepared schema: the JSON Schema for the wire, and a parser. */
export interface Schema<In = unknown, Out = In> {
  /** 2020-12, unless the author gave a schema that cannot be rewritten and declares its own dialect. */
  readonly json: JsonSchema;
  /** Parses a value. Synchronous if the schema's library is. */
  parse(value: unknown): ParseResult<Out> | Promise<ParseResult<Out>>;
  /** Never present at run time. */
  readonly types?: { readonly input: In; readonly output: Out } | undefined;
}

/** Members by name, each a Standard Schema, as in `{ city: z.string() }`. The empty shape takes no members. */
export interface RawShape {
  readonly [name: string]: StandardTyped;
}

/** Any kind of schema: a Standard Schema, a Standard JSON Schema, a raw shape, or a JSON Schema. */
export type AnySchema = StandardTyped | RawShape | JsonSchemaObject;

/** The type of the values that a caller sends. */
export type SchemaInput<T> = T extends ZodTyped
  ? T['_zod']['input']
  : T extends StandardTyped
    ? NonNullable<T['~standard']['types']>['input']
    : T extends RawShape
      ? Members<{ [K in keyof T]: SchemaInput<T[K]> }>
      : JsonSchemaValue<T>;

/** The type of the values that parsing produces. */
export type SchemaOutput<T> = T extends ZodTyped
  ? T['_zod']['output']
  : T extends StandardTyped
    ? NonNullable<T['~standard']['types']>['output']
    : T extends RawShape
      ? Members<{ [K in keyof T]: SchemaOutput<T[K]> }>
      : JsonSchemaValue<T>;

/** The place of zod 4's own types. They are under `~standard` too, where reading them costs the type checker twice as much. */
interface ZodTyped {
  readonly _zod: { readonly input: unknown; readonly output: unknown };
}

/** A JSON Schema says nothing to the type checker beyond a literal `type: 'object'`. */
type JsonSchemaValue<T> = T extends { readonly type: 'object' } ? { readonly [name: string]: unknown } : unknown;

/** Members that may be undefined may be left out. A type without any is left as it is: 500 tools with shapes take 50,500 instantiations, not 164,500. */
type Members<T> = undefined extends T[keyof T] ? PartlyOptional<T> : T;

type PartlyOptional<T> = Flatten<
  { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
    [K in keyof T as undefined extends T[K] ? K : never]?: T[K];
  }
>;

type Flatten<T> = { [K in keyof T]: T[K] };
