import { atOnce } from '../runtime/guard.ts';
import { compileSchema } from './compile-schema.ts';
import type { JsonSchemaObject } from './json-schema.ts';
import type { StandardJsonSchema, StandardSchema } from './standard-schema.ts';

/** A schema that validates and can be published: both of the Standard Schema interfaces. */
export type StandardSchemaWithJSON<In = unknown, Out = In> = StandardSchema<In, Out> & StandardJsonSchema<In, Out>;

export type JsonSchemaValidatorResult<T> =
  | { valid: true; data: T; errorMessage: undefined }
  | { valid: false; data: undefined; errorMessage: string };
export type JsonSchemaValidator<T> = (input: unknown) => JsonSchemaValidatorResult<T>;
/** Validates with another library, such as Ajv. */
export interface JsonSchemaValidatorProvider {
  getValidator<T>(schema: JsonSchemaObject): JsonSchemaValidator<T>;
}

/** Makes a Standard Schema of a JSON Schema. `T` is the type of its values, which the schema itself cannot tell the type checker. */
export function fromJsonSchema<T = unknown>(
  schema: JsonSchemaObject,
  validator?: JsonSchemaValidatorProvider,
): StandardSchemaWithJSON<T, T> {
  const copy = (): Record<string, unknown> => structuredClone(schema);
  let check: JsonSchemaValidator<T> | undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'crosspoint',
      validate: (value) => {
        check ??= atOnce(validator?.getValidator<T>(schema), 'getValidator') ?? ownValidator<T>(schema);
        const result = atOnce(check(value), 'The validator');
        return result.valid ? { value: result.data } : { issues: [{ message: result.errorMessage }] };
      },
      jsonSchema: { input: copy, output: copy },
    },
  };
}

function ownValidator<T>(schema: JsonSchemaObject): JsonSchemaValidator<T> {
  const compiled = compileSchema(schema);
  return (input) => {
    const checked = compiled.validate(input);
    return checked.ok
      ? { valid: true, data: input as T, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: checked.issues.map(({ message }) => message).join('; ') };
  };
}
