import { defaultDialect, type Dialect, dialectOf } from './dialect.ts';
import { isJsonSchema, isSchemaObject, type JsonSchema, type JsonSchemaObject } from '../json-schema.ts';
import { metaSchema } from '../meta/meta-schema.ts';
import { SchemaError } from '../schema-error.ts';
import type { SchemaLimits } from '../schema-limits.ts';
import type { LocatedSchema, SchemaResource } from './schema-resource.ts';
import { forEachSubschema } from './subschemas.ts';
import { fragmentOf, resolveUri, rootUri, withoutFragment } from '../formats/uri-reference.ts';

/** The schemas of one compilation by address. Documents come from the caller or from this library, never from a network. */
export class SchemaRegistry {
  readonly #resources = new Map<string, SchemaResource>();
  readonly #homes = new Map<JsonSchemaObject, SchemaResource>();
  readonly #documents: ReadonlyMap<string, JsonSchema>;
  readonly #limits: SchemaLimits;
  #nodes = 0;

  constructor(documents: Readonly<Record<string, JsonSchema>>, limits: SchemaLimits) {
    const entries = Object.entries(documents);
    this.#documents = new Map(entries.map(([uri, schema]) => [withoutFragment(resolveUri(rootUri, uri)), schema]));
    this.#limits = limits;
  }

  /** Adds a document with all its subschemas; `dialect` applies unless the document names one. */
  add(uri: string, schema: JsonSchema, dialect: Dialect = defaultDialect): SchemaResource {
    const own = isSchemaObject(schema) ? this.#declaredDialect(schema, dialect) : dialect;
    const resource = this.#addResource(uri, schema, own);
    this.#walk(schema, resource, 0);
    return isSchemaObject(schema) ? (this.#homes.get(schema) ?? resource) : resource;
  }

  /** The resource that a subschema of `parent` belongs to. */
  homeOf(schema: JsonSchema, parent: SchemaResource): SchemaResource {
    return isSchemaObject(schema) ? (this.#homes.get(schema) ?? parent) : parent;
  }

  resolve(reference: string, from: SchemaResource): LocatedSchema {
    const uri = resolveUri(from.uri, reference);
    const resource = this.#resources.get(withoutFragment(uri)) ?? this.#load(withoutFragment(uri));
    const fragment = fragmentOf(uri);
    if (resource === undefined || fragment === undefined) throw unresolved(reference);
    if (fragment === '') return { schema: resource.root, resource };
    if (fragment.startsWith('/')) return this.#follow(fragment, resource) ?? fail(reference);
    const anchored = resource.anchors.get(fragment);
    if (anchored === undefined) throw unresolved(reference);
    return { schema: anchored, resource: this.homeOf(anchored, resource) };
  }

  #load(uri: string): SchemaResource | undefined {
    const document = this.#documents.get(uri) ?? metaSchema(uri);
    if (document === undefined) return undefined;
    this.add(uri, document);
    return this.#resources.get(uri);
  }

  #declaredDialect(schema: JsonSchemaObject, inherited: Dialect): Dialect {
    const declared = schema['$schema'];
    if (declared === undefined) return inherited;
    if (typeof declared !== 'string') throw new SchemaError('invalid-schema', '`$schema` must be a string');
    return dialectOf(declared, (uri) => this.#documents.get(uri));
  }

  #addResource(uri: string, root: JsonSchema, dialect: Dialect): SchemaResource {
    const resource = { uri, root, dialect, anchors: new Map(), dynamicAnchors: new Map() };
    if (!this.#resources.has(uri)) this.#resources.set(uri, resource);
    return resource;
  }

  #walk(schema: JsonSchema, parent: SchemaResource, depth: number): void {
    if (!isSchemaObject(schema) || this.#homes.has(schema)) return;
    if (++this.#nodes > this.#limits.maxNodes)
      throw new SchemaError('too-complex', `the schema has more than ${this.#limits.maxNodes} subschemas`);
    if (depth > this.#limits.maxSchemaDepth) throw new SchemaError('too-complex', 'the schema is nested too deeply');
    const home = this.#identify(schema, parent);
    this.#homes.set(schema, home);
    if (home.dialect.draft !== 'draft-07' || schema['$ref'] === undefined) nameAnchors(schema, home);
    forEachSubschema(schema, home.dialect.draft, (subschema) => this.#walk(subschema, home, depth + 1));
  }

  #identify(schema: JsonSchemaObject, parent: SchemaResource): SchemaResource {
    const id = schema[parent.dialect.idKeyword];
    if (typeof id !== 'string' || (parent.dialect.draft === 'draft-07' && typeof schema['$ref'] === 'string'))
      return parent;
    if (id.startsWith('#')) {
      if (parent.dialect.draft === 'draft-07' && id.length > 1) parent.anchors.set(id.slice(1), schema);
      return parent;
    }
    const uri = withoutFragment(resolveUri(parent.uri, id));
    if (uri === parent.uri && schema === parent.root) return parent;
    return this.#addResource(uri, schema, this.#declaredDialect(schema, parent.dialect));
  }

  /** Follows a JSON Pointer. Its target may lie under a keyword that is not known to hold schemas. */
  #follow(pointer: string, resource: SchemaResource): LocatedSchema | undefined {
    let value: unknown = resource.root;
    let home = resource;
    for (const token of pointer.slice(1).split('/')) {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Record<string, unknown>)[key];
      if (isSchemaObject(value)) home = this.#homes.get(value) ?? home;
    }
    if (!isJsonSchema(value)) return undefined;
    this.#walk(value, home, 0);
    return { schema: value, resource: this.homeOf(value, home) };
  }
}

function nameAnchors(schema: JsonSchemaObject, home: SchemaResource): void {
  if (home.dialect.draft === 'draft-07') return;
  const { $anchor: anchor, $dynamicAnchor: dynamic, $recursiveAnchor: recursive } = schema;
  if (typeof anchor === 'string') home.anchors.set(anchor, schema);
  if (typeof dynamic === 'string' && home.dialect.draft === '2020-12') {
    home.anchors.set(dynamic, schema);
    home.dynamicAnchors.set(dynamic, schema);
  }
  if (recursive === true && home.dialect.draft === '2019-09') home.dynamicAnchors.set('', schema);
}

function unresolved(reference: string): SchemaError {
  return new SchemaError(
    'unresolved-ref',
    `Cannot resolve $ref "${reference}": it is neither in the schema nor among the given \`schemas\`, and references are never fetched.`,
  );
}

function fail(reference: string): never {
  throw unresolved(reference);
}
