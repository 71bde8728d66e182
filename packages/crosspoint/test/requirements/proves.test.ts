import { describe, expect, it, TestRunner } from 'vitest';
import { idsIn, proves } from './proves.ts';

describe('idsIn', () => {
  it.each([
    ['one id', 'L-TOOLS-005', ['L-TOOLS-005']],
    ['several ids', 'L-TOOLS-005, M-TOOL-008', ['L-TOOLS-005', 'M-TOOL-008']],
    ['ids without spaces', 'M-TOOL-002,M-TOOL-003', ['M-TOOL-002', 'M-TOOL-003']],
    ['a malformed id, to be complained about', 'L-TOOLS-5', ['L-TOOLS-5']],
    ['a range, to be complained about', 'L-TOOLS-001..003', ['L-TOOLS-001..003']],
    ['no id', '', []],
  ])('finds %s', (_what, list, ids) => {
    expect(idsIn(list)).toEqual(ids);
  });
});

describe('proves', () => {
  /** The ids that the running test cites. They are taken away, because they are in no ledger. */
  function taken(): readonly string[] | undefined {
    const test = TestRunner.getCurrentTest();
    const ids = test?.meta.requirements;
    delete test?.meta.requirements;
    return ids;
  }

  proves('X-1, X-2').it('gives a test its ids', () => expect(taken()).toEqual(['X-1', 'X-2']));
  proves('X-1').test('keeps a timeout', () => expect(taken()).toEqual(['X-1']), 5000);
  proves('X-1').it('keeps options', { timeout: 5000, fails: true }, () => expect(taken()).toEqual([]));
  proves('X-1').it.each([['a', 1] as const])('gives the test of each case its ids: %s %i', (letter, digit) => {
    expect([letter, digit, taken()]).toEqual(['a', 1, ['X-1']]);
  });
  proves('X-1').it.skipIf(false)('gives a test that may be skipped its ids', () => expect(taken()).toEqual(['X-1']));
  proves('').it('cites nothing with no ids', () => expect(taken()).toEqual([]));

  proves('X-1').describe('of a group', () => {
    it('gives its tests the ids', () => expect(taken()).toEqual(['X-1']));
    describe('with another inside', () => {
      it('gives these the ids too', () => expect(taken()).toEqual(['X-1']));
      proves('X-2, X-1').it('adds to the ids', () => expect(taken()).toEqual(['X-1', 'X-2']));
      proves('X-3').describe('that cites too', () => {
        it('adds to the ids', () => expect(taken()).toEqual(['X-1', 'X-3']));
      });
    });
  });
});
