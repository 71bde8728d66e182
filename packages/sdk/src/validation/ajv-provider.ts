/**
 * `validation/ajv` of the older SDK. Validation is done by this library's own engine, which needs neither Ajv nor the generation of code; given an
 * instance of Ajv, with formats or keywords of its own, that one is used.
 */
import type { CompileOptions } from 'crosspoint/schema';
import { ownValidator } from '../internal/validation/own-validator.ts';
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from './types.ts';

/** What is used of an instance of Ajv. */
export interface AjvLike {
  compile(schema: object): ((input: unknown) => unknown) & { errors?: unknown };
  getSchema(id: string): (((input: unknown) => unknown) & { errors?: unknown }) | undefined;
  errorsText(errors?: never): string;
}

/** Formats are checked, as the instance does that the older SDK makes by default. */
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
