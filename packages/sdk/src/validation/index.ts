/** `validation` of the older SDK: types alone. */
export type { JsonSchemaType, JsonSchemaValidator, JsonSchemaValidatorResult, jsonSchemaValidator } from './types.ts';
