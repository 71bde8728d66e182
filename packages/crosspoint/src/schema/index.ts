export { registerJsonSchemaConverter } from './adapters/converter-registry.ts';
export { compileSchema, type CompiledSchema, type CompileOptions } from './compile-schema.ts';
export {
  fromJsonSchema,
  type JsonSchemaValidator,
  type JsonSchemaValidatorResult,
  type StandardSchemaWithJSON,
} from './from-json-schema.ts';
export type { JsonSchema } from './json-schema.ts';
export { prepareSchema } from './documents/prepare-schema.ts';
export type { AnySchema, RawShape, SchemaInput, SchemaOutput } from './schema.ts';
export { SchemaError } from './schema-error.ts';
export type { StandardTyped } from './standard-schema.ts';
export { to202012 } from './documents/to-2020-12.ts';
export { describeIssues, type ValidationIssue, type ValidationResult } from './validation-issue.ts';
