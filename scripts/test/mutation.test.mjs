import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alternatives, chosen, FOLDERS, placeOf } from '../mutation/folders.mjs';
import { isSentence } from '../mutation/messages.mjs';
import { countsOf, rowOf, survivorsOf } from '../mutation/report.mjs';
import { ROOT } from '../packages.mjs';

/** The files of a glob with one list in braces and stars in its last part. */
function filesOf(glob) {
  return alternatives(glob).map((path) => {
    const name = new RegExp(
      `^${path
        .slice(dirname(path).length + 1)
        .replaceAll('.', String.raw`\.`)
        .replaceAll('*', '.*')}$`,
    );
    return readdirSync(join(ROOT, dirname(path))).filter((file) => name.test(file));
  });
}

describe('the folders', () => {
  test('are all of them, or those that are named', () => {
    expect(chosen([])).toEqual(Object.keys(FOLDERS));
    expect(chosen(['guards', 'sealing'])).toEqual(['guards', 'sealing']);
    expect(() => chosen(['sealing', 'toString'])).toThrow(/^toString is no folder: choose of sealing, guards/);
  });

  test.each(Object.entries(FOLDERS))('%s names sources and tests that are there', (_name, { sources, tests }) => {
    for (const glob of [...sources, ...tests]) for (const files of filesOf(glob)) expect(files, glob).not.toEqual([]);
  });
});

test.each([
  ['The store does not answer.', true],
  ['…: needs a number', true],
  ['two words', false],
  ['state-refused', false],
  ['SELECT value FROM records WHERE key = ?', false],
  [String.raw`  local found = redis.call('GET', KEYS[1])`, false],
])('%s is a sentence: %s', (text, expected) => expect(isSentence(text)).toBe(expected));

test('tests are run in the order of their list', () => {
  const at = (file) => placeOf('stores', join(ROOT, 'packages', 'crosspoint', 'test', 'stores', file));
  expect([at('parts.test.ts'), at('lease.test.ts'), at('other.test.ts')]).toEqual([0, 1, 5]);
  expect(placeOf('guards', '/x/packages/crosspoint/test/auth/outbound/any.test.ts')).toBe(2);
});

const mutant = (status, more = {}) => ({
  status,
  mutatorName: 'ConditionalExpression',
  replacement: 'false',
  location: { start: { line: 1, column: 5 }, end: { line: 1, column: 10 } },
  ...more,
});
const report = {
  files: {
    'a.ts': {
      source: 'if (a < b) return;\nx(\n  1);',
      mutants: [mutant('Killed'), mutant('Timeout'), mutant('Survived')],
    },
    'b.ts': {
      source: 'if (a < b) return;\nx(\n  1);',
      mutants: [
        mutant('NoCoverage', {
          mutatorName: 'BlockStatement',
          replacement: `{${' '.repeat(9)}${'y'.repeat(100)}}`,
          location: { start: { line: 2, column: 2 }, end: { line: 3, column: 5 } },
        }),
        mutant('NoCoverage'),
        mutant('Ignored'),
        mutant('RuntimeError'),
      ],
    },
  },
};

describe('a report', () => {
  test('is counted: a change without a test is a survivor, one that was not tried is none', () => {
    const counts = countsOf(report);
    expect(counts).toEqual({ killed: 1, timeout: 1, survived: 1, uncovered: 2, ignored: 1, failed: 1, score: 40 });
    expect(countsOf({ files: {} }).score).toBe(100);
    expect(rowOf('guards', counts)).toBe('| guards | 5 | 1 | 1 | 1 | 2 | 40.0 % |');
  });

  test('names its survivors by place, in order, each on one line', () => {
    expect(survivorsOf(report)).toEqual([
      'a.ts:1:5 ConditionalExpression: a < b → false',
      'b.ts:1:5 ConditionalExpression (no test): a < b → false',
      `b.ts:2:2 BlockStatement (no test): ( 1) → { ${'y'.repeat(85)}…`,
    ]);
  });
});
