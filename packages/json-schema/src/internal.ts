/** Small functions for schemas as data, for the packages of this repository: servers that validate no raw JSON Schema carry nothing else of this package. */
export { rebaseReferences } from './documents/rebase-references.ts';
export { isSchemaObject, type JsonSchema, type JsonSchemaObject } from './json-schema.ts';
export { convertSchema, type SchemaSide } from './libraries/conversion.ts';
export { libraryOf } from './libraries/library-of.ts';
export { isMultipleOf } from './multiple-of.ts';
export { describeIssue, describeIssues, type ValidationIssue, type ValidationResult } from './validation-issue.ts';
