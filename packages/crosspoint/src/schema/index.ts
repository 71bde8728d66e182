export { type JsonSchemaConverter, registerJsonSchemaConverter } from './adapters/converter-registry.ts';
export { assertValidSchema } from './assert-valid-schema.ts';
export { compileSchema, type CompiledSchema, type CompileOptions } from './compile-schema.ts';
export {
  fromJsonSchema,
  type JsonSchemaValidator,
  type JsonSchemaValidatorProvider,
  type JsonSchemaValidatorResult,
  type StandardSchemaWithJSON,
} from './from-json-schema.ts';
export type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
export { prepareSchema, zeroParameters } from './documents/prepare-schema.ts';
export { requireObjectRoot } from './require-object-root.ts';
export type { AnySchema, ParseResult, RawShape, Schema, SchemaInput, SchemaOutput, SchemaSide } from './schema.ts';
export { SchemaError, type SchemaErrorCode, UnsupportedDialectError } from './schema-error.ts';
export type { SchemaLimits } from './schema-limits.ts';
export type { StandardJsonSchema, StandardSchema, StandardTyped } from './standard-schema.ts';
export { to202012 } from './documents/to-2020-12.ts';
export { describeIssues, type ValidationIssue, type ValidationResult } from './validation-issue.ts';
