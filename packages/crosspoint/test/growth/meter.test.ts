import { describe, expect, it } from 'vitest';
import { stepsOf } from './meter.ts';
import { regexpSteps } from './regexp-steps.ts';
import { redactText } from '../../src/protocol/redaction/redact-text.ts';

const growth = (run: (size: number) => unknown): number => stepsOf(() => run(1000)) / stepsOf(() => run(500));

describe('the meter', () => {
  it('counts the same each time', () => {
    const run = (): unknown => redactText('token=abc '.repeat(100));
    run();
    expect(stepsOf(run)).toBe(stepsOf(run));
  });

  it.each<[string, (size: number) => unknown]>([
    ['a backtracking expression', (size) => /a+$/.test(`${'a'.repeat(size)}b`)],
    ['an expression in replaceAll', (size) => 'a'.repeat(size).replaceAll(/a*b/g, '')],
    ['an expression in split', (size) => 'a'.repeat(size).split(/a+b/)],
    [
      'a search in a loop',
      (size) => {
        for (let at = 0; at < size; at++) 'a'.repeat(size).indexOf('b', at);
      },
    ],
    [
      'a list copied in a loop',
      (size) => {
        let all: number[] = [];
        for (let at = 0; at < size; at++) all = [...all, at];
      },
    ],
    [
      'shifting',
      (size) => {
        const all = Array.from({ length: size }, () => 0);
        while (all.length > 0) all.shift();
      },
    ],
  ])('sees that %s grows with the square', (_what, run) => {
    expect(growth(run)).toBeGreaterThan(3.5);
  });

  it('sees that a linear expression is linear', () => {
    expect(growth((size) => /^a+$/.test(`${'a'.repeat(size)}b`))).toBeLessThan(2.1);
    expect(growth((size) => redactText('token=abc '.repeat(size)))).toBeLessThan(2.1);
  });

  it.each([
    [/a+b/, 'aaac'],
    [/^(?:a|ab)(?:c|bcd)$/, 'abcd'],
    [/(?<![a-z])key$/i, 'x-KEY'],
    [/a{2,3}b?/, 'aab'],
    [/^.$/s, '\n'],
    [/^b$/m, 'a\nb'],
    [/(?=a)a(?!b)/, 'ac'],
  ])('finds what the engine finds: %s in %j', (expression, text) => {
    // As many steps as the text is long at the least when nothing is found.
    expect(regexpSteps(expression, text, 0)).toBeGreaterThan(expression.test(text) ? 0 : text.length);
  });
});
