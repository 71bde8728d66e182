import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../src/compile-schema.ts';
import type { JsonSchema } from '../src/json-schema.ts';
import { metaSchema, joinedMetaSchema, publishedMetaSchemas } from '../src/meta/meta-schema.ts';

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

describe('the meta-schemas that schemas are checked with', () => {
  const VALUES = [-1, 0, 1.5, 'a', '1 a', '#a', '(', '', null, true, [], [1], ['a'], ['a', 'a'], ['string'], [{}], {}];
  const MEMBERS = [...VALUES, ...VALUES.map((value) => ({ a: value })), [{ type: 1 }], { type: 1 }, { a: { type: 1 } }];
  const isValid = (meta: JsonSchema | undefined, schema: unknown): boolean => compileSchema(meta ?? false).is(schema);

  it.each(['2019-09', '2020-12'])('one document for %s has the verdicts of the published ones', (draft) => {
    const address = `https://json-schema.org/draft/${draft}/`;
    const parts = publishedMetaSchemas() as { $id: string; properties?: object }[];
    const keywords = parts
      .filter(({ $id }) => $id.startsWith(address))
      .flatMap((one) => Object.keys(one.properties ?? {}));
    expect(keywords.length).toBeGreaterThan(50);
    const verdicts = { valid: 0, invalid: 0 };
    const compare = (schema: unknown): void => {
      const verdict = isValid(metaSchema(`${address}schema`), schema);
      expect(isValid(joinedMetaSchema(`${address}schema`), schema), JSON.stringify(schema)).toBe(verdict);
      verdicts[verdict ? 'valid' : 'invalid'] += 1;
    };
    for (const keyword of keywords)
      for (const member of MEMBERS) {
        compare({ [keyword]: member });
        compare({ properties: { within: { items: { [keyword]: member } } } });
      }
    MEMBERS.forEach(compare);
    expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(800);
  });
});
