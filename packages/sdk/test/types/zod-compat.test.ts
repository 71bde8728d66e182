import * as officialCompat from '@modelcontextprotocol/sdk/server/zod-compat.js';
import { describe, expect, it } from 'vitest';
import * as z3 from 'zod/v3';
import * as z4 from 'zod/v4';
import * as mini from 'zod/v4-mini';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import {
  getLiteralValue,
  getObjectShape,
  getParseErrorMessage,
  getSchemaDescription,
  isSchemaOptional,
  isZ4Schema,
  normalizeObjectSchema,
  objectFromShape,
  safeParse,
  safeParseAsync,
  type AnySchema,
} from '../../src/server/zod-compat.ts';
import { getMethodLiteral, parseWithCompat, toJsonSchemaCompat } from '../../src/server/zod-json-schema-compat.ts';

interface Maker {
  readonly name: string;
  readonly text: AnySchema;
  readonly maybe: AnySchema;
  readonly literal: AnySchema;
  readonly message: AnySchema;
}
const makers: readonly Maker[] = [
  {
    name: 'zod 3',
    text: z3.string().describe('a text'),
    maybe: z3.string().optional(),
    literal: z3.literal('x'),
    message: z3.object({ method: z3.literal('a/b'), params: z3.object({ n: z3.number() }) }),
  },
  {
    name: 'zod 4',
    text: z4.string().describe('a text'),
    maybe: z4.string().optional(),
    literal: z4.literal('x'),
    message: z4.object({ method: z4.literal('a/b'), params: z4.object({ n: z4.number() }) }),
  },
  {
    name: 'zod 4 mini',
    text: mini.string(),
    maybe: mini.optional(mini.string()),
    literal: mini.literal('x'),
    message: mini.object({ method: mini.literal('a/b'), params: mini.object({ n: mini.number() }) }),
  },
];

describe('server/zod-compat.js', () => {
  proves('L-SDK-002').it.each(makers)('reads schemas of $name', async ({ name, text, maybe, literal, message }) => {
    expect(isZ4Schema(text)).toBe(name !== 'zod 3');
    expect(isSchemaOptional(maybe)).toBe(true);
    expect(isSchemaOptional(text)).toBe(false);
    expect(getLiteralValue(literal)).toBe('x');
    expect(getLiteralValue(text)).toBeUndefined();
    expect(Object.keys(getObjectShape(message) ?? {})).toEqual(['method', 'params']);
    expect(getObjectShape(text)).toBeUndefined();
    expect(getMethodLiteral(message)).toBe('a/b');
    expect(() => getMethodLiteral(text)).toThrow('method');
    expect(getSchemaDescription(text)).toBe(officialCompat.getSchemaDescription(text as never));

    const good = { method: 'a/b', params: { n: 1 } };
    expect(safeParse(message, good)).toMatchObject({ success: true, data: good });
    expect(await safeParseAsync(message, good)).toMatchObject({ success: true, data: good });
    expect(parseWithCompat(message, good)).toEqual(good);
    const bad = safeParse(message, { method: 'a/b', params: { n: 'x' } });
    expect(bad.success).toBe(false);
    expect(getParseErrorMessage(bad.success ? undefined : bad.error)).toContain('at params.n');
    expect(() => parseWithCompat(message, {})).toThrow();

    const made = normalizeObjectSchema({ text, maybe });
    expect(made && safeParse(made, { text: 'a' }).success).toBe(true);
    expect(made && safeParse(made, {}).success).toBe(false);
    expect(normalizeObjectSchema(message)).toBe(message);
    expect(normalizeObjectSchema(text)).toBeUndefined();
    expect(toJsonSchemaCompat(message)).toMatchObject({
      type: 'object',
      properties: { method: { const: 'a/b' }, params: { type: 'object', properties: { n: { type: 'number' } } } },
      required: ['method', 'params'],
    });
  });

  it('takes an empty shape and refuses one of both majors', () => {
    expect(safeParse(objectFromShape({}), {}).success).toBe(true);
    expect(() => objectFromShape({ a: z3.string(), b: z4.string() })).toThrow(TypeError);
    expect(normalizeObjectSchema(undefined)).toBeUndefined();
    expect(normalizeObjectSchema({})).toBeUndefined();
  });

  it('describes whatever was thrown', () => {
    expect(getParseErrorMessage(new Error('x'))).toBe('x');
    expect(getParseErrorMessage('x')).toBe('x');
    expect(
      getParseErrorMessage({
        issues: [
          { message: 'bad', path: ['a', 0, 'b'] },
          { message: 'worse', path: [] },
        ],
      }),
    ).toBe('bad at a[0].b\nworse');
  });
});
