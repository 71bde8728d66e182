import { among } from '../canonical-json.ts';
import { type Check, refuse } from './check.ts';
import { invalid, type KeywordCompiler } from './schema-node.ts';

/** `enum` and `const`. */
export const compileValueKeywords: KeywordCompiler = (node) => {
  if (!node.dialect.validation) return [];
  const { enum: allowed } = node.schema;
  const checks: Check[] = [];
  if (allowed !== undefined) {
    if (!Array.isArray(allowed)) throw invalid('enum', 'an array');
    const shown = allowed.slice(0, 20).map(show).join(', ');
    checks.push(oneOfThese(allowed, 'enum', `one of ${shown}${allowed.length > 20 ? ', …' : ''}`));
  }
  if (Object.hasOwn(node.schema, 'const')) {
    const expected = node.schema['const'];
    checks.push(oneOfThese([expected], 'const', show(expected)));
  }
  return checks;
};

function oneOfThese(values: readonly unknown[], keyword: string, expected: string): Check {
  const isAmong = among(values);
  const message = `expected ${expected}`;
  return (value, run) => isAmong(value, run) || refuse(run, keyword, message);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
