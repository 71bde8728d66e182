import { atOnce } from '../runtime/guard.ts';
import { parseWith } from './adapters/parse-json-schema.ts';
import { assertValidSchema, compileSchema, to202012 } from '@crosspoint/json-schema';
import { definePreparation } from './documents/preparations.ts';
import type { JsonSchemaObject } from '@crosspoint/json-schema/internal';
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

/**
 * Makes a Standard Schema of a JSON Schema. `T` is the type of its values, which the schema itself cannot tell the type checker. Servers need it for
 * JSON Schemas, since their other schemas bring a validator; registering a schema that is invalid under its dialect throws `SchemaError`.
 */
export function fromJsonSchema<T = Record<string, unknown>>(
  schema: JsonSchemaObject,
  validator?: JsonSchemaValidatorProvider,
): StandardSchemaWithJSON<T, T> {
  const copy = (): Record<string, unknown> => structuredClone(schema);
  let check: JsonSchemaValidator<T> | undefined;
  const standard: StandardSchemaWithJSON<T, T> = {
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
  if (validator === undefined)
    definePreparation(standard, () => {
      // First, because this step bounds the size and depth that the conversion may then rely on.
      assertValidSchema(schema);
      return { json: to202012(schema), parse: parseWith(compileSchema(schema)) };
    });
  return standard;
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
