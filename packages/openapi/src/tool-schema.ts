import { isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { OpenApiError } from './options.ts';
import { lookUp } from './pointer.ts';

/** Members of a schema whose values are data, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);
/** Nesting of schemas, references followed: recursion needs a bound. */
const MAX_DEPTH = 500;
/** Members that OpenAPI adds to schemas and that are of no use to a model. */
const DROPPED: ReadonlySet<string> = new Set(['example', 'xml', 'externalDocs', 'discriminator', 'nullable']);
/** Members whose own members are schemas under names chosen by the author. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** The number of values that the schemas of all operations may still have, schemas dropped as too large included. */
export interface SchemaRoom {
  left: number;
}

/**
 * Makes the schemas of one tool self-contained: definitions that they refer to are copied once into `$defs`, circular ones included, and OpenAPI 3.0
 * keywords become those of JSON Schema. Throws an `OpenApiError` when they are too large.
 */
export class ToolSchemas {
  readonly #document: JsonObject;
  readonly #isOld: boolean;
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** Number of references that end in the same word. */
  readonly #timesNamed = new Map<string, number>();
  readonly #defs: JsonObject = {};
  readonly #room: SchemaRoom;
  #left: number;
  #depth = 0;

  constructor(document: JsonObject, maxValues: number, room: SchemaRoom) {
    this.#room = room;
    this.#document = document;
    this.#isOld = String(document['openapi']).startsWith('3.0');
    this.#left = maxValues;
  }

  /** Converts a schema; its references point into `$defs`. */
  convert(schema: unknown): JsonObject | boolean {
    if (typeof schema === 'boolean') return schema;
    return isJsonObject(schema) ? this.#object(schema) : {};
  }

  /** Adds to a schema the definitions that all schemas converted so far refer to. */
  complete(schema: JsonObject): JsonObject {
    return this.#names.size === 0 ? schema : { ...schema, $defs: this.#defs };
  }

  #object(schema: JsonObject): JsonObject {
    this.#spend();
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new OpenApiError('Its schemas refer to each other in too long a chain.');
    const made = this.#members(schema);
    this.#depth -= 1;
    return this.#isOld ? modern(schema, made) : made;
  }

  #members(schema: JsonObject): JsonObject {
    const made: JsonObject = {};
    for (const [key, member] of Object.entries(schema)) {
      if (DROPPED.has(key) || key.startsWith('x-') || key === '$id' || key === '$anchor' || key === '$schema') continue;
      if (key === '$ref' && typeof member === 'string') made['$ref'] = this.#refer(member);
      else if (VALUES.has(key)) made[key] = this.#counted(member);
      else if (MAPS.has(key) && isJsonObject(member))
        made[key] = Object.fromEntries(Object.entries(member).map(([name, inner]) => [name, this.convert(inner)]));
      else if (Array.isArray(member))
        made[key] = member.map((item) => (isJsonObject(item) ? this.#object(item) : item));
      else made[key] = isJsonObject(member) ? this.#object(member) : member;
    }
    return made;
  }

  #refer(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return `#/$defs/${known}`;
    const target = lookUp(this.#document, reference);
    if (!isJsonObject(target) && typeof target !== 'boolean')
      throw new OpenApiError(`The reference ${reference.slice(0, 200)} points to nothing.`);
    const name = this.#nameOf(reference);
    // The name is registered before the schema is converted: the schema may refer to itself.
    this.#names.set(reference, name);
    this.#taken.add(name);
    this.#defs[name] = this.convert(target);
    return `#/$defs/${name}`;
  }

  #nameOf(reference: string): string {
    const last = (reference.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9_]/g, '_').slice(0, 64) || 'schema';
    const count = (this.#timesNamed.get(last) ?? 0) + 1;
    this.#timesNamed.set(last, count);
    if (count === 1 && !this.#taken.has(last)) return last;
    let name = `${last}_${count}`;
    // Needed only where another reference ends in such a number.
    while (this.#taken.has(name)) name += '_';
    return name;
  }

  #counted(value: unknown): unknown {
    this.#spend(JSON.stringify(value)?.length ?? 0);
    return value;
  }

  #spend(letters = 0): void {
    const values = 1 + Math.floor(letters / 20);
    this.#left -= values;
    this.#room.left -= values;
    if (this.#left < 0 || this.#room.left < 0)
      throw new OpenApiError('Its schemas are too large: raise limits.schemaValues, or leave it out.');
  }
}

/** Converts the keywords of OpenAPI 3.0 that JSON Schema spells otherwise. */
function modern(old: JsonObject, made: JsonObject): JsonObject {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof made[exclusive] !== 'boolean') continue;
    const isExclusive = made[exclusive] && typeof made[bound] === 'number';
    const value = made[bound];
    delete made[exclusive];
    if (!isExclusive) continue;
    delete made[bound];
    made[exclusive] = value;
  }
  if (old['nullable'] !== true) return made;
  if (typeof made['type'] === 'string') made['type'] = [made['type'], 'null'];
  if (Array.isArray(made['enum']) && !made['enum'].includes(null))
    made['enum'] = [...(made['enum'] as unknown[]), null];
  return made['type'] === undefined && made['$ref'] !== undefined ? { anyOf: [made, { type: 'null' }] } : made;
}
