/** Small functions for schemas as data, without the validator: programs that validate nothing carry nothing else of this package. */
export { mapSubschemas } from './documents/subschemas.ts';
export { isSchemaObject, type JsonSchema, type JsonSchemaObject } from './json-schema.ts';
export { isMultipleOf } from './multiple-of.ts';
export { describeIssue, describeIssues, type ValidationIssue, type ValidationResult } from './validation-issue.ts';
