import type { Budget } from '../budget.ts';
import { canonicalJson, jsonEqual } from '../json-equal.ts';
import { type Check, refuse } from './check.ts';
import { invalid, type KeywordCompiler, type SchemaNode } from './schema-node.ts';

/** `enum` and `const`. */
export const compileValueKeywords: KeywordCompiler = (node) => {
  if (!node.dialect.validation) return [];
  const checks: Check[] = [];
  if (node.schema['enum'] !== undefined) checks.push(enumCheck(node));
  if (Object.hasOwn(node.schema, 'const')) {
    const expected = node.schema['const'];
    const message = `expected ${show(expected)}`;
    checks.push((value, run) => jsonEqual(value, expected, run) || refuse(run, 'const', message));
  }
  return checks;
};

function enumCheck(node: SchemaNode): Check {
  const allowed = node.schema['enum'];
  if (!Array.isArray(allowed)) throw invalid('enum', 'an array');
  const scalars = new Set<unknown>(allowed.filter((item) => typeof item !== 'object' || item === null));
  const composites = compositeSet(allowed.filter((item) => typeof item === 'object' && item !== null));
  const shown = allowed.slice(0, 20).map(show).join(', ');
  const message = `expected one of ${shown}${allowed.length > 20 ? ', …' : ''}`;
  return (value, run) =>
    (typeof value === 'object' && value !== null ? composites(value, run) : scalars.has(value)) ||
    refuse(run, 'enum', message);
}

/** Arrays and objects are compared by their canonical text, so the work does not grow with the number of them. */
function compositeSet(items: readonly unknown[]): (value: object, budget: Budget) => boolean {
  if (items.length === 0) return () => false;
  const allowed = new Set(items.map((item) => canonicalJson(item, { steps: Infinity }) ?? ''));
  let longest = 0;
  for (const text of allowed) longest = Math.max(longest, text.length);
  return (value, budget) => {
    const text = canonicalJson(value, budget, longest);
    return text !== undefined && allowed.has(text);
  };
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
