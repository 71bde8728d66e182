import { describe, expect, it } from 'vitest';
import { ambiguityOf } from './ambiguity.ts';
import { regexpsIn, regexpsOfSources } from './regexp-literals.ts';

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
      'schema/pattern/char-set.ts',
      // Only on texts for which the shape of the pattern bounds the ways to match.
      'schema/pattern/compile-pattern.ts',
    ]);
  });
});
