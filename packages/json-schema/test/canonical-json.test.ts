import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../src/canonical-json.ts';

const plenty = (): { steps: number } => ({ steps: 1e9 });

/** Few different values, so that equal ones are met. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(0, 1, 1.5, '', 'a', '1', 'a"', ',', '{}', 'null', null, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '1', 'a"'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

describe('the canonical text of a JSON value', () => {
  it('is the same for equal values, and for no others', () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        const same = canonicalJson(left, plenty()) === canonicalJson(right, plenty());
        expect(same).toBe(isDeepStrictEqual(left, right));
      }),
      { numRuns: 3000 },
    );
  });

  it('has one zero', () => {
    expect(canonicalJson([-0], plenty())).toBe(canonicalJson([0], plenty()));
  });

  it('does not depend on the order of members', () => {
    expect(canonicalJson({ a: 1, b: [2, { c: 3, d: 4 }] }, plenty())).toBe(
      canonicalJson({ b: [2, { d: 4, c: 3 }], a: 1 }, plenty()),
    );
  });

  it('is given up when it gets longer than what it is compared with', () => {
    const budget = { steps: 100 };
    expect(canonicalJson(['x'.repeat(1_000_000)], budget, 20)).toBeUndefined();
    expect(
      canonicalJson(
        Array.from({ length: 1000 }, () => 1),
        budget,
        20,
      ),
    ).toBeUndefined();
    expect(canonicalJson({ a: 1 }, budget, 20)).toBeDefined();
  });
});
