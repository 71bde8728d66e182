import { jsonEqual } from '../json-equal.ts';
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
  const composites: readonly unknown[] = allowed.filter((item) => typeof item === 'object' && item !== null);
  const shown = allowed.slice(0, 20).map(show).join(', ');
  const message = `expected one of ${shown}${allowed.length > 20 ? ', …' : ''}`;
  return (value, run) =>
    scalars.has(value) || composites.some((item) => jsonEqual(value, item, run)) || refuse(run, 'enum', message);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
