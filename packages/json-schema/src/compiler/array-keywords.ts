import { spend } from '../budget.ts';
import { allDistinct } from '../canonical-json.ts';
import { type Check, checkAt, isSettled, quietly, refuse } from './check.ts';
import { invalid, type KeywordCompiler, readCount, readList, readOne, type SchemaNode } from './schema-node.ts';

export const compileArrayKeywords: KeywordCompiler = (node) => {
  const checks: Check[] = [];
  if (node.dialect.validation) addSizeChecks(node, checks);
  if (node.dialect.applicator) {
    const items = itemsCheck(node);
    const contains = containsCheck(node);
    if (items !== undefined) checks.push(items);
    if (contains !== undefined) checks.push(contains);
  }
  return checks;
};

function addSizeChecks(node: SchemaNode, checks: Check[]): void {
  const min = readCount(node, 'minItems');
  const max = readCount(node, 'maxItems');
  if (min !== undefined) {
    const message = `expected at least ${min} item${min === 1 ? '' : 's'}`;
    checks.push((value, run) => !Array.isArray(value) || value.length >= min || refuse(run, 'minItems', message));
  }
  if (max !== undefined) {
    const message = `expected at most ${max} item${max === 1 ? '' : 's'}`;
    checks.push((value, run) => !Array.isArray(value) || value.length <= max || refuse(run, 'maxItems', message));
  }
  if (node.schema['uniqueItems'] === true) {
    checks.push(
      (value, run) =>
        !Array.isArray(value) ||
        allDistinct(value, run) ||
        refuse(run, 'uniqueItems', 'expected items that all differ'),
    );
  }
}

interface Layout {
  readonly prefix: readonly Check[];
  readonly rest: Check | undefined;
}

/** Reads the schemas by position and the one for the items after them, which the drafts spell differently. */
function readLayout(node: SchemaNode): Layout {
  const { items } = node.schema;
  if (node.dialect.draft === '2020-12') {
    if (Array.isArray(items)) throw invalid('items', 'a schema in 2020-12; use `prefixItems` for a tuple');
    return { prefix: readList(node, 'prefixItems') ?? [], rest: readOne(node, 'items') };
  }
  if (!Array.isArray(items)) return { prefix: [], rest: readOne(node, 'items') };
  return { prefix: readList(node, 'items') ?? [], rest: readOne(node, 'additionalItems') };
}

function itemsCheck(node: SchemaNode): Check | undefined {
  const { prefix, rest } = readLayout(node);
  if (prefix.length === 0 && rest === undefined) return undefined;
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true;
    const end = rest === undefined ? Math.min(prefix.length, value.length) : value.length;
    spend(run, end);
    let ok = true;
    for (let index = 0; index < end; index++) {
      const check = index < prefix.length ? prefix[index] : rest;
      if (check === undefined || checkAt(check, value[index], index, run)) continue;
      if (isSettled(run)) return false;
      ok = false;
    }
    if (seen !== undefined) {
      if (rest === undefined) seen.firstItems = Math.max(seen.firstItems, end);
      else seen.everyItem = true;
    }
    return ok;
  };
}

function containsCheck(node: SchemaNode): Check | undefined {
  const check = readOne(node, 'contains');
  if (check === undefined) return undefined;
  const counted = node.dialect.draft !== 'draft-07' && node.dialect.validation;
  const min = (counted ? readCount(node, 'minContains') : undefined) ?? 1;
  const max = (counted ? readCount(node, 'maxContains') : undefined) ?? Infinity;
  const marks = node.dialect.draft === '2020-12';
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true;
    spend(run, value.length);
    const marked = marks ? seen : undefined;
    let count = 0;
    for (let index = 0; index < value.length; index++) {
      if (!quietly(check, value[index], run, undefined)) continue;
      count++;
      marked?.items.add(index);
      if (count > max) return refuse(run, 'maxContains', `expected at most ${max} matching items`);
      if (count >= min && max === Infinity && marked === undefined) return true;
    }
    if (count >= min) return true;
    const keyword = min === 1 ? 'contains' : 'minContains';
    return refuse(
      run,
      keyword,
      `expected at least ${min} item${min === 1 ? '' : 's'} of the kind that \`contains\` asks for`,
    );
  };
}
