import {
  convertSchema,
  isSchemaObject,
  libraryOf,
  type JsonSchemaObject,
  type SchemaSide,
} from '@crosspoint/json-schema/internal';
import { knowsJsonSchema, type StandardTyped } from '../standard-schema.ts';
import { registeredConverter } from './converter-registry.ts';
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
  const library = libraryOf(schema);
  return viaMethod(schema, side) ?? (library && convertSchema(schema, side, library));
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
