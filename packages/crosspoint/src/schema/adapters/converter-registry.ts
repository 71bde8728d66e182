import type { JsonSchemaObject, SchemaSide } from '@crosspoint/json-schema/internal';
import type { StandardTyped } from '../standard-schema.ts';

/** Turns a schema of one library into JSON Schema 2020-12. */
export type JsonSchemaConverter = (schema: StandardTyped, side: SchemaSide) => JsonSchemaObject;

const converters = new Map<string, JsonSchemaConverter>();

/**
 * Registers a converter for the schemas of a vendor (the name in `schema['~standard'].vendor`). It takes precedence over the built-in ones. Schemas
 * that were prepared before are not converted again.
 */
export function registerJsonSchemaConverter(vendor: string, converter: JsonSchemaConverter): void {
  converters.set(vendor, converter);
}

export function registeredConverter(vendor: string): JsonSchemaConverter | undefined {
  return converters.get(vendor);
}
