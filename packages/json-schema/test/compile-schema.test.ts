/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileSchema, type JsonSchema, SchemaError, type ValidationResult } from '../src/index.ts';
import { assertValidSchema } from '../src/assert-valid-schema.ts';
import { UnsupportedDialectError } from '../src/schema-error.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';

const draft07 = 'http://json-schema.org/draft-07/schema#';

function messages(result: ValidationResult): readonly string[] {
  return result.ok ? [] : result.issues.map((issue) => issue.message);
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof SchemaError ? error.code : String(error);
  }
}

describe('dialects', () => {
  const tuple = { items: [{ type: 'string' }], additionalItems: false };

  proves('L-MESSAGES-033, M-JS-001').it('treats a schema without $schema as 2020-12', () => {
    const schema = {
      type: 'object',
      properties: { pair: { prefixItems: [{ $ref: '#/$defs/name' }], items: false } },
      unevaluatedProperties: false,
      $defs: { name: { type: 'string' } },
    };
    const compiled = compileSchema(schema);
    expect(compiled.is({ pair: ['a'] })).toBe(true);
    expect(compiled.is({ pair: ['a', 'b'] })).toBe(false);
    expect(compiled.is({ pair: ['a'], other: 1 })).toBe(false);
  });

  proves('L-MESSAGES-034, M-JS-002').it('validates by the declared dialect', () => {
    const compiled = compileSchema({ $schema: draft07, ...tuple });
    expect(compiled.is(['a'])).toBe(true);
    expect(compiled.is([1])).toBe(false);
    expect(compiled.is(['a', 1])).toBe(false);
    // Keywords of later drafts mean nothing in this one.
    expect(compileSchema({ $schema: draft07, prefixItems: [false], unevaluatedProperties: false }).is([1])).toBe(true);
    expect(codeOf(() => compileSchema(tuple))).toBe('invalid-schema');
  });

  it('refuses a type that is none, also one that cannot be printed', () => {
    for (const type of ['text', 7, [], [{ toString: null }], { toString: null }] as never[])
      expect(codeOf(() => compileSchema({ type }))).toBe('invalid-schema');
  });

  proves('L-MESSAGES-035, M-JS-003').it('names an unsupported dialect in a defined error', () => {
    const compile = (): unknown => compileSchema({ $schema: 'urn:unknown', type: 'string' });
    expect(compile).toThrow(UnsupportedDialectError);
    expect(compile).toThrow(/urn:unknown/);
    expect(codeOf(compile)).toBe('unsupported-dialect');
  });

  it('reads draft-04 as far as it matters', () => {
    const compiled = compileSchema({
      $schema: 'http://json-schema.org/draft-04/schema#',
      id: 'http://example.com/root.json',
      minimum: 3,
      exclusiveMinimum: true,
      definitions: { a: { id: 'a.json', type: 'number' } },
      allOf: [{ $ref: 'http://example.com/a.json' }],
    });
    expect([compiled.is(3), compiled.is(4), compiled.is('x')]).toEqual([false, true, false]);
  });

  it('accepts a meta-schema of the caller as a dialect', () => {
    const meta = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.com/meta' };
    const schema = { $schema: 'https://example.com/meta', minimum: 2 };
    expect(compileSchema(schema, { schemas: { 'https://example.com/meta': meta } }).is(1)).toBe(false);
  });
});

describe('references', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  proves('M-JS-007, M-JS-008').it('never fetches a reference', () => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    const compile = (): unknown => compileSchema({ $ref: 'http://127.0.0.1:9/schema.json' });
    expect(codeOf(compile)).toBe('unresolved-ref');
    expect(compile).toThrow(/http:\/\/127\.0\.0\.1:9\/schema\.json/);
    expect(fetch).not.toHaveBeenCalled();
  });

  proves('M-JS-010').it('refuses references that lead nowhere', () => {
    for (const $ref of ['#/$defs/none', '#none', 'other.json', '#/%zz']) {
      expect(codeOf(() => compileSchema({ $ref }))).toBe('unresolved-ref');
    }
  });

  it('resolves documents given by the caller', () => {
    const schemas = { 'https://example.com/name.json': { type: 'string' } };
    expect(compileSchema({ $ref: 'https://example.com/name.json' }, { schemas }).is(1)).toBe(false);
  });
});

describe('valid schemas', () => {
  proves('L-MESSAGES-036, M-JS-006').it('holds a schema to the meta-schema of its dialect', () => {
    const bad: readonly unknown[] = [
      { type: 'text' },
      { properties: [] },
      { minLength: -1 },
      { required: 'name' },
      { $schema: draft07, items: 3 },
      { $schema: 'https://json-schema.org/draft/2019-09/schema', multipleOf: 0 },
      { title: 3 },
      null,
      [],
      'string',
    ];
    for (const schema of bad) expect(codeOf(() => assertValidSchema(schema))).toBe('invalid-schema');
    const good: readonly unknown[] = [
      true,
      {},
      { $schema: draft07, items: [{ type: 'string' }], definitions: { a: {} } },
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        items: { $recursiveRef: '#' },
      },
      { type: ['string', 'null'], 'x-unknown': { type: 3 } },
    ];
    for (const schema of good) expect(() => assertValidSchema(schema)).not.toThrow();
  });

  it('validates the published meta-schemas with themselves', () => {
    for (const $ref of [
      draft07,
      'https://json-schema.org/draft/2019-09/schema',
      'https://json-schema.org/draft/2020-12/schema',
    ]) {
      const meta = compileSchema({ $ref });
      expect(meta.is({ type: 'object', properties: { a: { minimum: 1 } } })).toBe(true);
      expect(meta.is({ properties: { a: { minimum: 'x' } } })).toBe(false);
    }
  });
});

describe('messages', () => {
  const schema = {
    type: 'object',
    properties: {
      limit: { type: 'number', maximum: 9 },
      user: { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } }, required: ['name'] },
      mode: { enum: ['fast', 'slow'] },
      value: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    },
    required: ['name'],
    additionalProperties: false,
  };

  it('says where and what, in words a model can act on', () => {
    const value = { limit: 'ten', user: { tags: ['a', 1] }, mode: 'x', value: true, extra: 1 };
    expect(messages(compileSchema(schema).validate(value))).toEqual([
      '`limit`: expected number, got string',
      '`user.tags[1]`: expected string, got number',
      '`user`: missing required property `name`',
      '`mode`: expected one of "fast", "slow"',
      '`value`: expected string or number, got boolean',
      'missing required property `name`',
      'unknown property "extra"',
    ]);
  });

  it('reports the nearest alternative', () => {
    const union = {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'a' }, at: { type: 'object', properties: { x: { type: 'number' } } } },
        },
        { type: 'string' },
      ],
    };
    const [first] = messages(compileSchema(union).validate({ kind: 'a', at: { x: 'no' } }));
    expect(first).toBe('matches none of the 2 alternatives; nearest: `at.x`: expected number, got string');
  });

  it('names unknown members once, whichever keyword forbids them', () => {
    expect(messages(compileSchema({ unevaluatedProperties: false }).validate({ a: 1 }))).toEqual([
      'unknown property "a"',
    ]);
    expect(messages(compileSchema({ propertyNames: { maxLength: 1 } }).validate({ ab: 1 }))).toEqual([
      'property name "ab" is not allowed',
    ]);
  });

  it('stops after ten issues', () => {
    const result = compileSchema({ items: { type: 'number' } }).validate(Array.from({ length: 1000 }, () => 'x'));
    expect(messages(result)).toHaveLength(10);
  });

  it('does not take inherited members for members', () => {
    const compiled = compileSchema({ required: ['toString'], properties: { constructor: { type: 'string' } } });
    expect(compiled.is({})).toBe(false);
    expect(compileSchema({ properties: { constructor: { type: 'string' } } }).is({})).toBe(true);
    const proto = compileSchema({ properties: { ['__proto__']: { type: 'string' } } });
    expect([proto.is({}), proto.is(JSON.parse('{"__proto__":1}'))]).toEqual([true, false]);
  });

  it('compiles a schema object once', () => {
    expect(compileSchema(schema)).toBe(compileSchema(schema));
  });
});

describe('bounds', () => {
  proves('M-JS-011').it('refuses schemas that are too large or too deep', () => {
    let deep: JsonSchema = {};
    for (let level = 0; level < 5_000; level++) deep = { not: deep };
    expect(codeOf(() => compileSchema(deep))).toBe('too-complex');
    const wide = { anyOf: Array.from({ length: 60_000 }, () => ({ type: 'string' })) };
    expect(codeOf(() => compileSchema(wide))).toBe('too-complex');
    const chain = Object.fromEntries(
      Array.from({ length: 40_000 }, (_, at) => [`n${at}`, { $ref: `#/$defs/n${at + 1}` }]),
    );
    expect(codeOf(() => compileSchema({ $ref: '#/$defs/n0', $defs: { ...chain, n40000: {} } }))).toBe('too-complex');
    const patterns = Array.from({ length: 200 }, (_, at) => ({ pattern: `(?:a{900}|${at})` }));
    expect(codeOf(() => compileSchema({ anyOf: patterns }))).toBe('too-complex');
  });

  proves('M-JS-011').it('ends composition that explodes', () => {
    const $defs: Record<string, JsonSchema> = { level0: { type: 'string' } };
    for (let level = 1; level <= 40; level++) {
      const $ref = `#/$defs/level${level - 1}`;
      $defs[`level${level}`] = { anyOf: [{ $ref }, { $ref }] };
    }
    const result = compileSchema({ $ref: '#/$defs/level40', $defs }).validate(1);
    expect(messages(result).at(-1)).toMatch(/too complex/);
  });

  proves('M-JS-011').it('ends reference loops and survives deep values', () => {
    expect(messages(compileSchema({ $ref: '#' }).validate(1))[0]).toMatch(/too complex/);
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level++) value = [value];
    const compiled = compileSchema({ items: { $ref: '#' } });
    expect(messages(compiled.validate(value))[0]).toMatch(/too complex/);
    expect(compiled.is([[1]])).toBe(true);
    expect(messages(compileSchema({ uniqueItems: true }).validate([value, [value]]))[0] ?? 'ok').toMatch(
      /too complex|ok/,
    );
  });

  it('compares many unique items without comparing each with all others', () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ index, same: [1, { a: 'b' }] }));
    const compiled = compileSchema({ uniqueItems: true });
    expect(compiled.is(items)).toBe(true);
    expect(compiled.is([...items, { same: [1, { a: 'b' }], index: 7 }])).toBe(false);
  });
});

describe('the fast check and the explaining check', () => {
  const leaf = fc.constantFrom<JsonSchema>(
    { type: 'string' },
    { type: 'integer', minimum: 2 },
    { enum: [1, 'a', null] },
    { const: { a: 1 } },
    { maxLength: 1 },
    { multipleOf: 0.1 },
    true,
    false,
  );
  const schemas = fc.letrec<{ node: JsonSchema }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({
        allOf: fc.array(tie('node'), { minLength: 1, maxLength: 2 }),
        unevaluatedProperties: fc.constant(false),
      }),
      fc.record({ properties: fc.record({ a: tie('node'), b: tie('node') }), additionalProperties: tie('node') }),
      fc.record({ prefixItems: fc.array(tie('node'), { minLength: 1, maxLength: 2 }), unevaluatedItems: tie('node') }),
      fc.record({ if: tie('node'), then: tie('node'), else: tie('node') }),
      fc.record({ not: tie('node') }),
    ),
  })).node;
  const values = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(1, 2, 'a', null)),
  );

  it('always agree, and a refusal always says why', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const compiled = compileSchema(schema);
        const result = compiled.validate(value);
        expect(result.ok).toBe(compiled.is(value));
        if (!result.ok) expect(result.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it('treat a negated schema as the opposite', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        expect(compileSchema({ not: schema }).is(value)).toBe(!compileSchema(schema).is(value));
      }),
      { numRuns: 300 },
    );
  });
});

describe('formats', () => {
  it('are annotations unless asked for', () => {
    expect(compileSchema({ format: 'email' }).is('nobody')).toBe(true);
    expect(compileSchema({ format: 'email' }, { assertFormats: true }).is('nobody')).toBe(false);
  });

  it.each([
    ['date-time', '2026-07-28T10:00:00Z', '2026-02-30T10:00:00Z'],
    ['date', '2024-02-29', '2023-02-29'],
    ['time', '23:59:60Z', '22:59:60Z'],
    ['duration', 'P1DT2H', 'P'],
    ['email', 'a.b@example.com', 'a..b@example.com'],
    ['hostname', 'example.com', '-example.com'],
    ['ipv4', '127.0.0.1', '127.0.0.01'],
    ['ipv6', '::ffff:1.2.3.4', '1::2::3'],
    ['uri', 'https://example.com/a?b#c', '//example.com'],
    ['uri-reference', '/a', '\\a'],
    ['uuid', '2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8aa08'],
    ['json-pointer', '/a~0b', '/a~2'],
    ['relative-json-pointer', '1/a', '/a'],
    ['regex', '^a+$', '('],
  ])('%s', (format, good, bad) => {
    const compiled = compileSchema({ format }, { assertFormats: true });
    expect([compiled.is(good), compiled.is(bad), compiled.is(3)]).toEqual([true, false, true]);
  });
});
