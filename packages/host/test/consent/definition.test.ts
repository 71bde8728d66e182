import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffDefinitions } from '../../src/consent/definition.ts';
import { canonicalJson, type Json } from '../../src/values/json.ts';

describe('diffDefinitions', () => {
  it.each<[Json, Json, readonly unknown[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, []],
    [{ a: 1 }, { a: 2 }, [{ path: '/a', before: 1, after: 2 }]],
    [{ a: 1 }, {}, [{ path: '/a', before: 1 }]],
    [{}, { a: null }, [{ path: '/a', after: null }]],
    [{ a: { 'b/c~': 'x' } }, { a: { 'b/c~': 'y' } }, [{ path: '/a/b~1c~0', before: 'x', after: 'y' }]],
    [
      { a: [1, 2] },
      { a: [1, 3, 4] },
      [
        { path: '/a/1', before: 2, after: 3 },
        { path: '/a/2', after: 4 },
      ],
    ],
    [{ a: [1] }, { a: { 0: 1 } }, [{ path: '/a', before: [1], after: { 0: 1 } }]],
    [{ a: {} }, { a: [] }, [{ path: '/a', before: {}, after: [] }]],
    ['a', 'b', [{ path: '', before: 'a', after: 'b' }]],
  ])('of %j and %j', (before, after, changes) => {
    expect(diffDefinitions(before, after)).toEqual(changes);
  });

  it('finds a difference exactly where there is one', () => {
    const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(json, json, (before, after) => {
        const isSame = canonicalJson(before) === canonicalJson(after);
        expect(diffDefinitions(before, after).length === 0).toBe(isSame);
      }),
    );
  });

  it('is bounded in number, length and depth', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]));
    expect(diffDefinitions(many, {})).toHaveLength(100);
    const [long] = diffDefinitions({ a: 'x' }, { a: 'y'.repeat(10_000) });
    expect(long?.after).toMatch(/^y{4096}… \(5904 characters more\)$/);
    let one: Json = 1;
    let two: Json = 2;
    for (let i = 0; i < 50_000; i++) [one, two] = [[one], [two]];
    expect(() => diffDefinitions(one, two)).not.toThrow();
  });
});
