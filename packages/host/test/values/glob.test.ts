import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../src/values/glob.ts';

/** A regular expression that says the same, for short texts. */
function byExpression(pattern: string, text: string): boolean {
  const source = pattern.split('*').map((piece) => piece.replaceAll(/[^\w]/g, '\\$&'));
  return new RegExp(`^${source.join('[\\s\\S]*')}$`).test(text);
}

describe('a glob', () => {
  it.each([
    ['*', '', true],
    ['*', 'anything/at all', true],
    ['a*', 'abc', true],
    ['a*c', 'ac', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['**', 'x', true],
    ['read_*', 'Read_file', false],
    ['a.c', 'abc', false],
    ['Really?', 'Really?', true],
    ['Really?', 'Really!', false],
    ['', '', true],
    ['', 'a', false],
  ])('%j on %j is %j', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  it('says what a regular expression says', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    const texts = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(letters, texts, (pattern, text) => matchesGlob(pattern, text) === byExpression(pattern, text)),
      { numRuns: 2000 },
    );
  });

  it('takes no longer for patterns that are made to go astray', () => {
    const started = performance.now();
    expect(matchesGlob(`${'*a'.repeat(120)}*b`, 'a'.repeat(60_000))).toBe(false);
    expect(matchesGlob(`*${'a'.repeat(250)}b*`, 'a'.repeat(60_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
