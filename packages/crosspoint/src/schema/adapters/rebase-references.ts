import { isSchemaObject, type JsonSchema } from '../json-schema.ts';
import { mapSubschemas } from '../documents/subschemas.ts';

/** Moves a generated schema to a place inside another: references to its own root now start at that place. */
export function rebaseReferences(schema: JsonSchema, pointer: string): JsonSchema {
  if (!isSchemaObject(schema)) return schema;
  const moved = mapSubschemas(schema, '2020-12', (part) => rebaseReferences(part, pointer));
  const reference = moved['$ref'];
  if (typeof reference === 'string' && (reference === '#' || reference.startsWith('#/'))) {
    moved['$ref'] = `#${pointer}${reference.slice(1)}`;
  }
  return moved;
}

/** One step of a JSON Pointer inside a URI fragment. */
export function pointerToken(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
