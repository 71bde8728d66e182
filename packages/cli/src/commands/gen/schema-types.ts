import { commentText, identifierOf, memberName, textLiteral } from './literals.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The document that a schema belongs to, and the beginning of names of its definitions. */
export interface SchemaContext {
  readonly root: object;
  readonly owner: string;
}

interface Definition {
  readonly name: string;
  readonly schema: unknown;
  readonly context: SchemaContext;
}

const MAX_DEPTH = 24;
const MAX_NODES = 50_000;
/** The longest chain of definitions that are nothing but each other. */
const MAX_CHAIN = 100;

/** Types of JSON Schemas. Definitions that schemas refer to become types with names, so that they may refer to themselves. */
export class SchemaTypes {
  readonly #names: Set<string>;
  readonly #definitions = new Map<string, Definition>();
  #nodes = 0;

  /** `taken`: names that no definition gets. */
  constructor(taken: ReadonlySet<string>) {
    this.#names = new Set(taken);
  }

  /** The type of a schema. Parts without a type in TypeScript are `unknown`. `indent`: that of the line it stands on. */
  typeOf(schema: unknown, context: SchemaContext, indent: string): string {
    this.#nodes += 1;
    if (schema === false) return 'never';
    if (!isObject(schema) || this.#nodes > MAX_NODES || indent.length > MAX_DEPTH * 2) return 'unknown';
    const parts = [
      typeof schema['$ref'] === 'string' ? this.#reference(schema['$ref'], context) : undefined,
      'const' in schema ? literal(schema['const']) : undefined,
      Array.isArray(schema['enum']) ? union(schema['enum'].map(literal)) : undefined,
      this.#combined(schema, context, indent),
      'const' in schema || 'enum' in schema ? undefined : this.#plain(schema, context, indent),
    ].filter((part) => part !== undefined && part !== 'unknown');
    return parts.length === 0 ? 'unknown' : intersection(parts as string[]);
  }

  /** Declarations of the definitions that were referred to, and of those that they refer to. */
  declarations(): string[] {
    const lines: string[] = [];
    // The map grows while it is read.
    for (const { name, schema, context } of this.#definitions.values()) {
      const description = isObject(schema) ? schema['description'] : undefined;
      const comment = commentText(typeof description === 'string' ? description : undefined, '');
      lines.push('', `${comment}export type ${name} = ${this.typeOf(schema, context, '')};`);
    }
    return lines;
  }

  #combined(schema: Schema, context: SchemaContext, indent: string): string | undefined {
    const each = (schemas: readonly unknown[]): string[] => schemas.map((one) => this.typeOf(one, context, indent));
    const parts = [
      ...(['anyOf', 'oneOf'] as const).flatMap((word) => {
        const schemas = schema[word];
        return Array.isArray(schemas) ? [union(each(schemas))] : [];
      }),
      ...(Array.isArray(schema['allOf']) ? each(schema['allOf']) : []),
    ].filter((part) => part !== 'unknown');
    return parts.length === 0 ? undefined : intersection(parts);
  }

  #plain(schema: Schema, context: SchemaContext, indent: string): string | undefined {
    const { type } = schema;
    const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
    if (types.length === 0) {
      if ('properties' in schema) return this.#object(schema, context, indent);
      return 'items' in schema || 'prefixItems' in schema ? this.#array(schema, context, indent) : undefined;
    }
    return union(types.map((one) => this.#ofType(one, schema, { context, indent })));
  }

  #ofType(
    type: unknown,
    schema: Schema,
    { context, indent }: { readonly context: SchemaContext; readonly indent: string },
  ): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      case 'number':
      case 'integer':
        return 'number';
      case 'array':
        return this.#array(schema, context, indent);
      case 'object':
        return this.#object(schema, context, indent);
      default:
        return 'unknown';
    }
  }

  #object(schema: Schema, context: SchemaContext, indent: string): string {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    const inner = `${indent}  `;
    const members = Object.entries(properties).map(([name, member]) => {
      const description = isObject(member) ? member['description'] : undefined;
      const comment = commentText(typeof description === 'string' ? description : undefined, inner);
      const sign = required.includes(name) ? '' : '?';
      return `${comment}${inner}${memberName(name)}${sign}: ${this.typeOf(member, context, inner)};`;
    });
    const further = required
      .filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name))
      .map((name) => `${inner}${memberName(String(name))}: unknown;`);
    const others = this.#others(schema, members.length + further.length, { context, inner });
    const all = [...members, ...further, ...others];
    return all.length === 0 ? 'Record<string, never>' : `{\n${all.join('\n')}\n${indent}}`;
  }

  /** Members without a name of their own. Beside named ones their type would have to fit those as well, so it is `unknown`. */
  #others(
    { additionalProperties, patternProperties }: Schema,
    named: number,
    { context, inner }: { readonly context: SchemaContext; readonly inner: string },
  ): string[] {
    if (patternProperties === undefined && additionalProperties === false) return [];
    // Members that the schema does not forbid are not offered: a misspelt name is found.
    if (named > 0 && patternProperties === undefined && !isObject(additionalProperties)) return [];
    const isOnly = named === 0 && patternProperties === undefined;
    return [`${inner}[name: string]: ${isOnly ? this.typeOf(additionalProperties, context, inner) : 'unknown'};`];
  }

  #array({ prefixItems, items }: Schema, context: SchemaContext, indent: string): string {
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
    if (first === undefined) return `${grouped(this.typeOf(items, context, indent))}[]`;
    const rest = Array.isArray(prefixItems) ? items : undefined;
    const parts = first.map((one) => `${grouped(this.typeOf(one, context, indent))}?`);
    const more = rest === false ? [] : [`...${grouped(this.typeOf(rest, context, indent))}[]`];
    return `[${[...parts, ...more].join(', ')}]`;
  }

  /** The name of a definition of the same document; `unknown` for any other, and for one that is nothing but itself. */
  #reference(reference: string, context: SchemaContext): string {
    const { root, owner } = context;
    const schema = resolved(root, reference);
    if (schema === undefined || isCircular(root, reference, { above: new Set(), done: new Set() })) return 'unknown';
    const key = `${owner}\n${reference}`;
    const known = this.#definitions.get(key);
    if (known !== undefined) return known.name;
    const wanted = `${owner}${identifierOf(reference.split('/').at(-1) ?? '')}`;
    let name = wanted;
    for (let number = 2; this.#names.has(name); number += 1) name = `${wanted}${number}`;
    this.#names.add(name);
    this.#definitions.set(key, { name, schema, context });
    return name;
  }
}

/** A part of the document by its JSON pointer: `#`, `#/$defs/Name`. */
function resolved(root: object, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Whether a definition leads back to itself without a member or an item between, which no type can. */
function isCircular(root: object, reference: string, walk: Walk): boolean {
  const { above, done } = walk;
  if (above.has(reference) || above.size > MAX_CHAIN) return true;
  if (done.has(reference)) return false;
  above.add(reference);
  const isFound = directReferences(resolved(root, reference), 0).some((next) => isCircular(root, next, walk));
  above.delete(reference);
  done.add(reference);
  return isFound;
}

interface Walk {
  readonly above: Set<string>;
  /** References that lead to no circle. */
  readonly done: Set<string>;
}

function directReferences(schema: unknown, depth: number): string[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const combined = (['anyOf', 'oneOf', 'allOf'] as const).flatMap((word) => {
    const schemas = schema[word];
    return Array.isArray(schemas) ? schemas.flatMap((one) => directReferences(one, depth + 1)) : [];
  });
  return [...(typeof schema['$ref'] === 'string' ? [schema['$ref']] : []), ...combined];
}

function literal(value: unknown): string {
  if (typeof value === 'string') return textLiteral(value);
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'unknown';
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  if (all.length === 0) return 'never';
  return all.includes('unknown') ? 'unknown' : all.length === 1 ? (all[0] ?? '') : all.map(grouped).join(' | ');
}

function intersection(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.length === 1 ? (all[0] ?? '') : all.map(grouped).join(' & ');
}

/** In brackets where the type is made of several. */
function grouped(type: string): string {
  return /^(?:[\w$]+|"(?:[^"\\]|\\.)*"|\{[^{}]*\})$/.test(type) ? type : `(${type})`;
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
