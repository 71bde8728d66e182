/** `validation/types.js` of the older SDK: what a validator of JSON Schema is to it. */
import type { JsonSchemaType } from 'crosspoint/server';

export type { JsonSchemaType };

export type JsonSchemaValidatorResult<T> =
  | { valid: true; data: T; errorMessage: undefined }
  | { valid: false; data: undefined; errorMessage: string };

export type JsonSchemaValidator<T> = (input: unknown) => JsonSchemaValidatorResult<T>;

/** Makes validators. The name begins with a small letter, as it does there. */
export interface jsonSchemaValidator {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T>;
}
