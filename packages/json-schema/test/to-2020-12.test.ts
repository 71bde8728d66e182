/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import * as fc from 'fast-check';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileSchema, type JsonSchema, to202012 } from '../src/index.ts';
import { assertValidSchema } from '../src/assert-valid-schema.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';

const draft07 = 'http://json-schema.org/draft-07/schema#';
const draft201909 = 'https://json-schema.org/draft/2019-09/schema';
const shared = resolve(import.meta.dirname, '../../../../shared/spec');

describe('to202012', () => {
  it('rewrites what draft-07 spells differently', () => {
    const schema = {
      $schema: draft07,
      $ref: '#/definitions/root',
      type: 'string',
      definitions: {
        root: {
          $id: '#root',
          items: [{ $ref: '#/definitions/definitions' }, { $ref: '#/definitions/root/items/0' }],
          additionalItems: false,
          dependencies: { a: ['b'], c: { required: ['d'] } },
        },
        definitions: { type: 'number', const: { definitions: 1 } },
      },
    };
    expect(to202012(schema)).toEqual({
      $ref: '#/$defs/root',
      $defs: {
        root: {
          $anchor: 'root',
          prefixItems: [{ $ref: '#/$defs/definitions' }, { $ref: '#/$defs/root/prefixItems/0' }],
          items: false,
          dependentRequired: { a: ['b'] },
          dependentSchemas: { c: { required: ['d'] } },
        },
        definitions: { type: 'number', const: { definitions: 1 } },
      },
    });
  });

  it('rewrites draft-04 limits and names', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-04/schema#',
      id: 'http://a.example/',
      minimum: 1,
      exclusiveMinimum: true,
      maximum: 3,
      exclusiveMaximum: false,
    };
    expect(to202012(schema)).toEqual({ $id: 'http://a.example/', exclusiveMinimum: 1, maximum: 3 });
  });

  it('rewrites recursion of 2019-09', () => {
    const tree = {
      $schema: draft201909,
      $recursiveAnchor: true,
      type: 'object',
      properties: { kids: { items: { $recursiveRef: '#' } } },
    };
    const json = to202012(tree);
    expect(json).toEqual({
      $dynamicAnchor: 'recursive',
      type: 'object',
      properties: { kids: { items: { $dynamicRef: '#recursive' } } },
    });
    expect(compileSchema(json).is({ kids: [{ kids: [1] }] })).toBe(false);
  });

  proves('M-JS-013').it('leaves 2020-12 schemas alone, unknown keywords included', () => {
    const schema = {
      type: 'object',
      definitions: { a: {} },
      'x-mine': [1],
      $defs: { b: { $anchor: 'b' } },
      if: {},
      then: true,
      oneOf: [{}],
    };
    expect(to202012(schema)).toBe(schema);
    const declared = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' };
    expect(to202012(declared)).toBe(declared);
  });

  it('keeps what it cannot rewrite, with its dialect', () => {
    const schema = { $schema: draft201909, contains: { type: 'string' }, unevaluatedItems: false };
    expect(to202012(schema)).toBe(schema);
  });

  const leaf = fc.constantFrom<JsonSchema>(
    { type: 'string' },
    { type: 'number', exclusiveMinimum: 1 },
    { const: 'a' },
    true,
    false,
    { $ref: '#/definitions/x' },
  );
  const legacy = fc.letrec<{ node: JsonSchema }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record({ items: fc.array(tie('node'), { minLength: 1, maxLength: 3 }), additionalItems: tie('node') }),
      fc.record({ items: tie('node'), additionalItems: tie('node') }),
      fc.record({ dependencies: fc.record({ a: fc.constantFrom(['b'], []), b: tie('node') }) }),
      fc.record({
        properties: fc.record({ a: tie('node'), definitions: tie('node') }),
        additionalProperties: tie('node'),
      }),
      fc.record({ $ref: fc.constant('#/definitions/x'), type: fc.constant('null'), minContains: fc.constant(5) }),
      fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ contains: tie('node'), minContains: fc.constant(3), unevaluatedProperties: fc.constant(false) }),
    ),
  })).node;
  const value = fc.oneof(
    fc.array(fc.constantFrom('a', 1, 2, null), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'definitions'), fc.constantFrom('a', 1, 2, [1])),
    fc.jsonValue({ maxDepth: 3 }),
  );

  it('accepts and refuses the same values afterwards', () => {
    fc.assert(
      fc.property(fc.constantFrom(draft07, draft201909), legacy, value, ($schema, node, instance) => {
        // In 2019-09 a tuple's `unevaluatedItems` is the only part that may be left in its dialect; it does not occur here.
        const schema = {
          $schema,
          definitions: { x: { type: ['number', 'array'] }, y: node },
          allOf: [node, { $ref: '#/definitions/y' }],
        };
        const json = to202012(schema);
        expect(json).not.toHaveProperty('$schema');
        expect(() => assertValidSchema(json)).not.toThrow();
        expect(compileSchema(json).is(instance)).toBe(compileSchema(schema).is(instance));
      }),
      { numRuns: 500 },
    );
  });

  interface Group {
    readonly description: string;
    readonly schema: JsonSchema;
    readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
  }

  it.skipIf(!existsSync(shared)).each([
    ['draft7', draft07],
    ['draft2019-09', draft201909],
  ])('keeps the verdicts of the %s test suite', (folder, $schema) => {
    const failures: string[] = [];
    let converted = 0;
    const files = readdirSync(join(shared, 'json-schema-tests', folder)).filter((name) => name.endsWith('.json'));
    for (const file of files.filter((name) => !['refRemote.json', 'vocabulary.json'].includes(name))) {
      const groups = JSON.parse(readFileSync(join(shared, 'json-schema-tests', folder, file), 'utf8')) as Group[];
      for (const group of groups) {
        if (typeof group.schema === 'boolean') continue;
        const json = to202012({ $schema, ...group.schema });
        if (typeof json === 'object' && '$schema' in json) continue;
        converted++;
        for (const test of group.tests) {
          if (compileSchema(json).is(test.data) !== test.valid)
            failures.push(`${file}: ${group.description}: ${test.description}`);
        }
      }
    }
    console.log(`${folder}: ${converted} schemas rewritten in 2020-12`);
    expect(failures).toEqual([]);
    expect(converted).toBeGreaterThan(150);
  });
});
