import type { JsonSchema } from '../json-schema.ts';
import { draft07 } from './draft-07.ts';
import { draft201909, draft202012 } from './vocabularies.ts';

/** Made on first use: most programs never need a meta-schema when they start. */
let byAddress: ReadonlyMap<string, JsonSchema> | undefined;

/** A published meta-schema by its address without fragment; without its titles and comments. */
export function metaSchema(uri: string): JsonSchema | undefined {
  byAddress ??= new Map(publishedMetaSchemas().map((schema) => [addressOf(schema), schema]));
  return byAddress.get(uri);
}

/** Copies the meta-schemas, so that no two share an object: the compiler tells schemas apart by identity. */
export function publishedMetaSchemas(): JsonSchema[] {
  return JSON.parse(JSON.stringify([draft07(), ...draft201909(), ...draft202012()])) as JsonSchema[];
}

function addressOf(schema: JsonSchema): string {
  const id = typeof schema === 'object' ? schema['$id'] : undefined;
  return typeof id === 'string' ? id.replace(/#$/, '') : '';
}
