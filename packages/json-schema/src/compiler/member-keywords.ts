import { spend } from '../budget.ts';
import type { PatternMatcher } from '../pattern/compile-pattern.ts';
import { type Check, checkAt, isObject, isSettled, type JsonObject, nothing, pass, refuse, type Run } from './check.ts';
import type { Evaluated } from './evaluated.ts';
import { readMap, readOne, readStrings, type SchemaNode } from './schema-node.ts';

/** `properties` with `required` in one pass, then `patternProperties` with `additionalProperties` in another. */
export function compileMembers(node: SchemaNode): readonly Check[] {
  const named = readNamed(node);
  const checks: Check[] = named.length === 0 ? [] : [namedCheck(named)];
  if (!node.dialect.applicator) return checks;
  const patterns = readMap(node, 'patternProperties').map(([source, schema]) => ({
    matches: node.pattern(source),
    check: node.subschema(schema, 'patternProperties'),
  }));
  const additional = readOne(node, 'additionalProperties');
  if (patterns.length === 0 && additional === undefined) return checks;
  const known = new Set(named.filter((member) => member.check !== undefined).map((member) => member.name));
  checks.push(remainingCheck({ known, patterns, additional }));
  return checks;
}

interface NamedMember {
  readonly name: string;
  /** The check of the member; undefined for a name that is only required. */
  readonly check: Check | undefined;
  readonly required: boolean;
  /** Whether every object inherits a member of this name (`toString`), so that it must be read with `hasOwn`. */
  readonly inherited: boolean;
}

function readNamed(node: SchemaNode): readonly NamedMember[] {
  const { required: names } = node.schema;
  // Draft-03 had a boolean here and some generators still write it; it never meant anything in the drafts read here.
  const listed = node.dialect.validation && names !== undefined && typeof names !== 'boolean';
  const required = new Set(listed ? readStrings(names, 'required') : []);
  const declared = node.dialect.applicator ? readMap(node, 'properties') : [];
  const checks = new Map(declared.map(([name, schema]) => [name, node.subschema(schema, 'properties')]));
  return [...new Set([...checks.keys(), ...required])].map((name) => ({
    name,
    check: checks.get(name),
    required: required.has(name),
    inherited: name in Object.prototype,
  }));
}

/** Number of names whose lookup costs one step. */
export const namesPerStep = 4;

function namedCheck(members: readonly NamedMember[]): Check {
  // Members with a schema are charged with the subschemas of their object.
  const cost = Math.trunc(members.filter((member) => member.check === undefined).length / namesPerStep);
  return (value, run, seen) => {
    if (!isObject(value)) return true;
    if (cost > 0) spend(run, cost);
    let ok = true;
    for (const member of members) {
      const { name, check } = member;
      const found = member.inherited && !Object.hasOwn(value, name) ? undefined : value[name];
      if (found === undefined) {
        if (!member.required) continue;
        ok = refuse(run, 'required', run.issues === undefined ? '' : `missing required property \`${name}\``);
      } else if (check !== undefined) {
        seen?.keys.add(name);
        if (checkAt(check, found, name, run)) continue;
        ok = false;
      } else continue;
      if (isSettled(run)) return false;
    }
    return ok;
  };
}

interface Remaining {
  readonly known: ReadonlySet<string>;
  readonly patterns: readonly { readonly matches: PatternMatcher; readonly check: Check }[];
  readonly additional: Check | undefined;
}

function remainingCheck(remaining: Remaining): Check {
  return (value, run, seen) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (const name in value) {
      if (!Object.hasOwn(value, name) || value[name] === undefined) continue;
      run.steps--;
      if (remainingMember(remaining, { value, name, run, seen })) continue;
      if (isSettled(run)) return false;
      ok = false;
    }
    spend(run, 0);
    return ok;
  };
}

interface Member {
  readonly value: JsonObject;
  readonly name: string;
  readonly run: Run;
  readonly seen: Evaluated | undefined;
}

function remainingMember(remaining: Remaining, { value, name, run, seen }: Member): boolean {
  let known = remaining.known.has(name);
  let ok = true;
  for (const { matches, check } of remaining.patterns) {
    if (!matches(name, run)) continue;
    known = true;
    seen?.keys.add(name);
    ok = checkAt(check, value[name], name, run) && ok;
  }
  if (known || remaining.additional === undefined || remaining.additional === pass) {
    if (!known && remaining.additional === pass) seen?.keys.add(name);
    return ok;
  }
  seen?.keys.add(name);
  if (remaining.additional === nothing)
    return refuse(run, 'additionalProperties', `unknown property ${JSON.stringify(name.slice(0, 200))}`);
  return checkAt(remaining.additional, value[name], name, run) && ok;
}
