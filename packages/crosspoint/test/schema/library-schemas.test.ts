import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as m from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { compileSchema, prepareSchema, type StandardTyped } from '../../src/schema/index.ts';
import { assertValidSchema } from '../../../json-schema/src/assert-valid-schema.ts';

/** What TypeScript makes of `enum Level { Low, High = 'high' }`. */
const Level = { 0: 'Low', Low: 0, High: 'high' } as const;

type Row = readonly [name: string, schema: StandardTyped, json: unknown, outputJson?: unknown];

interface Node3 {
  value: number;
  kids: Node3[];
}

const node3: z3.ZodType<Node3> = z3.object({ value: z3.number(), kids: z3.lazy(() => node3.array()) });

const zod3: readonly Row[] = [
  [
    'string',
    z3.string().min(1).max(9).email().describe('mail'),
    { type: 'string', minLength: 1, maxLength: 9, format: 'email', description: 'mail' },
  ],
  [
    'string patterns',
    z3.string().regex(/^a/).startsWith('a.').includes('b'),
    { type: 'string', pattern: '^a', allOf: [{ pattern: String.raw`^a\.` }, { pattern: 'b' }] },
  ],
  [
    'string formats',
    z3.string().ip({ version: 'v4' }).length(7),
    { type: 'string', format: 'ipv4', minLength: 7, maxLength: 7 },
  ],
  [
    'number',
    z3.number().int().gt(1).lte(9).multipleOf(2),
    { type: 'integer', exclusiveMinimum: 1, maximum: 9, multipleOf: 2 },
  ],
  ['boolean', z3.boolean(), { type: 'boolean' }],
  ['bigint', z3.bigint(), { type: 'integer' }],
  ['date', z3.date(), { type: 'string', format: 'date-time' }],
  ['null', z3.null(), { type: 'null' }],
  ['never', z3.never(), { not: {} }],
  ['void', z3.void(), { not: {} }],
  ['undefined', z3.undefined(), { not: {} }],
  ['any', z3.any(), {}],
  ['unknown', z3.unknown(), {}],
  ['literal', z3.literal('a'), { type: 'string', const: 'a' }],
  ['enum', z3.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  ['enum with the name of a member', z3.enum(['a', 'length']), { type: 'string', enum: ['a', 'length'] }],
  ['nativeEnum', z3.nativeEnum(Level), { enum: [0, 'high'] }],
  [
    'array',
    z3.array(z3.string()).min(1).max(2),
    { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
  ],
  ['tuple', z3.tuple([z3.string()]), { type: 'array', prefixItems: [{ type: 'string' }], minItems: 1, maxItems: 1 }],
  [
    'tuple with rest',
    z3.tuple([z3.string()]).rest(z3.number()),
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 1 },
  ],
  ['record', z3.record(z3.number()), { type: 'object', additionalProperties: { type: 'number' } }],
  [
    'record of names',
    z3.record(z3.enum(['a', 'b']), z3.number()),
    { type: 'object', propertyNames: { type: 'string', enum: ['a', 'b'] }, additionalProperties: { type: 'number' } },
  ],
  [
    'map',
    z3.map(z3.string(), z3.number()),
    {
      type: 'array',
      items: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2, maxItems: 2 },
    },
  ],
  ['set', z3.set(z3.string()).min(1), { type: 'array', uniqueItems: true, items: { type: 'string' }, minItems: 1 }],
  ['union', z3.union([z3.string(), z3.number()]), { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  [
    'discriminated union',
    z3.discriminatedUnion('k', [z3.object({ k: z3.literal('a') })]),
    { oneOf: [{ type: 'object', properties: { k: { type: 'string', const: 'a' } }, required: ['k'] }] },
    {
      oneOf: [
        {
          type: 'object',
          properties: { k: { type: 'string', const: 'a' } },
          required: ['k'],
          additionalProperties: false,
        },
      ],
    },
  ],
  [
    'intersection',
    z3.object({ a: z3.string() }).and(z3.object({ b: z3.string() })),
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    },
  ],
  ['nullable', z3.string().nullable(), { type: ['string', 'null'] }],
  [
    'nullable enum',
    z3.enum(['a', 'b']).nullable(),
    { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
  ],
  ['optional', z3.string().optional(), { type: 'string' }],
  ['default', z3.string().default('a'), { type: 'string', default: 'a' }],
  ['catch', z3.string().catch('a'), { type: 'string' }],
  ['branded', z3.string().brand('x'), { type: 'string' }],
  ['readonly', z3.string().readonly(), { type: 'string' }],
  ['refinement', z3.string().refine((text) => text !== ''), { type: 'string' }],
  ['transform', z3.string().transform(Number), { type: 'string' }, {}],
  ['preprocess', z3.preprocess((value) => value, z3.string()), { type: 'string' }],
  ['pipeline', z3.string().pipe(z3.coerce.number()), { type: 'string' }, { type: 'number' }],
  ['strict', z3.object({}).strict(), { type: 'object', properties: {}, additionalProperties: false }],
  ['passthrough', z3.object({}).passthrough(), { type: 'object', properties: {}, additionalProperties: {} }],
  [
    'catchall',
    z3.object({}).catchall(z3.number()),
    { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
  ],
];

const valibot: readonly Row[] = [
  [
    'string',
    v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(9), v.email(), v.description('mail')),
    { type: 'string', minLength: 1, maxLength: 9, format: 'email', description: 'mail' },
  ],
  [
    'regex',
    v.pipe(v.string(), v.regex(/^a/), v.startsWith('a.')),
    { type: 'string', pattern: '^a', allOf: [{ pattern: String.raw`^a\.` }] },
  ],
  [
    'number',
    v.pipe(v.number(), v.integer(), v.gtValue(1), v.maxValue(9)),
    { type: 'integer', exclusiveMinimum: 1, maximum: 9 },
  ],
  ['literal', v.literal('a'), { type: 'string', const: 'a' }],
  ['picklist', v.picklist(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  ['enum', v.enum({ A: 'a', B: 'b' }), { type: 'string', enum: ['a', 'b'] }],
  ['array', v.pipe(v.array(v.string()), v.nonEmpty()), { type: 'array', items: { type: 'string' }, minItems: 1 }],
  [
    'strict tuple',
    v.strictTuple([v.string()]),
    { type: 'array', prefixItems: [{ type: 'string' }], minItems: 1, maxItems: 1 },
  ],
  [
    'tuple with rest',
    v.tupleWithRest([v.string()], v.number()),
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 1 },
  ],
  ['record', v.record(v.string(), v.number()), { type: 'object', additionalProperties: { type: 'number' } }],
  ['union', v.union([v.string(), v.null()]), { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  [
    'variant',
    v.variant('k', [v.strictObject({ k: v.literal(1) })]),
    {
      anyOf: [
        {
          type: 'object',
          properties: { k: { type: 'number', const: 1 } },
          required: ['k'],
          additionalProperties: false,
        },
      ],
    },
  ],
  [
    'intersect',
    v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })]),
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    },
  ],
  ['nullish', v.nullish(v.string()), { type: ['string', 'null'] }],
  ['loose object', v.looseObject({}), { type: 'object', properties: {}, additionalProperties: {} }],
  [
    'object with rest',
    v.objectWithRest({}, v.number()),
    { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
  ],
  ['transform', v.pipe(v.string(), v.transform(Number)), { type: 'string' }, {}],
  ['pipe to a schema', v.pipe(v.string(), v.transform(Number), v.number()), { type: 'string' }, { type: 'number' }],
];

const zodMini: readonly Row[] = [
  [
    'string',
    m.string().check(m.minLength(1), m.maxLength(9), m.regex(/^a/)),
    { type: 'string', minLength: 1, maxLength: 9, pattern: '^a' },
  ],
  ['email', m.email(), { type: 'string', format: 'email' }],
  ['integer', m.int().check(m.gt(1), m.lte(9)), { type: 'integer', exclusiveMinimum: 1, maximum: 9 }],
  ['literal', m.literal(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  ['enum', m.enum({ A: 'a' }), { type: 'string', const: 'a' }],
  ['array', m.array(m.boolean()).check(m.minLength(2)), { type: 'array', items: { type: 'boolean' }, minItems: 2 }],
  [
    'tuple',
    m.tuple([m.string()], m.number()),
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 1 },
  ],
  [
    'record',
    m.record(m.string(), m.number()),
    { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'number' } },
  ],
  ['union', m.union([m.string(), m.null()]), { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ['nullable', m.nullable(m.string()), { type: ['string', 'null'] }],
  ['strict', m.strictObject({}), { type: 'object', properties: {}, additionalProperties: false }],
  ['loose', m.looseObject({}), { type: 'object', properties: {}, additionalProperties: {} }],
  ['pipe', m.pipe(m.string(), m.number() as never), { type: 'string' }, { type: 'number' }],
];

for (const [library, rows] of Object.entries({ 'zod 3': zod3, 'zod mini': zodMini, valibot })) {
  describe(library, () => {
    it.each(rows.map((row) => ({ name: row[0], row })))('$name', ({ row: [, schema, json, outputJson = json] }) => {
      expect(prepareSchema(schema, 'input').json).toEqual(json);
      expect(prepareSchema(schema, 'output').json).toEqual(outputJson);
      expect(() => assertValidSchema(json)).not.toThrow();
    });
  });
}

describe('recursive schemas', () => {
  interface NodeV {
    value: number;
    kids: NodeV[];
  }
  const nodeV: v.GenericSchema<NodeV> = v.object({ value: v.number(), kids: v.array(v.lazy(() => nodeV)) });

  const nodeM: m.ZodMiniType = m.object({
    value: m.number(),
    get kids() {
      return m.array(nodeM);
    },
  });

  it.each([
    ['zod 3', node3 as StandardTyped],
    ['zod mini', nodeM as StandardTyped],
    ['valibot', nodeV as StandardTyped],
  ])('of %s refer to themselves', (_, schema) => {
    const { json } = prepareSchema(schema, 'input');
    expect(() => assertValidSchema(json)).not.toThrow();
    const compiled = compileSchema(json);
    expect(compiled.is({ value: 1, kids: [{ value: 2, kids: [{ value: 3, kids: [] }] }] })).toBe(true);
    expect(compiled.is({ value: 1, kids: [{ value: 2, kids: [{ value: 'x', kids: [] }] }] })).toBe(false);
  });
});
