import { describe, expect, it } from 'vitest';
import { citedIn, countRequirements, testsOf, type LedgerEntry } from '../../../../scripts/requirements/count.mjs';

const entry = (id: string, level = 'MUST', testable = 'unit', area = 'tools'): LedgerEntry => ({
  id,
  level,
  testable,
  area,
});

describe('citedIn', () => {
  it.each([
    ['one id', '[L-TOOLS-005] refuses', ['L-TOOLS-005']],
    ['several ids', '[L-TOOLS-005, M-TOOL-008] refuses duplicate names', ['L-TOOLS-005', 'M-TOOL-008']],
    [
      'several brackets',
      'outer [L-TOOLS-001] inner [M-TOOL-002,M-TOOL-003] x',
      ['L-TOOLS-001', 'M-TOOL-002', 'M-TOOL-003'],
    ],
    ['a malformed id, to be complained about', '[L-TOOLS-5] x', ['L-TOOLS-5']],
    ['a range, to be complained about', '[L-TOOLS-001..003] x', ['L-TOOLS-001..003']],
    ['no id without brackets', 'mentions L-TOOLS-001', []],
    ['no id in other brackets', 'handles [1, 2] and [object]', []],
  ])('finds %s', (_what, title, ids) => {
    expect(citedIn(title)).toEqual(ids);
  });
});

describe('testsOf', () => {
  it('puts the titles of the blocks before the title of the test', () => {
    const report = {
      testResults: [
        { assertionResults: [{ ancestorTitles: ['[L-A-001] outer', 'inner'], title: 'leaf', status: 'passed' }] },
      ],
    };
    expect(testsOf(report)).toEqual([{ title: '[L-A-001] outer inner leaf', status: 'passed' }]);
  });
});

describe('countRequirements', () => {
  const ledger = [
    entry('L-TOOLS-001'),
    entry('L-TOOLS-002'),
    entry('M-TOOL-001', 'MUST', 'integration'),
    entry('M-TOOL-002', 'MUST', 'manual'),
    entry('M-TOOL-003', 'MAY', 'ui'),
    entry('L-PING-001', 'MUST NOT', 'unit', 'ping'),
  ];
  const passed = (title: string) => ({ title, status: 'passed' });

  it('counts both ledgers of one area together, by level, in ledger order', () => {
    const { rows } = countRequirements(ledger, [passed('[L-TOOLS-001, M-TOOL-001] x')], {});
    expect(rows).toEqual([
      { area: 'tools', level: 'MUST', total: 4, testable: 3, cited: 2, deferred: 0 },
      { area: 'tools', level: 'MAY', total: 1, testable: 0, cited: 0, deferred: 0 },
      { area: 'ping', level: 'MUST NOT', total: 1, testable: 1, cited: 0, deferred: 0 },
    ]);
  });

  it('counts an id once however many tests cite it', () => {
    const { rows } = countRequirements(ledger, [passed('[L-TOOLS-001] x'), passed('[L-TOOLS-001] y')], {});
    expect(rows[0]?.cited).toBe(1);
  });

  it.each(['failed', 'skipped', 'pending', 'todo'])('does not count the ids of a test that %s', (status) => {
    const { rows, missing } = countRequirements(ledger, [{ title: '[L-TOOLS-001] x', status }], {});
    expect(rows[0]?.cited).toBe(0);
    expect(missing.map((one) => one.id)).toContain('L-TOOLS-001');
  });

  it.each(['passed', 'failed', 'skipped'])('names an unknown id in the title of a test that %s', (status) => {
    expect(countRequirements(ledger, [{ title: '[L-TOOLS-999] x', status }], {}).unknown).toEqual([
      { id: 'L-TOOLS-999', where: '[L-TOOLS-999] x' },
    ]);
  });

  it('does not count a citation of what cannot be tested by program', () => {
    const { rows, unknown } = countRequirements(ledger, [passed('[M-TOOL-002, M-TOOL-003] x')], {});
    expect(rows.map((row) => row.cited)).toEqual([0, 0, 0]);
    expect(unknown).toEqual([]);
  });

  it('leaves deferred ids out of what is missing, and counts them by themselves', () => {
    const { rows, missing } = countRequirements(ledger, [], { 'L-TOOLS-002': 'HTTP' });
    expect(rows[0]).toMatchObject({ cited: 0, deferred: 1 });
    expect(missing.map((one) => one.id)).toEqual(['L-TOOLS-001', 'M-TOOL-001', 'L-PING-001']);
  });

  it('reports an id that is both cited and deferred, and a deferred id that is in no ledger', () => {
    const { conflicts, unknown } = countRequirements(ledger, [passed('[L-TOOLS-001] x')], {
      'L-TOOLS-001': 'HTTP',
      'L-NONE-001': 'auth',
    });
    expect(conflicts).toEqual(['L-TOOLS-001']);
    expect(unknown).toEqual([{ id: 'L-NONE-001', where: 'deferred.json' }]);
  });
});
