export { assertValidSchema } from './assert-valid-schema.ts';
export { compileSchema, type CompiledSchema, type CompileOptions } from './compile-schema.ts';
export { to202012 } from './documents/to-2020-12.ts';
export type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
export { SchemaError } from './schema-error.ts';
export { describeIssues, type ValidationIssue, type ValidationResult } from './validation-issue.ts';
