import { fromJsonSchema } from 'crosspoint/schema';
import type { JsonSchemaType } from 'crosspoint/server';

/** A config whose plain JSON Schemas can validate; everything else in it stays as it is. */
export function withValidators<Config extends object>(config: Config): Config {
  const converted = Object.entries(config).filter(([name, value]) => SCHEMAS.has(name) && isJsonSchema(value));
  if (converted.length === 0) return config;
  const schemas = converted.map(([name, schema]) => [name, fromJsonSchema(schema as JsonSchemaType)]);
  return { ...config, ...(Object.fromEntries(schemas) as object) };
}

const SCHEMAS: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema', 'argsSchema']);

/** In an object of schemas every member is one, and no text. */
function isJsonSchema(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || '~standard' in value || '_def' in value) return false;
  const { type, $schema, $ref } = value as JsonSchemaType;
  return [type, $schema, $ref].some((member) => typeof member === 'string');
}
