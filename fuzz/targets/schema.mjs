/** JSON Schemas and values from strangers: a schema is compiled or refused, and validation is bounded. */
import { SchemaError, compileSchema, to202012 } from 'crosspoint/schema';
import { fault, signed, timed, verdict } from '../engine/verdict.mjs';
import { hostileValue } from '../inputs/hostile-values.mjs';
import { mutated } from '../inputs/mutate.mjs';
import { randomPattern } from '../inputs/patterns.mjs';
import { valueOf } from '../inputs/text.mjs';

/** Milliseconds; the step budget allows a fraction of this on any machine. */
const MOST_MS = 2500;
const ELSEWHERE = 'mem://fuzz/schema';

export const target = {
  name: 'schema',
  about: 'JSON Schemas and values against the step budget',
  start: () => Promise.resolve({ generate, vary, run }),
};

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const NAMES = ['a', 'b', 'name', '__proto__', 'constructor', 'toString', '', '\0'];

function generate(random) {
  const schema = someSchema(random, 4);
  const root =
    typeof schema === 'object' && random.chance(0.5)
      ? { ...schema, $defs: { x: someSchema(random, 2), y: someSchema(random, 2) } }
      : schema;
  return {
    schema: random.chance(0.3) ? mutated(random, root) : root,
    value: random.chance(0.5) ? valueFor(random, root, 5) : hostileValue(random),
  };
}

const vary = (random, { schema, value }) =>
  random.chance(0.6) ? { schema: mutated(random, schema), value } : { schema, value: mutated(random, value) };

const MAKERS = [
  (random, depth) => ({
    type: random.chance(0.8) ? random.pick(TYPES) : [random.pick(TYPES), random.pick(TYPES)],
    ...someSchema(random, depth, true),
  }),
  (random) => ({ enum: random.list(1, 5, () => hostileValue(random, 2)) }),
  (random) => ({ const: hostileValue(random, 2) }),
  (random) => ({
    type: 'string',
    pattern: randomPattern(random),
    minLength: random.int(0, 3),
    maxLength: random.int(0, 30),
  }),
  (random) => ({
    type: 'number',
    multipleOf: random.pick([0.01, 3, 1e-300, 0.1]),
    minimum: random.int(-3, 3),
    exclusiveMaximum: random.pick([10, 1e300]),
  }),
  (random, depth) => ({
    properties: named(random, depth),
    required: [random.pick(NAMES)],
    additionalProperties: someSchema(random, depth),
  }),
  (random, depth) => ({
    patternProperties: Object.fromEntries(random.list(1, 4, () => [randomPattern(random), someSchema(random, depth)])),
    propertyNames: { pattern: randomPattern(random) },
  }),
  (random, depth) => ({
    items: someSchema(random, depth),
    prefixItems: [someSchema(random, depth)],
    uniqueItems: random.chance(0.5),
    contains: someSchema(random, depth),
    maxContains: random.int(0, 3),
  }),
  (random, depth) => ({
    [random.pick(['allOf', 'anyOf', 'oneOf'])]: random.list(1, 4, () => someSchema(random, depth)),
  }),
  (random, depth) => ({ not: someSchema(random, depth) }),
  (random, depth) => Object.fromEntries(['if', 'then', 'else'].map((name) => [name, someSchema(random, depth)])),
  (random, depth) => ({
    dependentSchemas: named(random, depth),
    dependentRequired: { a: ['b'] },
    unevaluatedProperties: someSchema(random, depth),
  }),
  (random, depth) => ({ unevaluatedItems: someSchema(random, depth), minItems: random.int(0, 3) }),
  (random) => ({
    $ref: random.pick(['#', '#/$defs/x', '#/$defs/y', '#anchor', '#/properties/a', 'mem://nowhere', '#/%', '']),
  }),
  (random) => ({ $dynamicRef: random.pick(['#anchor', '#/$defs/x', '#']) }),
  (random) => ({ $anchor: 'anchor', $dynamicAnchor: random.pick(['anchor', 'other']) }),
  (random) => ({ $id: random.pick(['a', 'mem://b/', '#', 'mem://fuzz/schema', 'http://[']) }),
  (random) => ({ format: random.pick(['date-time', 'email', 'uri', 'regex', 'ipv6', '__proto__']) }),
  (random) => ({
    $schema: random.pick([
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2019-09/schema',
      'https://json-schema.org/draft/2020-12/schema',
    ]),
  }),
];

function someSchema(random, depth, isMore = false) {
  if (depth <= 0 || random.chance(0.08))
    return isMore ? {} : random.pick([true, false, {}, { type: random.pick(TYPES) }]);
  return Object.assign({}, ...random.list(1, 2, () => random.pick(MAKERS)(random, depth - 1)));
}

const named = (random, depth) =>
  Object.fromEntries(random.list(1, 3, () => [random.pick(NAMES), someSchema(random, depth)]));

/** A value that has a chance to fit. */
function valueFor(random, schema, depth) {
  if (typeof schema !== 'object' || schema === null || depth === 0) return hostileValue(random, 1);
  if (schema.enum) return random.pick(schema.enum);
  const type = Array.isArray(schema.type)
    ? schema.type[0]
    : (schema.type ?? (schema.properties ? 'object' : schema.items ? 'array' : 'string'));
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? { a: {} }).map(([name, inner]) => [name, valueFor(random, inner, depth - 1)]),
    );
  if (type === 'array') return random.list(0, 4, () => valueFor(random, schema.items ?? {}, depth - 1));
  if (type === 'string') return random.pick(['', 'a', 'ab-cd', 'x'.repeat(random.size(2000))]);
  if (type === 'boolean') return true;
  return type === 'null' ? null : random.pick([0, 1, 3, 0.3, 1e300]);
}

async function run(input) {
  const schema = valueOf(input.schema);
  const value = valueOf(input.value);
  const { value: made, faults } = timed(MOST_MS, () => compiled(schema));
  if (made.faults) return verdict('fault', [...faults, ...made.faults]);
  if (made.refused) return verdict(`refused ${made.refused}`, [...faults, ...rewriteFaults(schema)]);
  const checked = timed(MOST_MS, () => made.compiled.validate(value));
  const agreed = timed(MOST_MS, () => made.compiled.is(value));
  faults.push(...checked.faults, ...agreed.faults);
  const isComplex =
    checked.value.ok === false && checked.value.issues.some(({ message }) => message.startsWith('too complex'));
  if (!isComplex && checked.value.ok !== agreed.value)
    faults.push(fault('broken-rule', `validate says ${checked.value.ok} and is says ${agreed.value}`));
  if (checked.value.ok === false && checked.value.issues.length === 0)
    faults.push(fault('broken-rule', 'refused without an issue'));
  if (!isComplex && input.isAlone !== true) faults.push(...otherPathFaults(schema, value, checked.value.ok));
  faults.push(...rewriteFaults(schema));
  return verdict(signed(checked.value.ok, isComplex, Object.keys(schema).slice(0, 6)), faults);
}

function compiled(schema) {
  try {
    return { compiled: compileSchema(schema) };
  } catch (error) {
    if (error instanceof SchemaError) return { refused: error.code };
    return { faults: [fault('crash', `compileSchema threw ${error?.stack ?? String(error)}`)] };
  }
}

/** Keeping the dynamic scope must not change the result of a schema without dynamic references. */
function otherPathFaults(schema, value, expected) {
  const text = JSON.stringify(schema);
  if (typeof schema !== 'object' || text.length > 20_000 || /\$id|\$dynamic|\$schema|\$recursive|\$anchor/.test(text))
    return [];
  const wrapped = {
    allOf: [{ $ref: ELSEWHERE }, { anyOf: [true, { $dynamicRef: '#never' }] }],
    $defs: { never: { $dynamicAnchor: 'never' } },
  };
  try {
    const { ok } = compileSchema(wrapped, { schemas: { [ELSEWHERE]: schema } }).validate(value);
    return ok === expected ? [] : [fault('broken-rule', `with a dynamic scope it says ${ok}, without ${expected}`)];
  } catch (error) {
    return error instanceof SchemaError ? [] : [fault('crash', `with a dynamic scope: ${error?.stack}`)];
  }
}

function rewriteFaults(schema) {
  if (schema === null || typeof schema !== 'object') return [];
  try {
    const { faults } = timed(MOST_MS, () => to202012(schema));
    return faults;
  } catch (error) {
    return error instanceof SchemaError ? [] : [fault('crash', `to202012 threw ${error?.stack ?? String(error)}`)];
  }
}
