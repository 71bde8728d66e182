import { compileSchema, type CompileOptions } from './compile-schema.ts';
import { isSchemaObject, type JsonSchema } from './json-schema.ts';
import { joinedMetaSchema } from './meta/meta-schema.ts';
import { SchemaError } from './schema-error.ts';
import { resolveUri, rootUri, withoutFragment } from './formats/uri-reference.ts';

const defaultMeta = 'https://json-schema.org/draft/2020-12/schema';
const draft07Meta = 'http://json-schema.org/draft-07/schema';

/**
 * Throws `SchemaError` unless the schema is valid under its declared or default dialect: by the dialect's meta-schema, and by compiling it,
 * which also finds broken references and invalid patterns.
 */
export function assertValidSchema(schema: unknown, options?: CompileOptions): asserts schema is JsonSchema {
  if (typeof schema !== 'boolean' && !isSchemaObject(schema)) {
    const given = Array.isArray(schema) ? 'an array' : schema === null ? 'null' : `a value of type ${typeof schema}`;
    throw new SchemaError('invalid-schema', `a JSON Schema is an object or a boolean, not ${given}`);
  }
  // Compiled first, because the compiler knows which dialects are supported.
  compileSchema(schema, options);
  const result = compileSchema(metaSchemaFor(schema, options)).validate(schema);
  if (result.ok) return;
  throw new SchemaError(
    'invalid-schema',
    `not a valid JSON Schema: ${result.issues.map((issue) => issue.message).join('; ')}`,
  );
}

function metaSchemaFor(schema: JsonSchema, options: CompileOptions | undefined): JsonSchema {
  const declared = isSchemaObject(schema) && typeof schema['$schema'] === 'string' ? schema['$schema'] : defaultMeta;
  const address = withoutFragment(resolveUri(rootUri, declared));
  // Draft-04 and draft-06 are read as draft-07 but may break its meta-schema harmlessly, so they are not held to it.
  if (/^https?:\/\/json-schema\.org\/draft-0[46]\//.test(address)) return true;
  const known =
    joinedMetaSchema(address) ??
    joinedMetaSchema(address.replace(/^https:/, 'http:')) ??
    joinedMetaSchema(address.replace(/^http:/, 'https:'));
  return known ?? options?.schemas?.[declared] ?? options?.schemas?.[address] ?? joinedMetaSchema(draft07Meta) ?? true;
}
