import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../src/json-schema.ts';
import { metaSchema, publishedMetaSchemas } from '../src/meta/meta-schema.ts';

/** The documents as they are at their addresses. */
const PUBLISHED = JSON.parse(
  readFileSync(new URL('published/meta-schemas.json', import.meta.url), 'utf8'),
) as (JsonSchema & { $id: string })[];

/** Members whose names are the author's, and not keywords. */
const NAMED = new Set(['properties', '$defs', 'definitions']);

function withoutWords(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key]) => isNamed || (key !== 'title' && key !== '$comment'));
  return Object.fromEntries(members.map(([key, member]) => [key, withoutWords(member, !isNamed && NAMED.has(key))]));
}

describe('the meta-schemas', () => {
  it.each(PUBLISHED.map((schema) => [schema.$id, schema] as const))('%s says what is published', (id, schema) => {
    expect(metaSchema(id.replace(/#$/, ''))).toEqual(withoutWords(schema));
  });

  it('are these and no others, and share no part', () => {
    const seen = new Set<object>();
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      expect(seen.has(value)).toBe(false);
      seen.add(value);
      Object.values(value).forEach(visit);
    };
    const made = publishedMetaSchemas();
    expect(made).toHaveLength(PUBLISHED.length);
    made.forEach(visit);
  });
});
