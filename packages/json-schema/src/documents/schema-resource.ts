import type { Dialect } from './dialect.ts';
import type { JsonSchema } from '../json-schema.ts';

/** A schema with an address of its own: a document, or a subschema with an `$id`. */
export interface SchemaResource {
  readonly uri: string;
  readonly root: JsonSchema;
  readonly dialect: Dialect;
  readonly anchors: Map<string, JsonSchema>;
  /** `$dynamicAnchor` by name; a `$recursiveAnchor` is kept under the empty name, which no anchor can have. */
  readonly dynamicAnchors: Map<string, JsonSchema>;
}

/** A schema and the resource whose address and dialect apply to it. */
export interface LocatedSchema {
  readonly schema: JsonSchema;
  readonly resource: SchemaResource;
}
