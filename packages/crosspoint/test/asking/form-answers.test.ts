import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../src/schema/index.ts';
import { formIssues, requireCheckable } from '../../src/server/asking/form-answers.ts';

const FIELDS: Record<string, Record<string, unknown>> = {
  text: { type: 'string', minLength: 2, maxLength: 3 },
  number: { type: 'number', minimum: 1, maximum: 3 },
  beyond: { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 3 },
  whole: { type: 'integer', multipleOf: 2 },
  yes: { type: 'boolean' },
  choice: { type: 'string', enum: ['a', 'b'] },
  only: { type: 'string', const: 'a' },
  titled: { type: 'string', oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] },
  untyped: { anyOf: [{ const: 'a' }, { const: 'b' }] },
  several: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b'] } },
  each: { type: 'array', uniqueItems: true, items: { anyOf: [{ const: 'a' }, { const: 'b' }] } },
  maybe: { type: ['string', 'null'] },
};

const VALUES: readonly unknown[] = [
  ['', 'a', 'ab', '\u{1f600}', '\u{1f600}\u{1f600}\u{1f600}', 'abcd'],
  [0, 1, 1.5, 2, 3, 4, -2, true, false, null, {}, []],
  [['a'], ['a', 'b'], ['a', 'a'], ['a', 'b', 'a'], ['c'], [1], ['a', {}]],
].flat();

describe('answers to forms', () => {
  it.each(Object.keys(FIELDS))('a field "%s" takes what the JSON Schema validator takes', (name) => {
    const form = { type: 'object', properties: { [name]: FIELDS[name] }, required: [name] };
    const validator = compileSchema(form);
    const verdicts = VALUES.map((value) => formIssues(form, { [name]: value }).length === 0);
    expect(verdicts).toEqual(VALUES.map((value) => validator.is({ [name]: value })));
    expect(new Set(verdicts).size).toBe(2);
  });

  it('are objects with what is required, and with more only where that is not excluded', () => {
    const open = { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'toString'] };
    const closed = { ...open, required: [], additionalProperties: false };
    for (const form of [open, closed])
      for (const answer of [
        {},
        { a: 'x' },
        { a: 'x', b: 1 },
        { a: 'x', toString: 1 },
        { a: undefined },
        [],
        null,
        'x',
        3,
      ])
        expect([form, answer, formIssues(form, answer).length === 0]).toEqual([
          form,
          answer,
          compileSchema(form).is(answer),
        ]);
  });

  it('are refused in words that name the place', () => {
    const form = { type: 'object', properties: FIELDS, required: ['missing'] };
    const issues = formIssues(form, { text: 'x', several: ['a', 'c'], whole: 1.5 });
    expect(issues.map(({ message }) => message)).toEqual([
      'missing required property `missing`',
      '`text`: expected at least 2 characters',
      '`several[1]`: expected one of a, b',
      '`whole`: expected integer, got number',
    ]);
  });

  it.each([
    { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } },
    { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    { type: 'object', properties: { a: { type: 'array', items: { type: 'string', not: {} } } } },
    { type: 'object', properties: {}, allOf: [{ required: ['a'] }] },
  ])('are not asked for with what could not be checked: %j', (form) => {
    expect(() => requireCheckable(form)).toThrow(/fromJsonSchema/);
  });
});
