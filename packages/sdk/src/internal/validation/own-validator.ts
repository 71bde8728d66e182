import { compileSchema, describeIssues, type CompileOptions } from 'crosspoint/schema';
import type { JsonSchemaType, JsonSchemaValidator } from '../../validation/types.ts';

/** A validator of this library in v1's form. Throws `SchemaError` for an unusable schema. */
export function ownValidator<T>(schema: JsonSchemaType, options: CompileOptions): JsonSchemaValidator<T> {
  const compiled = compileSchema(schema, options);
  return (input) => {
    const result = compiled.validate(input);
    return result.ok
      ? { valid: true, data: input as T, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: describeIssues(result.issues) };
  };
}
