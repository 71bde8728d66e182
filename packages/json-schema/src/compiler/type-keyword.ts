import { type Check, isObject, refuse } from './check.ts';
import { invalid, type SchemaNode } from './schema-node.ts';

const isType: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: isObject,
};

/** The type of a value, as an issue names it. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** Compiles `type`. Undefined when the schema allows every type. */
export function compileType(node: SchemaNode): Check | undefined {
  const { type } = node.schema;
  if (type === undefined || !node.dialect.validation) return undefined;
  const names: readonly unknown[] = Array.isArray(type) ? [...new Set<unknown>(type)] : [type];
  const tests = names.map((name) =>
    typeof name === 'string' && Object.hasOwn(isType, name) ? isType[name] : undefined,
  );
  const [test] = tests;
  if (test === undefined || tests.includes(undefined))
    throw invalid('type', 'the name of a JSON type, or a list of them');
  // Joined only after the names were checked: other values may not be printable.
  const expected = names.join(' or ');
  const explain = (value: unknown): string => `expected ${expected}, got ${typeName(value)}`;
  if (tests.length === 1) {
    return (value, run) => test(value) || refuse(run, 'type', run.issues === undefined ? '' : explain(value));
  }
  return (value, run) =>
    tests.some((one) => one?.(value) === true) || refuse(run, 'type', run.issues === undefined ? '' : explain(value));
}
