/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import {
  fromJsonSchema,
  prepareSchema,
  registerJsonSchemaConverter,
  SchemaError,
  type SchemaInput,
  type SchemaOutput,
} from '../../src/schema/index.ts';
import { assertValidSchema } from '../../../json-schema/src/assert-valid-schema.ts';
import type { ParseResult, Schema } from '../../src/schema/schema.ts';
import { requireObjectRoot } from '../../src/schema/require-object-root.ts';
import { zeroParameters } from '../../src/schema/documents/prepare-schema.ts';
import { proves } from '../requirements/proves.ts';

/** All libraries used here are synchronous unless a test says otherwise. */
function parse<Out>(schema: Schema<unknown, Out>, value: unknown): ParseResult<Out> {
  const result = schema.parse(value);
  if (result instanceof Promise) throw new TypeError('expected a synchronous result');
  return result;
}

function firstMessage(result: ParseResult<unknown>): string | undefined {
  return result.ok ? undefined : result.issues[0]?.message;
}

const kinds = {
  'zod 4': z.object({ name: z.string(), limit: z.number().default(3), note: z.string().optional() }),
  'zod 3': z3.object({ name: z3.string(), limit: z3.number().default(3), note: z3.string().optional() }),
  'zod mini': mini.object({
    name: mini.string(),
    limit: mini._default(mini.number(), 3),
    note: mini.optional(mini.string()),
  }),
  valibot: v.object({ name: v.string(), limit: v.optional(v.number(), 3), note: v.optional(v.string()) }),
  arktype: type({ name: 'string', limit: 'number = 3', 'note?': 'string' }),
  'a zod 4 shape': { name: z.string(), limit: z.number().default(3), note: z.string().optional() },
  'a zod 3 shape': { name: z3.string(), limit: z3.number().default(3), note: z3.string().optional() },
  'a valibot shape': { name: v.string(), limit: v.optional(v.number(), 3), note: v.optional(v.string()) },
};

describe.each(Object.entries(kinds))('%s', (kind, schema) => {
  const input = prepareSchema(schema, 'input');

  it('becomes a JSON Schema', () => {
    expect(input.json).toMatchObject({
      type: 'object',
      properties: {
        name: { type: 'string' },
        limit: { type: 'number', ...(kind === 'arktype' ? {} : { default: 3 }) },
        note: { type: 'string' },
      },
      required: ['name'],
    });
    expect(input.json).not.toHaveProperty('$schema');
    expect(() => assertValidSchema(input.json)).not.toThrow();
  });

  it('parses, with defaults', () => {
    expect(parse(input, { name: 'a' })).toEqual({ ok: true, value: { name: 'a', limit: 3 } });
    const result = parse(input, { name: 'a', limit: 'x' });
    expect(result).toMatchObject({ ok: false, issues: [{ path: ['limit'] }] });
    expect(firstMessage(result)).toMatch(/^`limit`: /);
    expect(parse(input, {}).ok).toBe(false);
    expect(parse(input, []).ok).toBe(false);
  });

  it('is prepared once per side', () => {
    expect(prepareSchema(schema, 'input')).toBe(input);
    if (kind === 'arktype') return;
    const output = prepareSchema(schema, 'output');
    expect(output).not.toBe(input);
    expect(output.json).toMatchObject({ required: ['name', 'limit'], additionalProperties: false });
  });
});

describe('raw shapes', () => {
  it('drop unknown members, and take none when empty', () => {
    expect(parse(prepareSchema({ a: z.number() }, 'input'), { a: 1, b: 2 })).toEqual({ ok: true, value: { a: 1 } });
    const empty = prepareSchema({}, 'input');
    expect(empty.json).toEqual({ type: 'object', properties: {} });
    expect(parse(empty, { b: 2 })).toEqual({ ok: true, value: {} });
  });

  it('say which member is missing, even if coercion would invent it', () => {
    const schema = prepareSchema({ name: z.coerce.string() }, 'input');
    expect(schema.json).toMatchObject({ required: ['name'] });
    expect(firstMessage(parse(schema, {}))).toBe('missing required property `name`');
  });

  it('keep recursion of a member pointing at that member', () => {
    const Node: z.ZodType = z.object({
      value: z.number(),
      get kids() {
        return z.array(Node);
      },
    });
    const schema = prepareSchema({ 'a/b': Node, plain: z.object({ deep: Node.optional() }) }, 'input');
    expect(() => assertValidSchema(schema.json)).not.toThrow();
    const raw = prepareSchema(fromJsonSchema(schema.json as Record<string, unknown>), 'input');
    const good = { 'a/b': { value: 1, kids: [{ value: 2, kids: [] }] }, plain: {} };
    expect(parse(raw, good).ok).toBe(true);
    expect(parse(raw, { ...good, 'a/b': { value: 1, kids: [{ value: 'x', kids: [] }] } }).ok).toBe(false);
  });

  it('are asynchronous when a member is', async () => {
    const schema = prepareSchema({ a: z.string().refine(async (text) => text === 'a'), b: z.number() }, 'input');
    await expect(schema.parse({ a: 'a', b: 1 })).resolves.toEqual({ ok: true, value: { a: 'a', b: 1 } });
    await expect(schema.parse({ a: 'b', b: 1 })).resolves.toMatchObject({ ok: false, issues: [{ path: ['a'] }] });
  });

  it('may not be mixed with other things', () => {
    expect(() => prepareSchema({ a: z.string(), b: 3 }, 'input')).toThrow(TypeError);
  });
});

describe('JSON Schema', () => {
  it('validates and returns the value unchanged', () => {
    const json = { type: 'object', properties: { a: { type: 'number', default: 1 } } };
    const schema = prepareSchema(fromJsonSchema(json), 'input');
    const value = { b: 2 };
    const result = parse(schema, value);
    expect(result.ok && result.value).toBe(value);
    expect(firstMessage(parse(schema, { a: 'x' }))).toBe('`a`: expected number, got string');
  });

  proves('L-MESSAGES-036, M-JS-006').it('has to be valid under its dialect', () => {
    const bad = [
      { type: 'object', required: 'a' },
      { type: 'object', title: 3 },
      { type: 'object', $ref: '#/none' },
    ];
    for (const schema of bad) expect(() => prepareSchema(fromJsonSchema(schema), 'input')).toThrow(SchemaError);
  });

  proves('L-MESSAGES-036').it('emits draft-07 as 2020-12', () => {
    const json = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      definitions: { n: { type: 'number' } },
      properties: { a: { $ref: '#/definitions/n' } },
    };
    const schema = prepareSchema(fromJsonSchema(json), 'input');
    expect(schema.json).toEqual({
      type: 'object',
      $defs: { n: { type: 'number' } },
      properties: { a: { $ref: '#/$defs/n' } },
    });
    expect(parse(schema, { a: 'x' }).ok).toBe(false);
  });

  proves('M-JS-013, M-JS-012').it('keeps every keyword as given', () => {
    const given = {
      type: 'object',
      $defs: { a: { $anchor: 'a', type: 'string' } },
      oneOf: [{ required: ['x'] }, { required: ['y'] }],
      if: { required: ['x'] },
      then: { properties: { x: { $ref: '#a' } } },
      'x-vendor': { deep: [1] },
    };
    const schema = fromJsonSchema(given);
    expect(prepareSchema(schema, 'input').json).toEqual(structuredClone(given));
    expect(requireObjectRoot(prepareSchema(schema, 'input').json, 'tool')).toEqual(given);
    expect(prepareSchema(fromJsonSchema({ type: 'array', items: { type: 'string' } }), 'output').json).toEqual({
      type: 'array',
      items: { type: 'string' },
    });
  });

  proves('L-TOOLS-026, M-TOOL-008').it('refuses null and other things that are no schema', () => {
    for (const bad of [null, undefined, 3, 'x', []])
      expect(() => prepareSchema(bad as never, 'input')).toThrow(TypeError);
  });

  it('is refused as it is, in words that name the import', () => {
    const needed = "import { fromJsonSchema } from 'crosspoint/schema'";
    for (const json of [{ type: 'object' }, { $ref: '#/$defs/a', $defs: {} }, { a: 3 }])
      expect(() => prepareSchema(json, 'input')).toThrow(needed);
  });

  it('of a Standard JSON Schema without a validator is given one by fromJsonSchema', () => {
    const json = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' };
    const standard = {
      '~standard': { version: 1 as const, vendor: 'mine', jsonSchema: { input: () => json, output: () => json } },
    };
    expect(() => prepareSchema(standard, 'input')).toThrow('needs a validator for its JSON Schema');
    const schema = prepareSchema(fromJsonSchema({ type: 'string' }), 'input');
    expect(schema.json).toEqual({ type: 'string' });
    expect([parse(schema, 'a').ok, parse(schema, 1).ok]).toEqual([true, false]);
  });

  it('keeps the dialect of a schema whose library gives another one than 2020-12', () => {
    const json = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'string' }] };
    const standard = {
      '~standard': {
        version: 1 as const,
        vendor: 'older',
        validate: (value: unknown) =>
          Array.isArray(value) && typeof value[0] === 'string' ? { value } : { issues: [{ message: 'no text first' }] },
        jsonSchema: { input: () => json, output: () => json },
      },
    };
    const schema = prepareSchema(standard, 'input');
    expect(schema.json).toEqual(json);
    expect([parse(schema, ['a', 1]).ok, parse(schema, [1]).ok]).toEqual([true, false]);
  });
});

describe('the root of a tool schema', () => {
  proves('L-TOOLS-026, M-TOOL-039').it('a tool without parameters declares an empty object', () => {
    expect(zeroParameters).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    expect(requireObjectRoot(zeroParameters, 'tool')).toBe(zeroParameters);
  });

  proves('M-TOOL-008, M-JS-012').it('is an object, also for compositions of objects', () => {
    const union = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a') }),
      z.object({ kind: z.literal('b'), n: z.number() }),
    ]);
    const json = requireObjectRoot(prepareSchema(union, 'input').json, 'tool "x"');
    expect(json['type']).toBe('object');
    expect(json['oneOf'] ?? json['anyOf']).toHaveLength(2);
    const referring = { $ref: '#/$defs/a', $defs: { a: { allOf: [{ type: 'object' }, { minProperties: 1 }] } } };
    expect(requireObjectRoot(referring, 'tool')).toEqual({ type: 'object', ...referring });
    expect(requireObjectRoot({ properties: {} }, 'tool')).toEqual({ type: 'object', properties: {} });
  });

  proves('M-TOOL-008').it.each([
    [true],
    [{ type: 'array' }],
    [{ type: ['object', 'null'] }],
    [{ anyOf: [{ type: 'object' }, { type: 'string' }] }],
    [{ $ref: '#/$defs/none' }],
    [{ minimum: 1 }],
  ])('%j is refused', (json) => {
    expect(() => requireObjectRoot(json, 'inputSchema of tool "x"')).toThrow(/^inputSchema of tool "x": /);
  });
});

describe('conversion', () => {
  it('says what to do when a library has no JSON Schema', () => {
    const foreign = (
      vendor: string,
    ): { '~standard': { version: 1; vendor: string; validate: (value: unknown) => { value: unknown } } } => ({
      '~standard': { version: 1, vendor, validate: (value) => ({ value }) },
    });
    expect(() => prepareSchema(foreign('other'), 'input')).toThrow(/registerJsonSchemaConverter\('other'/);
    registerJsonSchemaConverter('taught', (_, side) => ({ title: side }));
    expect(prepareSchema(foreign('taught'), 'output').json).toEqual({ title: 'output' });
  });

  it('explains what a schema cannot express', () => {
    expect(() => prepareSchema(z.object({ at: z.date() }), 'input')).toThrow(
      /zod schema has no JSON Schema for its input: Date/,
    );
    expect(() => prepareSchema(v.object({ file: v.blob() }), 'input')).toThrow(/@valibot\/to-json-schema/);
  });
});

describe('types', () => {
  it('are inferred for every kind', () => {
    interface In {
      name: string;
      limit?: number | undefined;
      note?: string | undefined;
    }
    interface Out {
      name: string;
      limit: number;
      note?: string | undefined;
    }
    expectTypeOf<SchemaInput<(typeof kinds)['zod 4']>>().toEqualTypeOf<In>();
    expectTypeOf<SchemaOutput<(typeof kinds)['zod 4']>>().toEqualTypeOf<Out>();
    expectTypeOf<SchemaInput<(typeof kinds)['zod 3']>>().toEqualTypeOf<In>();
    expectTypeOf<SchemaOutput<(typeof kinds)['zod 3']>>().toEqualTypeOf<Out>();
    expectTypeOf<SchemaOutput<(typeof kinds)['valibot']>>().toEqualTypeOf<Out>();
    expectTypeOf<SchemaOutput<(typeof kinds)['arktype']>>().toEqualTypeOf<{
      name: string;
      limit: number;
      note?: string;
    }>();
    expectTypeOf<SchemaInput<(typeof kinds)['a zod 4 shape']>>().toEqualTypeOf<In>();
    expectTypeOf<SchemaOutput<(typeof kinds)['a zod 4 shape']>>().toEqualTypeOf<Out>();
    expectTypeOf<SchemaOutput<(typeof kinds)['a zod 3 shape']>>().toEqualTypeOf<Out>();
    expectTypeOf<SchemaOutput<(typeof kinds)['a valibot shape']>>().toEqualTypeOf<Out>();
    expectTypeOf<SchemaOutput<{ type: 'object' }>>().toEqualTypeOf<{ readonly [name: string]: unknown }>();
    expectTypeOf<SchemaOutput<{ type: 'string' }>>().toEqualTypeOf<unknown>();
    const prepared = prepareSchema({ a: z.string().transform(Number) }, 'input');
    expectTypeOf(prepared).toEqualTypeOf<Schema<{ a: string }, { a: number }>>();
  });

  it('of a shape let a member be left out where it may be undefined, and there alone', () => {
    const shapes = {
      required: { a: z.string(), b: z.number() },
      optional: { a: z.string().optional() },
      unknown: { a: z.unknown(), b: z.string() },
      nested: { a: z.object({ b: z.string().optional() }) },
      constant: { a: z.string(), b: z.string().optional() } as const,
    };
    type Of<K extends keyof typeof shapes> = SchemaOutput<(typeof shapes)[K]>;
    expectTypeOf<Of<'required'>>().toEqualTypeOf<{ a: string; b: number }>();
    expectTypeOf<Of<'optional'>>().toEqualTypeOf<{ a?: string | undefined }>();
    expectTypeOf<Of<'unknown'>>().toEqualTypeOf<{ a?: unknown; b: string }>();
    expectTypeOf<Of<'nested'>>().toEqualTypeOf<{ a: { b?: string | undefined } }>();
    expectTypeOf<Of<'constant'>>().toEqualTypeOf<{ readonly a: string; readonly b?: string | undefined }>();
    expectTypeOf<SchemaOutput<Record<string, z.ZodString>>>().toEqualTypeOf<{ [name: string]: string }>();
  });
});
