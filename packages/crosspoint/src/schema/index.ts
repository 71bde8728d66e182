export { registerJsonSchemaConverter } from './adapters/converter-registry.ts';
export {
  compileSchema,
  SchemaError,
  to202012,
  type CompiledSchema,
  type CompileOptions,
  type JsonSchema,
  type ValidationIssue,
  type ValidationResult,
} from '@crosspoint/json-schema';
export {
  fromJsonSchema,
  type JsonSchemaValidator,
  type JsonSchemaValidatorResult,
  type StandardSchemaWithJSON,
} from './from-json-schema.ts';
export { prepareSchema } from './documents/prepare-schema.ts';
export type { AnySchema, RawShape, SchemaInput, SchemaOutput } from './schema.ts';
export type { StandardTyped } from './standard-schema.ts';
export { describeIssues } from '@crosspoint/json-schema/internal';
