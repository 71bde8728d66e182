import { expect, it } from 'vitest';
import { rebaseReferences } from '../src/documents/rebase-references.ts';

it('moves references to the root of a schema, wherever a schema may stand', () => {
  const schema = {
    $ref: '#',
    $defs: { a: { $ref: '#/$defs/b' }, $ref: { $ref: '#/$defs/a' } },
    properties: { default: { $ref: '#/$defs/a' }, other: { $ref: 'https://a.example/b#/c' }, anchor: { $ref: '#c' } },
    anyOf: [{ items: { $ref: '#/$defs/a' } }, true],
    prefixItems: [{ not: { $ref: '#/$defs/a' } }],
    dependencies: { a: ['b'], c: { $ref: '#/$defs/a' } },
  };
  expect(rebaseReferences(schema, '/properties/x')).toEqual({
    $ref: '#/properties/x',
    $defs: { a: { $ref: '#/properties/x/$defs/b' }, $ref: { $ref: '#/properties/x/$defs/a' } },
    properties: {
      default: { $ref: '#/properties/x/$defs/a' },
      other: { $ref: 'https://a.example/b#/c' },
      anchor: { $ref: '#c' },
    },
    anyOf: [{ items: { $ref: '#/properties/x/$defs/a' } }, true],
    prefixItems: [{ not: { $ref: '#/properties/x/$defs/a' } }],
    dependencies: { a: ['b'], c: { $ref: '#/properties/x/$defs/a' } },
  });
});

it('leaves values and unknown keywords alone', () => {
  const schema = { const: { $ref: '#/a' }, default: { $ref: '#/a' }, enum: [{ $ref: '#' }], 'x-form': { $ref: '#/a' } };
  expect(rebaseReferences(schema, '/p')).toEqual(schema);
  expect(rebaseReferences(true, '/p')).toBe(true);
});
