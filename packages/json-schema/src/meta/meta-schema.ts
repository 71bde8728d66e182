import type { JsonSchema } from '../json-schema.ts';
import { draft07 } from './draft-07.ts';
import { joinedParts, publishedInParts } from './vocabularies.ts';

/** Made on first use: most programs never need a meta-schema when they start. */
let byAddress: ReadonlyMap<string, JsonSchema> | undefined;
let joinedByAddress: ReadonlyMap<unknown, JsonSchema> | undefined;

/** A published meta-schema by its address without fragment; without its titles and comments. */
export function metaSchema(uri: string): JsonSchema | undefined {
  byAddress ??= new Map(publishedMetaSchemas().map((schema) => [addressOf(schema), schema]));
  return byAddress.get(uri);
}

/**
 * A schema under which the same schemas are valid as under a published meta-schema. It is one document with references that are known when it is
 * compiled: the first check takes 4 ms instead of 8.5.
 */
export function joinedMetaSchema(uri: string): JsonSchema | undefined {
  joinedByAddress ??= new Map(joinedParts().map((schema) => [schema['$schema'], schema]));
  return joinedByAddress.get(uri) ?? metaSchema(uri);
}

/** Copies the meta-schemas, so that no two share an object: the compiler tells schemas apart by identity. */
export function publishedMetaSchemas(): JsonSchema[] {
  return JSON.parse(JSON.stringify([draft07(), ...publishedInParts()])) as JsonSchema[];
}

function addressOf(schema: JsonSchema): string {
  const id = typeof schema === 'object' ? schema['$id'] : undefined;
  return typeof id === 'string' ? id.replace(/#$/, '') : '';
}
