import { createRequire } from 'node:module';
import { AjvJsonSchemaValidator as OfficialValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { describe, expect, it } from 'vitest';
import { AjvJsonSchemaValidator, type AjvLike } from '../../src/validation/ajv-provider.ts';
import { CfWorkerJsonSchemaValidator } from '../../src/validation/cfworker-provider.ts';
import type { JsonSchemaType, jsonSchemaValidator } from '../../src/validation/types.ts';

const person: JsonSchemaType = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer' },
  },
  required: ['name'],
  additionalProperties: false,
};
const values = [
  { name: 'A' },
  { name: 'A', mail: 'a@b.c', age: 3 },
  { name: 'A', mail: 'nobody' },
  { name: '' },
  { age: 1 },
  { name: 'A', more: 1 },
  'x',
  null,
];

describe('the validators of the older SDK', () => {
  it.each<[string, jsonSchemaValidator]>([
    ['AjvJsonSchemaValidator', new AjvJsonSchemaValidator()],
    ['CfWorkerJsonSchemaValidator', new CfWorkerJsonSchemaValidator()],
    ['AjvJsonSchemaValidator with an instance', new AjvJsonSchemaValidator(ajvWithMail())],
  ])('%s judges as the official one does', (_name, validator) => {
    const [ours, theirs] = [
      validator.getValidator<object>(person),
      new OfficialValidator().getValidator<object>(person as never),
    ];
    for (const value of values) {
      const result = ours(value);
      expect([value, result.valid]).toEqual([value, theirs(value).valid]);
      expect(result.data).toBe(result.valid ? value : undefined);
      if (result.valid) expect(result.errorMessage).toBeUndefined();
      else expect(result.errorMessage).not.toBe('');
    }
  });

  it('tell all faults, or the first alone', () => {
    const wrong = { name: '', age: 1.5, more: 1 };
    const all = new CfWorkerJsonSchemaValidator({ shortcircuit: false }).getValidator(person)(wrong);
    const first = new CfWorkerJsonSchemaValidator().getValidator(person)(wrong);
    expect(all.errorMessage?.split('; ').length).toBeGreaterThan(1);
    expect(first.errorMessage?.split('; ')).toHaveLength(1);
  });

  it('read a schema by the draft that is asked for, unless it names its own', () => {
    const schema: JsonSchemaType = { items: [{ type: 'string' }] };
    const draft7 = new CfWorkerJsonSchemaValidator({ draft: '7' });
    expect(draft7.getValidator(schema)(['x']).valid).toBe(true);
    expect(draft7.getValidator(schema)([1]).valid).toBe(false);
    const named: JsonSchemaType = { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [false] };
    expect(draft7.getValidator(named)([1]).valid).toBe(false);
  });

  it('use an instance that they are given, with what it knows', () => {
    const ajv = ajvWithMail();
    ajv.addKeyword({ keyword: 'even', validate: (_: unknown, value: number) => value % 2 === 0 });
    const validate = new AjvJsonSchemaValidator(ajv).getValidator({ $id: 'https://example.com/even', even: true });
    expect([2, 3].map((value) => validate(value).valid)).toEqual([true, false]);
    expect(new AjvJsonSchemaValidator(ajv).getValidator({ $id: 'https://example.com/even', even: true })(4).valid).toBe(
      true,
    );
  });
});

interface FullAjv extends AjvLike {
  addFormat(name: string, format: RegExp): void;
  addKeyword(definition: object): void;
}

/** The Ajv that the official SDK brings along. */
function ajvWithMail(): FullAjv {
  const here = createRequire(import.meta.url);
  const { Ajv } = createRequire(here.resolve('@modelcontextprotocol/sdk/types.js'))('ajv') as {
    Ajv: new (options: object) => FullAjv;
  };
  const ajv = new Ajv({ strict: false });
  ajv.addFormat('email', /^[^@]+@[^@]+\.[^@]+$/);
  return ajv;
}
