/**
 * `validation/ajv` of v1. Validates with this library's own engine, which needs neither Ajv nor code generation; an Ajv instance that is
 * passed, with its formats and keywords, is used instead.
 */
import type { CompileOptions } from 'crosspoint/schema';
import { ownValidator } from '../internal/validation/own-validator.ts';
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from './types.ts';

/** The used part of an Ajv instance. */
export interface AjvLike {
  compile(schema: object): ((input: unknown) => unknown) & { errors?: unknown };
  getSchema(id: string): (((input: unknown) => unknown) & { errors?: unknown }) | undefined;
  errorsText(errors?: never): string;
}

/** Formats are checked, as by the default instance of v1. */
const CHECKING: CompileOptions = { assertFormats: true };

export class AjvJsonSchemaValidator implements jsonSchemaValidator {
  readonly #ajv: AjvLike | undefined;

  constructor(ajv?: AjvLike) {
    this.#ajv = ajv;
  }

  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const ajv = this.#ajv;
    if (ajv === undefined) return ownValidator<T>(schema, CHECKING);
    const id = schema['$id'];
    const validate = (typeof id === 'string' ? ajv.getSchema(id) : undefined) ?? ajv.compile(schema);
    return (input) =>
      validate(input) === true
        ? { valid: true, data: input as T, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: ajv.errorsText(validate.errors as never) };
  }
}
