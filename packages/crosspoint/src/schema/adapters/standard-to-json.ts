import { isSchemaObject, type JsonSchemaObject } from '@crosspoint/json-schema/internal';
import type { SchemaSide } from '../schema.ts';
import { knowsJsonSchema, type StandardTyped } from '../standard-schema.ts';
import { registeredConverter } from './converter-registry.ts';
import { convertSchema } from './conversion.ts';
import { isValibotSchema, valibot } from './valibot-to-json.ts';
import { isZod3Schema, zod3 } from './zod3-to-json.ts';
import { isZod4Schema, zod4 } from './zod4-to-json.ts';
import { errorMessage } from '../../runtime/guard.ts';

/** The JSON Schema of one side of a Standard Schema. Throws `TypeError` when it cannot be known. */
export function standardToJson(schema: StandardTyped, side: SchemaSide): JsonSchemaObject {
  const { vendor } = schema['~standard'];
  try {
    const json = convert(schema, side);
    if (json !== undefined) return withoutDefaultDialect(json);
  } catch (cause) {
    const reason = errorMessage(cause);
    throw new TypeError(`This ${vendor} schema has no JSON Schema for its ${side}: ${reason}`, { cause });
  }
  throw new TypeError(
    `Cannot turn a schema of "${vendor}" into JSON Schema. Call registerJsonSchemaConverter('${vendor}', (schema, side) => …) ` +
      'with a converter for that library first.',
  );
}

function convert(schema: StandardTyped, side: SchemaSide): JsonSchemaObject | undefined {
  const registered = registeredConverter(schema['~standard'].vendor);
  if (registered !== undefined) return registered(schema, side);
  if (knowsJsonSchema(schema)) return schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' });
  if (isZod3Schema(schema)) return convertSchema(schema, side, zod3);
  if (isValibotSchema(schema)) return convertSchema(schema, side, valibot);
  return viaMethod(schema, side) ?? (isZod4Schema(schema) ? convertSchema(schema, side, zod4(schema)) : undefined);
}

/** Converts through the library's own method; some libraries had one before the standard did. */
function viaMethod(schema: object, side: SchemaSide): JsonSchemaObject | undefined {
  for (const name of ['toJSONSchema', 'toJsonSchema']) {
    const method: unknown = Reflect.get(schema, name);
    if (typeof method !== 'function') continue;
    const json: unknown = method.call(schema, { io: side });
    if (isSchemaObject(json)) return json;
  }
  return undefined;
}

const DEFAULT_DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Drops a `$schema` that names 2020-12: it is the default dialect of the newest protocol revision, and peers of the older ones, which do not
 * name a default, ignore it. Any other dialect stays named, because the schema means something else without it.
 */
function withoutDefaultDialect(json: JsonSchemaObject): JsonSchemaObject {
  if (json['$schema'] !== DEFAULT_DIALECT) return json;
  const { $schema: _, ...rest } = json;
  return rest;
}
