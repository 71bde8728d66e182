export { assertValidSchema } from './assert-valid-schema.ts';
export { compileSchema, type CompiledSchema, type CompileOptions } from './compile-schema.ts';
export type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
export { SchemaError, type SchemaErrorCode, UnsupportedDialectError } from './schema-error.ts';
export type { SchemaLimits } from './schema-limits.ts';
export type { ValidationIssue, ValidationResult } from './validation-issue.ts';
