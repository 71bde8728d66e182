import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema, SchemaError } from '../src/index.ts';
import { buildAutomaton, patternRoom } from '../src/pattern/automaton.ts';
import { compilePattern } from '../src/pattern/compile-pattern.ts';
import { parsePattern } from '../src/pattern/parse-pattern.ts';
import { matchesSomewhere } from '../src/pattern/run-automaton.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';

const plenty = (): { steps: number } => ({ steps: 1e9 });

function byAutomaton(pattern: string, text: string): boolean {
  return matchesSomewhere(buildAutomaton(parsePattern(pattern), patternRoom()), text, plenty());
}

describe('patterns', () => {
  proves('M-JS-011').it.each([
    '^(a+)+$',
    '(a|a)*$',
    '^(a|aa)+$',
    '(.*)*b',
    '^(?=(a+)+$)a',
    '^(?!(a|aa)+$)b',
    '(?<=(a+)+)b',
    'a*a*a*a*a*a*c',
    '(x+x+)+y',
    String.raw`^(([a-z])+.)+[A-Z]([a-z])+$`,
    String.raw`^(\w+\s?)*$`,
  ])('%s takes linear time on hostile text', (pattern) => {
    const compiled = compileSchema({ type: 'string', pattern });
    // A pattern that backtracks would need years.
    const started = performance.now();
    compiled.is(`${'a'.repeat(50_000)}!`);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it('refuses what cannot be bounded', () => {
    for (const pattern of [
      String.raw`^(a+)\1$`,
      '(a{999}){999}',
      '(',
      '[',
      'a**',
      String.raw`\a`,
      'a{2,1}',
      '(?i:a)',
      ')',
      '[b-a]',
    ]) {
      expect(() => compilePattern(pattern)).toThrow(SchemaError);
    }
    expect(() => compilePattern('(){1000000000}')).not.toThrow();
  });

  it.each([
    ['a\\xg', 'invalid escape "\\x"'],
    ['\\u12', 'invalid escape "\\u"'],
    ['(?#a)', 'unknown kind of group (?#'],
    ['(a)\\1', 'backreferences (\\1, \\k) cannot be matched in bounded time'],
    ['a\\', 'it ends in an escape'],
    ['a)', 'unmatched ")"'],
  ])('says of %s what it refuses', (pattern, reason) => {
    expect(() => compilePattern(pattern)).toThrow(`is not supported: ${reason}`);
  });

  it('accepts escaped punctuation, as schemas in the field have it', () => {
    expect(compilePattern(String.raw`^[\w\-\.]+\@x$`)('a-b.c@x', plenty())).toBe(true);
    expect(compilePattern('^a{,2}]}$')('a{,2}]}', plenty())).toBe(true);
  });

  it.each([
    [String.raw`^\p{Letter}+$`, 'πλάτων', '123'],
    [String.raw`^\P{L}$`, '1', 'a'],
    ['^🐲*$', '🐲🐲', '🐉'],
    [String.raw`^\uD83D\uDC32$`, '🐲', 'x'],
    [String.raw`^\u{1F432}.$`, '🐲🐲', '🐲'],
    [String.raw`\bfoo\b`, 'a foo b', 'afoo'],
    [String.raw`^\cA\x41\0$`, '\u0001A\u0000', 'A'],
    ['^(?:a|b){2,3}$', 'aba', 'abab'],
    ['(?<year>[0-9]{4})', 'in 2026', 'in 202'],
    ['^(?!.*[.]{2}).+$', 'a.b', 'a..b'],
    ['(?<!a)b', 'cb', 'ab'],
    ['(?<=a)b', 'ab', 'cb'],
    ['^[^]$', '\n', ''],
    ['', '', undefined],
  ])('%s', (pattern, good, bad) => {
    expect(byAutomaton(pattern, good)).toBe(true);
    expect(compilePattern(pattern)(good, plenty())).toBe(true);
    if (bad === undefined) return;
    expect(byAutomaton(pattern, bad)).toBe(false);
    expect(compilePattern(pattern)(bad, plenty())).toBe(false);
  });

  it('agrees with the engine on random patterns', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      String.raw`\w`,
      String.raw`\b`,
      '^',
      '$',
      '(?=a)',
      '(?!b)',
      '(?<=a)',
      '(?<!b)',
      '(?=(?:a|b)+$)',
    );
    const pattern = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        atom,
        fc.tuple(tie('node'), tie('node')).map(([left, right]) => left + right),
        fc.tuple(tie('node'), tie('node')).map(([left, right]) => `(?:${left}|${right})`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '*?'))
          .map(([body, many]) => `(?:${body})${many}`),
      ),
    })).node;
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 8 }), (source, text) => {
        expect(byAutomaton(source, text)).toBe(new RegExp(source, 'u').test(text));
      }),
      { numRuns: 2_000 },
    );
  });
});
