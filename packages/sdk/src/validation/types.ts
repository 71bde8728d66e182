/** `validation/types.js` of v1: the interface of a JSON Schema validator. */
import type { JsonSchemaType } from 'crosspoint/server';

export type { JsonSchemaType };

export type JsonSchemaValidatorResult<T> =
  | { valid: true; data: T; errorMessage: undefined }
  | { valid: false; data: undefined; errorMessage: string };

export type JsonSchemaValidator<T> = (input: unknown) => JsonSchemaValidatorResult<T>;

/** Makes validators. The name is in lower case, as in v1. */
export interface jsonSchemaValidator {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T>;
}
