import { isJsonSchema, isSchemaObject, type JsonSchema } from '../json-schema.ts';
import { patternRoom } from '../pattern/automaton.ts';
import { compilePattern, type PatternMatcher } from '../pattern/compile-pattern.ts';
import { spend } from '../budget.ts';
import { SchemaError } from '../schema-error.ts';
import type { SchemaRegistry } from '../documents/schema-registry.ts';
import type { LocatedSchema, SchemaResource } from '../documents/schema-resource.ts';
import { fragmentOf } from '../formats/uri-reference.ts';
import { compileApplicatorKeywords } from './applicator-keywords.ts';
import { compileArrayKeywords } from './array-keywords.ts';
import { bounded, type Check, every, nothing, pass } from './check.ts';
import { compileNumberKeywords } from './number-keywords.ts';
import { compileObjectKeywords } from './object-keywords.ts';
import { invalid, type SchemaNode } from './schema-node.ts';
import { compileStringKeywords } from './string-keywords.ts';
import { compileType } from './type-keyword.ts';
import { withUnevaluated } from './unevaluated-keywords.ts';
import { compileValueKeywords } from './value-keywords.ts';

const families = [
  compileValueKeywords,
  compileNumberKeywords,
  compileStringKeywords,
  compileArrayKeywords,
  compileObjectKeywords,
  compileApplicatorKeywords,
];

/** More checks than a schema without subschemas can have keywords. */
const fewChecks = 16;
const maxAnchorsLookedAt = 1_000_000;

export interface CompilerOptions {
  readonly assertsFormat: boolean;
  /** Tracks the dynamic scope at run time. It costs every schema a little, so only schemas that need it do. */
  readonly tracksScope: boolean;
}

/** Compiles one schema, and all that it refers to, into checks. Each schema object is compiled once, so cycles end. */
export class DocumentCompiler {
  readonly #registry: SchemaRegistry;
  readonly #options: CompilerOptions;
  readonly #done = new Map<JsonSchema, { check: Check }>();
  readonly #patterns = new Map<string, PatternMatcher>();
  readonly #room = patternRoom();
  readonly #visited = new Set<SchemaResource>();
  readonly #dynamicNames = new Set<string>();

  constructor(registry: SchemaRegistry, options: CompilerOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  compile(located: LocatedSchema): Check {
    const check = this.#compile(located);
    this.#compileDynamicTargets();
    return check;
  }

  /** Whether the checks need the dynamic scope. Known only after compiling. */
  needsScope(): boolean {
    return this.#dynamicNames.size > 0;
  }

  #compile({ schema, resource }: LocatedSchema): Check {
    if (schema === true) return pass;
    if (schema === false) return nothing;
    const known = this.#done.get(schema);
    if (known !== undefined) return known.check;
    const slot: { check: Check } = { check: (value, run, seen) => slot.check(value, run, seen) };
    this.#done.set(schema, slot);
    // References met while this schema is being compiled hold the forwarding check above; later ones get the real check.
    slot.check = this.#compileObject(schema, resource);
    return slot.check;
  }

  #compileObject(schema: JsonSchema & object, resource: SchemaResource): Check {
    this.#visited.add(resource);
    const { dialect } = resource;
    if (dialect.draft === 'draft-07' && typeof schema['$ref'] === 'string')
      return bounded(this.#reference(schema['$ref'], resource), 1);
    let children = 0;
    const node: SchemaNode = {
      schema,
      dialect,
      assertsFormat: this.#options.assertsFormat || dialect.assertsFormat,
      subschema: (sub, keyword) => {
        children++;
        return this.#subschema(sub, keyword, resource);
      },
      pattern: (source) => this.#pattern(source),
    };
    const references = this.#references(schema, resource);
    const checks = families.flatMap((family) => family(node));
    const guarded = withUnevaluated(node, gate(compileType(node), every([...references, ...checks])));
    // Most checks belong to a subschema; only keywords such as `dependentRequired` can add a great number of others.
    const others = Math.max(0, checks.length - children - fewChecks);
    if (children + references.length + others === 0) return guarded;
    return bounded(this.#entering(resource, guarded), 1 + children + references.length + others);
  }

  #subschema(schema: unknown, keyword: string, parent: SchemaResource): Check {
    if (!isJsonSchema(schema)) throw invalid(keyword, 'a schema (an object or a boolean)');
    return this.#compile({ schema, resource: this.#registry.homeOf(schema, parent) });
  }

  #references(schema: JsonSchema & object, resource: SchemaResource): readonly Check[] {
    const { $ref, $dynamicRef, $recursiveRef } = schema;
    const { draft } = resource.dialect;
    const checks: Check[] = [];
    if (typeof $ref === 'string') checks.push(this.#reference($ref, resource));
    if (draft === '2020-12' && typeof $dynamicRef === 'string')
      checks.push(this.#dynamicReference($dynamicRef, resource));
    if (draft === '2019-09' && typeof $recursiveRef === 'string')
      checks.push(this.#dynamicReference($recursiveRef, resource));
    return checks;
  }

  #reference(reference: string, resource: SchemaResource): Check {
    return this.#compile(this.#registry.resolve(reference, resource));
  }

  /** A reference whose target is the outermost schema of that name among the resources entered on the way here. */
  #dynamicReference(reference: string, resource: SchemaResource): Check {
    const target = this.#registry.resolve(reference, resource);
    const fallback = this.#compile(target);
    const name = dynamicName(reference, target);
    if (name === undefined) return fallback;
    this.#dynamicNames.add(name);
    return (value, run, seen) => {
      for (const entered of run.scope) {
        spend(run, 1);
        const found = entered.dynamicAnchors.get(name);
        if (found !== undefined) return (this.#done.get(found)?.check ?? fallback)(value, run, seen);
      }
      return fallback(value, run, seen);
    };
  }

  /** Compiles every schema that a dynamic reference may meet at run time, so that errors in it appear now. */
  #compileDynamicTargets(): void {
    let looked = 0;
    for (let before = -1; before !== this.#done.size;) {
      before = this.#done.size;
      for (const resource of this.#visited) {
        for (const [name, schema] of resource.dynamicAnchors) {
          // Each round may find one more anchor, so there may be as many rounds as anchors.
          if (++looked > maxAnchorsLookedAt)
            throw new SchemaError('too-complex', 'the schema has too many `$dynamicAnchor`s that lead to each other');
          if (this.#dynamicNames.has(name))
            this.#compile({ schema, resource: this.#registry.homeOf(schema, resource) });
        }
      }
    }
  }

  #entering(resource: SchemaResource, check: Check): Check {
    if (!this.#options.tracksScope) return check;
    return (value, run, seen) => {
      const { scope } = run;
      if (scope[scope.length - 1] === resource) return check(value, run, seen);
      scope.push(resource);
      const ok = check(value, run, seen);
      scope.pop();
      return ok;
    };
  }

  #pattern(source: string): PatternMatcher {
    const matcher = this.#patterns.get(source) ?? compilePattern(source, this.#room);
    this.#patterns.set(source, matcher);
    return matcher;
  }
}

/** Skips the other checks when the type is wrong: their issues would only repeat that. */
function gate(type: Check | undefined, rest: Check): Check {
  if (type === undefined) return rest;
  if (rest === pass) return type;
  return (value, run, seen) => type(value, run, seen) && rest(value, run, seen);
}

/** The name to look for; undefined when the reference, written as a pointer or met by a plain anchor, is an ordinary one. */
function dynamicName(reference: string, { schema, resource }: LocatedSchema): string | undefined {
  if (!isSchemaObject(schema)) return undefined;
  if (resource.dialect.draft === '2019-09') return schema['$recursiveAnchor'] === true ? '' : undefined;
  const name = schema['$dynamicAnchor'];
  return typeof name === 'string' && fragmentOf(reference) === name ? name : undefined;
}
