import type { JsonSchema } from '../json-schema.ts';
import { draft07 } from './draft-07.ts';
import { draft201909 } from './draft-2019-09.ts';
import { draft202012 } from './draft-2020-12.ts';
import { vocabularies202012 } from './vocabularies-2020-12.ts';

/** Made when the first of them is needed: most programs start without any. */
let byAddress: ReadonlyMap<string, JsonSchema> | undefined;

/** A published meta-schema by its address without fragment. */
export function metaSchema(uri: string): JsonSchema | undefined {
  byAddress ??= new Map(
    [...draft07(), ...draft201909(), ...draft202012(), ...vocabularies202012()].map((schema) => [
      addressOf(schema),
      schema,
    ]),
  );
  return byAddress.get(uri);
}

function addressOf(schema: JsonSchema): string {
  const id = typeof schema === 'object' ? schema['$id'] : undefined;
  return typeof id === 'string' ? id.replace(/#$/, '') : '';
}
