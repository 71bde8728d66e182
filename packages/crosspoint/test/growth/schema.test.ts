/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import { describe, expect, it } from 'vitest';
import { stepsOf } from './meter.ts';
import { compileSchema, prepareSchema, SchemaError, type JsonSchema } from '../../src/schema/index.ts';
import { requireObjectRoot } from '../../src/schema/require-object-root.ts';
import { to202012 } from '../../../json-schema/src/documents/to-2020-12.ts';

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const record = (count: number, make: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(many(count, (index) => [`k${index}`, make(index)]));
const nested = (depth: number, inner: unknown, wrap: (value: unknown) => unknown): unknown => {
  let value = inner;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
};

const MAX_STEPS = 30_000;
/** What one step of the budget may stand for, in steps of the meter. */
const PER_STEP = 20;
/** Reading the schema and the value once costs as much for each of their characters, whatever the budget. */
const PER_CHARACTER = 5;

interface Attack {
  readonly schema: JsonSchema;
  readonly value: unknown;
}

const wideClass = `[${many(900, (index) => String.fromCodePoint(0x3000 + 2 * index)).join('')}]`;
const orAnything = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, true] });
const ATTACKS: Readonly<Record<string, () => Attack>> = {
  'a large character class': () => ({ schema: { pattern: `(?:${wideClass}|x)*y` }, value: '\u2fff'.repeat(12_000) }),
  'many Unicode properties in a class': () => ({
    schema: { pattern: `(?:[\\p{L}\\p{N}\\p{S}\\p{P}]|x)*y` },
    value: '\u{1f600}'.repeat(2000),
  }),
  'many edges in a pattern': () => ({
    schema: { pattern: `(?:${many(1000, () => '\\b').join('|')})(a|b)*y` },
    value: ' '.repeat(2000),
  }),
  'a large pattern on many short texts': () => ({
    schema: { items: { pattern: '^(?:(?:ab?){0,200}){0,20}(a|b)*$' } },
    value: many(3000, () => 'a'),
  }),
  'a long literal that almost matches everywhere': () => ({
    schema: { items: { pattern: `${'a'.repeat(3000)}b` } },
    value: many(20, () => 'a'.repeat(2900)),
  }),
  lookaround: () => ({ schema: { pattern: `${'(?=.*a)'.repeat(200)}b` }, value: 'b'.repeat(2000) }),
  'objects in an enum': () => ({
    schema: { items: orAnything({ enum: many(1000, (index) => ({ a: index })) }) },
    value: many(50, () => record(100, () => 1)),
  }),
  'nearly equal lists in an enum': () => ({
    schema: { items: orAnything({ enum: many(100, (index) => [...many(50, () => 'a'), index]) }) },
    value: many(200, () => [...many(50, () => 'a'), -1]),
  }),
  'a long const': () => ({
    schema: { items: { allOf: many(50, () => ({ const: record(500, () => 1) })) } },
    value: many(50, () => record(501, () => 1)),
  }),
  'unique items': () => ({ schema: { uniqueItems: true }, value: many(2000, (index) => ({ a: [1, 2, 3], b: index })) }),
  'thousands of patternProperties': () => ({
    schema: { patternProperties: Object.fromEntries(many(2000, (index) => [`^x${index}$`, true])) },
    value: record(2000, () => 1),
  }),
  'dynamic scope': () => ({
    schema: {
      $id: 'https://a.test/root',
      $ref: 'one',
      $defs: {
        one: { $id: 'one', properties: { a: { $ref: 'two' }, list: { $ref: 'inner' } } },
        two: { $id: 'two', properties: { a: { $ref: 'one' }, list: { $ref: 'inner' } } },
        // Found only after all resources around it.
        inner: { $id: 'inner', $dynamicAnchor: 'deep', items: { $dynamicRef: '#deep' } },
      },
    },
    value: nested(450, { list: many(9_000, () => 1) }, (a) => ({ a })),
  }),
  'a long list of required names': () => ({
    schema: { items: { required: many(5000, (index) => `k${index}`) } },
    value: many(2000, () => ({})),
  }),
  dependentRequired: () => ({
    schema: { items: { dependentRequired: record(3000, () => ['x']) } },
    value: many(2000, () => ({})),
  }),
  'long lists in dependentRequired': () => ({
    schema: { items: { dependentRequired: { a: many(3000, (index) => `k${index}`) } } },
    value: many(2000, () => ({ a: 1, ...record(1, () => 1) })),
  }),
  dependentSchemas: () => ({
    schema: { items: { dependentSchemas: record(3000, () => true) } },
    value: many(2000, () => ({})),
  }),
  unevaluatedProperties: () => ({
    schema: { allOf: many(500, () => ({ additionalProperties: true, unevaluatedProperties: false })) },
    value: record(500, () => 1),
  }),
  'evaluated members that are handed up': () => ({
    schema: nested(200, { additionalProperties: { type: 'number' } }, (inner) => ({
      anyOf: [inner],
      unevaluatedProperties: true,
    })) as JsonSchema,
    value: record(6000, () => 1),
  }),
  'unevaluatedItems with contains': () => ({
    schema: { allOf: many(300, () => ({ contains: { type: 'number' }, unevaluatedItems: false })) },
    value: many(500, () => 1),
  }),
  'types that repeat': () => ({
    schema: { items: orAnything({ type: many(5000, () => 'string') }) },
    value: many(5000, () => 1),
  }),
  multipleOf: () => ({
    schema: { items: { allOf: many(100, () => ({ multipleOf: 5e-324 })) } },
    value: many(500, () => 1e308),
  }),
  'alternatives deep inside': () => ({
    schema: {
      $ref: '#/$defs/a',
      $defs: { a: { anyOf: [{ type: 'string' }, { properties: { a: { $ref: '#/$defs/a' } }, required: ['b'] }] } },
    },
    value: nested(100, 1, (a) => ({ a })),
  }),
  'issues of many alternatives': () => ({
    schema: nested(60, { anyOf: many(500, (index) => ({ required: [`k${index}`] })) }, (inner) => ({
      properties: { ['n'.repeat(190)]: inner },
    })) as JsonSchema,
    value: nested(60, {}, (inner) => ({ ['n'.repeat(190)]: inner })),
  }),
  'references in circles': () => ({
    schema: {
      $ref: '#/$defs/a',
      $defs: { a: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] }, b: { allOf: [{ $ref: '#/$defs/a' }] } },
    },
    value: 1,
  }),
  contains: () => ({ schema: { allOf: many(300, () => ({ contains: { const: 2 } })) }, value: many(2000, () => 1) }),
  'names of members': () => ({
    schema: { allOf: many(300, () => ({ propertyNames: { maxLength: 9 } })) },
    value: record(1000, () => 1),
  }),
  conditions: () => ({
    schema: { items: { allOf: many(300, () => ({ if: { const: 1 }, then: { minimum: 0 } })) } },
    value: many(1000, () => 1),
  }),
  formats: () => ({ schema: { allOf: many(300, () => ({ format: 'regex' })) }, value: '(a|[b-z])'.repeat(1000) }),
  'long texts': () => ({ schema: { allOf: many(2000, () => ({ maxLength: 2999 })) }, value: 'é'.repeat(3000) }),
};

describe('the budget of a validation sees all of its work', () => {
  it.each(Object.entries(ATTACKS))('%s', (_what, make) => {
    const { schema, value } = make();
    const compiled = compileSchema(schema, { assertFormats: true, limits: { maxSteps: MAX_STEPS } });
    const size = JSON.stringify(schema).length + JSON.stringify(value).length;
    // Validated twice when it fails: once to know, once to explain.
    const most = 2 * MAX_STEPS * PER_STEP + size * PER_CHARACTER;
    expect(stepsOf(() => compiled.validate(value))).toBeLessThan(most);
  });

  it('says what to change when it is used up', () => {
    const { schema, value } = ATTACKS['thousands of patternProperties']?.() ?? { schema: true, value: 1 };
    const result = compileSchema(schema, { limits: { maxSteps: MAX_STEPS } }).validate(value);
    expect(result).toMatchObject({
      ok: false,
      issues: [{ message: expect.stringMatching(/too complex: .*smaller value.*simplify the schema/) }],
    });
  });

  it('is enough for what people write', () => {
    const person = {
      type: 'object',
      properties: {
        id: { type: 'integer', minimum: 1 },
        email: { type: 'string', pattern: String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$` },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
        kind: { enum: ['a', 'b', { c: 1 }] },
      },
      required: ['id', 'email'],
      additionalProperties: false,
    };
    const people = many(3000, (id) => ({
      id: id + 1,
      email: `somebody-${id}@example.com`,
      tags: ['x', 'y'],
      kind: 'a',
    }));
    expect(compileSchema({ type: 'array', items: person, uniqueItems: true }).validate(people)).toEqual({ ok: true });
  });
});

describe('compiling', () => {
  const codeOf = (schema: JsonSchema): string | undefined => {
    try {
      compileSchema(schema);
      return undefined;
    } catch (error) {
      return error instanceof SchemaError ? error.code : String(error);
    }
  };

  it.each<[string, () => JsonSchema]>([
    [
      'megabytes of patterns',
      () => ({ allOf: many(2000, (index) => ({ pattern: `[${'ab'.repeat(4000)}${index}]` })) }),
    ],
    ['hundreds of Unicode properties', () => ({ pattern: '\\p{L}'.repeat(1900) })],
    ['Unicode properties in many patterns', () => ({ allOf: many(300, (index) => ({ pattern: `\\p{L}${index}` })) })],
    ['repetitions of repetitions', () => ({ pattern: '(?:a{1000}){1000}' })],
    [
      'addresses that add up',
      () => nested(200, {}, (inner) => ({ $id: `${'a'.repeat(100)}/`, properties: { a: inner } })) as JsonSchema,
    ],
    ['a long address', () => ({ $id: `https://a.test/${'a'.repeat(10_000)}` })],
    ['a deep value in an enum', () => ({ enum: [nested(2000, 1, (inner) => [inner])] })],
  ])('%s are refused as too complex', (_what, make) => {
    expect(codeOf(make())).toBe('too-complex');
  });

  it.each<[string, (size: number) => unknown]>([
    ['properties', (size) => compileSchema({ properties: record(size, () => ({ type: 'string' })) as never })],
    ['patterns', (size) => compileSchema({ allOf: many(size, (index) => ({ pattern: `^a${index}[b-d]+$` })) })],
    [
      'classes',
      (size) =>
        compileSchema({ pattern: `[${many(size, (index) => String.fromCodePoint(0x4e00 + 2 * index)).join('')}]` }),
    ],
    [
      'definitions',
      (size) =>
        compileSchema({
          $defs: record(size, () => ({})) as never,
          allOf: many(size, (index) => ({ $ref: `#/$defs/k${index}` })),
        }),
    ],
    ['enums', (size) => compileSchema({ enum: many(size, (index) => ({ index })) })],
    [
      'conversion',
      (size) =>
        to202012({
          $schema: 'http://json-schema.org/draft-07/schema#',
          definitions: record(size, (index) => ({ items: [{ $ref: `#/definitions/k${index}` }] })) as never,
        }),
    ],
    [
      'validity',
      (size) =>
        prepareSchema(
          { type: 'object', properties: record(size, () => ({ type: ['string', 'null'], enum: ['a'] })) as never },
          'input',
        ),
    ],
    [
      'dynamic anchors',
      (size) =>
        compileSchema({
          $defs: record(size, (index) => ({
            $id: `r${index}`,
            $dynamicAnchor: `n${index}`,
            $dynamicRef: `#n${index}`,
          })) as never,
          allOf: many(size, (index) => ({ $ref: `r${index}` })),
        }),
    ],
    [
      'alternatives at the root',
      (size) =>
        requireObjectRoot({ anyOf: many(size, () => ({ $ref: '#/$defs/a' })), $defs: { a: { type: 'object' } } }, 'x'),
    ],
    [
      'circles at the root',
      () =>
        requireObjectRoot(
          {
            anyOf: [{ $ref: '#/$defs/a' }],
            oneOf: [{ $ref: '#/$defs/a' }],
            $defs: {
              a: { anyOf: [{ $ref: '#/$defs/b' }], oneOf: [{ $ref: '#/$defs/b' }] },
              b: { anyOf: [{ $ref: '#/$defs/a' }], oneOf: [{ $ref: '#/$defs/a' }] },
            },
          },
          'x',
        ),
    ],
  ])('%s cost no more than their number', (_what, compile) => {
    stepsOf(() => compile(10));
    const growth = stepsOf(() => compile(400)) / stepsOf(() => compile(100));
    expect(growth).toBeLessThan(2.2 ** 2);
  });
});
