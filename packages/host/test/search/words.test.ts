import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryWordsOf, wordsOf } from '../../src/search/words.ts';

describe('words of a text', () => {
  it.each([
    ['read_text_file', ['read', 'text', 'fil']],
    ['resolve-library-id', ['resolv', 'library', 'id']],
    ['createPullRequest', ['createpullrequest', 'creat', 'pull', 'request']],
    ['HTMLPage', ['htmlpag', 'html', 'pag']],
    ['Größe über Café', ['groß', 'uber', 'caf']],
    ['the files of a branch', ['fil', 'branch']],
    ['', []],
    ['the and of', []],
    ['🙂 !?', []],
    ['天気予報', ['天気', '気予', '予報']],
    ['时间', ['时间']],
  ])('%s', (text, words) => {
    expect(wordsOf(text, 100)).toEqual(words);
  });

  it.each([
    ['file', 'files'],
    ['rename', 'renamed', 'renaming', 'renames'],
    ['stop', 'stopped', 'stopping'],
    ['query', 'queries'],
    ['search', 'searches'],
    ['call', 'called', 'calling'],
    ['lint', 'linter'],
    ['run', 'running'],
  ])('%s and its forms are one', (...forms) => {
    expect(new Set(forms.flatMap((form) => wordsOf(form, 1))).size).toBe(1);
  });

  it('are not one where they only look alike', () => {
    expect(wordsOf('news new', 5)).toEqual(['news', 'new']);
    expect(wordsOf('status', 1)).toEqual(['status']);
    expect(wordsOf('red thing', 5)).toEqual(['red', 'thing']);
  });

  it('are counted once each and bounded, and long ones are cut', () => {
    expect(wordsOf('send '.repeat(500), 10)).toEqual(['send']);
    expect(wordsOf(Array.from({ length: 500 }, (_, at) => `w${at}`).join(' '), 10)).toHaveLength(10);
    expect(wordsOf('x'.repeat(10_000), 10)[0]?.length).toBeLessThanOrEqual(40);
  });

  it('of a sentence keep names of products whole; a name alone has its parts', () => {
    expect(queryWordsOf('check TypeScript files', 10)).toEqual(['check', 'typescript', 'fil']);
    expect(queryWordsOf('readFile', 10)).toEqual(['readfil', 'read', 'fil']);
  });

  it('come of any text without an error, and are words of themselves', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        return wordsOf(text, 50).every((word) => /^[\p{L}\p{N}]+$/u.test(word));
      }),
    );
  });
});
