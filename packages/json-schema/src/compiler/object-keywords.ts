import { spend } from '../budget.ts';
import { type Check, isObject, isSettled, quietly, refuse } from './check.ts';
import { compileMembers, namesPerStep } from './member-keywords.ts';
import {
  invalid,
  type KeywordCompiler,
  readCount,
  readMap,
  readOne,
  readStrings,
  type SchemaNode,
} from './schema-node.ts';
import { isSchemaObject } from '../json-schema.ts';

export const compileObjectKeywords: KeywordCompiler = (node) => {
  const checks: Check[] = [...compileMembers(node)];
  if (node.dialect.validation) {
    addSizeChecks(node, checks);
    for (const [name, required] of readMap(node, 'dependentRequired')) {
      if (node.dialect.draft === 'draft-07') break;
      checks.push(dependentRequired(name, readStrings(required, 'dependentRequired')));
    }
  }
  if (node.dialect.applicator) addApplicators(node, checks);
  return checks;
};

function addSizeChecks(node: SchemaNode, checks: Check[]): void {
  const min = readCount(node, 'minProperties');
  const max = readCount(node, 'maxProperties');
  if (min === undefined && max === undefined) return;
  checks.push((value, run) => {
    if (!isObject(value)) return true;
    let size = 0;
    for (const key in value) if (Object.hasOwn(value, key) && value[key] !== undefined) size++;
    spend(run, size);
    if (min !== undefined && size < min) return refuse(run, 'minProperties', `expected at least ${min} properties`);
    if (max !== undefined && size > max) return refuse(run, 'maxProperties', `expected at most ${max} properties`);
    return true;
  });
}

function addApplicators(node: SchemaNode, checks: Check[]): void {
  const names = readOne(node, 'propertyNames');
  if (names !== undefined) checks.push(namesCheck(names));
  if (node.dialect.draft !== 'draft-07') {
    for (const [name, schema] of readMap(node, 'dependentSchemas')) {
      checks.push(dependentSchema(name, node.subschema(schema, 'dependentSchemas')));
    }
  }
  // Later drafts split this keyword in two but leave the old spelling harmless, so it is honoured in all of them.
  for (const [name, dependency] of readMap(node, 'dependencies') as readonly (readonly [string, unknown])[]) {
    if (Array.isArray(dependency)) checks.push(dependentRequired(name, readStrings(dependency, 'dependencies')));
    else if (isSchemaObject(dependency) || typeof dependency === 'boolean') {
      checks.push(dependentSchema(name, node.subschema(dependency, 'dependencies')));
    } else throw invalid('dependencies', 'an object of schemas or lists of names');
  }
}

function namesCheck(check: Check): Check {
  return (value, run) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (const name in value) {
      if (!Object.hasOwn(value, name) || value[name] === undefined) continue;
      spend(run, 1);
      if (quietly(check, name, run, undefined)) continue;
      ok = refuse(run, 'propertyNames', `property name ${JSON.stringify(name.slice(0, 200))} is not allowed`);
      if (isSettled(run)) return false;
    }
    return ok;
  };
}

function dependentSchema(name: string, check: Check): Check {
  return (value, run, seen) => !isObject(value) || !has(value, name) || check(value, run, seen);
}

function dependentRequired(name: string, required: readonly string[]): Check {
  const cost = Math.trunc(required.length / namesPerStep);
  return (value, run) => {
    if (!isObject(value) || !has(value, name)) return true;
    spend(run, cost);
    let ok = true;
    for (const other of required) {
      if (has(value, other)) continue;
      ok = refuse(run, 'dependentRequired', `missing property \`${other}\`, which is required with \`${name}\``);
      if (isSettled(run)) return false;
    }
    return ok;
  };
}

function has(value: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}
