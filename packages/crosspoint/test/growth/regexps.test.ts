import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ambiguityOf } from './ambiguity.ts';
import { regexpsIn, regexpsOfSources } from './regexp-literals.ts';
import { regexpSteps } from './regexp-steps.ts';

describe('the analysis of an expression', () => {
  it.each([
    /\s+$/,
    /=+$/,
    /^(a+)+$/,
    /(a|a)*$/,
    /^(a|aa)+$/,
    /^a*a*$/,
    /a*b/,
    /eyJ[\w-]{8,}\.[\w-]{4,}/g,
    /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_-]*/g,
    /[a-z][a-z0-9+.-]{0,200}:\/\//gi,
    /%.*$/,
    /"(?:[^"\\]|\\.)*"/g,
    /x*(?:a+b)?/,
    /^(?:a(?:a*b)?)*/,
    /^(?=.*a)(?:(?=.*b).)*$/,
    /^.*,.*,$/,
    /^(\w+\s?)*$/,
    /<(?:[^>]*)>.*<\/>/,
    /^\s*(?:\s|x)*$/,
    /^(?:a*)*$/,
    /(?<=a+)b/,
    /^[a-z]+[A-Z]*$/i,
  ])('finds %s to be more than linear', (expression) => {
    expect(ambiguityOf(expression)).toBeDefined();
  });

  it.each([
    /^\s+/,
    /\s+/g,
    /^(?:a|b)+$/,
    /#$/,
    /:\d+$/,
    /^[a-z]+(?:-[a-z]+)*$/,
    /a{3}b/,
    /=+$/y,
    /"[^"]*"/g,
    /^(?:[^"\\]|\\.)*$/,
    /gh[pousr]_\w{16}\w*/g,
    /^(?!.*x)[a-z]{1,5}$/,
    /(?<![a-z])key$/,
    /^---[ \t]*(?:\r?\n|$)/gm,
  ])('finds %s to be linear', (expression) => {
    expect(ambiguityOf(expression)).toBeUndefined();
  });

  it('calls nothing linear that takes more steps than that', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '.', '[^a]', 'ab', '(?:a|b)', '(?:a|ab)', '(?=a)', '^', '$', '\\b');
    const part = fc
      .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}'))
      .map(([text, many]) => (/^[$^\\]|^\(\?=/.test(text) || many === '' ? text : `(?:${text})${many}`));
    const group = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
    const pattern = fc.tuple(group, fc.constantFrom('', '*', '+'), group).map(([first, many, second]) => {
      return many === '' ? first + second : `(?:${first})${many}${second}`;
    });
    const pumps = ['a', 'b', 'ab', 'ba', 'aab', ' a'];
    fc.assert(
      fc.property(pattern, fc.constantFrom('', 'g', 'y'), (source, flags) => {
        const expression = new RegExp(source, flags);
        fc.pre(ambiguityOf(expression) === undefined);
        for (const pump of pumps) {
          for (const end of ['', 'c', 'a', 'b']) {
            const [small, large] = [20, 160].map((times) => regexpSteps(expression, pump.repeat(times) + end, 0));
            // A constant for the pattern, and the double of what is linear.
            expect(large, `${source} on ${pump}*${end}`).toBeLessThan(16 * (small ?? 0) + 500);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it('finds literals, and calls of the constructor', () => {
    const text = "const a = /x/g; // /y/\nconst b = new RegExp('z');\nconst c = RegExp(d);\nconst e = '/w/';";
    const { literals, made } = regexpsIn('a.ts', text);
    expect(literals.map(({ at, expression }) => [at, expression.source, expression.flags])).toEqual([
      ['a.ts:1', 'x', 'g'],
    ]);
    expect(made).toEqual(['a.ts:2', 'a.ts:3']);
  });
});

describe('the expressions of the sources', () => {
  const { literals, made } = regexpsOfSources();

  it('take linear time, whatever text they are given', () => {
    expect(literals.length).toBeGreaterThan(150);
    const faults = literals.flatMap(({ at, expression }) => {
      const why = ambiguityOf(expression);
      return why === undefined ? [] : [`${at} ${String(expression)}: ${why}`];
    });
    expect(faults).toEqual([]);
  });

  it('are written out, where they are not made of what a schema says', () => {
    const files = [...new Set(made.map((at) => at.slice(0, at.lastIndexOf(':'))))];
    expect(files).toEqual([
      // One code point at a time.
      'pattern/char-set.ts',
      // Only on texts for which the shape of the pattern bounds the ways to match.
      'pattern/compile-pattern.ts',
    ]);
  });
});
