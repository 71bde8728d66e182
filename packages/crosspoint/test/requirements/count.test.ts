import { describe, expect, it } from 'vitest';
import { countRequirements, testsOf, type LedgerEntry } from '../../../../scripts/requirements/count.mjs';

const entry = (id: string, level = 'MUST', testable = 'unit', area = 'tools'): LedgerEntry => ({
  id,
  level,
  testable,
  area,
});

describe('testsOf', () => {
  it('gives each test its whole title and the ids that it cites', () => {
    const leaf = { ancestorTitles: ['outer', 'inner'], title: 'leaf', status: 'passed' };
    const report = {
      testResults: [
        { assertionResults: [{ ...leaf, meta: { requirements: ['L-A-001'] } }, { ...leaf, meta: {} }, leaf] },
      ],
    };
    const counted = { title: 'outer inner leaf', status: 'passed' };
    expect(testsOf(report)).toEqual([
      { ...counted, cites: ['L-A-001'] },
      { ...counted, cites: [] },
      { ...counted, cites: [] },
    ]);
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
  const citing = (...cites: string[]) => ({ title: 'x', cites, status: 'passed' });

  it('counts both ledgers of one area together, by level, in ledger order', () => {
    const { rows } = countRequirements(ledger, [citing('L-TOOLS-001', 'M-TOOL-001')], {});
    expect(rows).toEqual([
      { area: 'tools', level: 'MUST', total: 4, testable: 3, cited: 2, deferred: 0, ui: 0, uiCited: 0 },
      { area: 'tools', level: 'MAY', total: 1, testable: 0, cited: 0, deferred: 0, ui: 1, uiCited: 0 },
      { area: 'ping', level: 'MUST NOT', total: 1, testable: 1, cited: 0, deferred: 0, ui: 0, uiCited: 0 },
    ]);
  });

  it('counts an id once however many tests cite it', () => {
    const { rows } = countRequirements(ledger, [citing('L-TOOLS-001'), citing('L-TOOLS-001')], {});
    expect(rows[0]?.cited).toBe(1);
  });

  it.each(['failed', 'skipped', 'pending', 'todo'])('does not count the ids of a test that %s', (status) => {
    const { rows, missing } = countRequirements(ledger, [{ ...citing('L-TOOLS-001'), status }], {});
    expect(rows[0]?.cited).toBe(0);
    expect(missing.map((one) => one.id)).toContain('L-TOOLS-001');
  });

  it.each(['passed', 'failed', 'skipped'])('names an unknown id that is cited by a test that %s', (status) => {
    expect(countRequirements(ledger, [{ ...citing('L-TOOLS-999'), status }], {}).unknown).toEqual([
      { id: 'L-TOOLS-999', where: 'x' },
    ]);
  });

  it('counts what is about user interfaces by itself, and not what needs a person to judge', () => {
    const { rows, unknown } = countRequirements(ledger, [citing('M-TOOL-002', 'M-TOOL-003')], {});
    expect(rows.map((row) => row.cited)).toEqual([0, 0, 0]);
    expect(rows.map((row) => row.uiCited)).toEqual([0, 1, 0]);
    expect(unknown).toEqual([]);
  });

  it('leaves deferred ids out of what is missing, and counts them by themselves', () => {
    const { rows, missing } = countRequirements(ledger, [], { 'L-TOOLS-002': 'HTTP' });
    expect(rows[0]).toMatchObject({ cited: 0, deferred: 1 });
    expect(missing.map((one) => one.id)).toEqual(['L-TOOLS-001', 'M-TOOL-001', 'L-PING-001']);
  });

  it('reports an id that is both cited and deferred, and a deferred id that is in no ledger', () => {
    const { conflicts, unknown } = countRequirements(ledger, [citing('L-TOOLS-001')], {
      'L-TOOLS-001': 'HTTP',
      'L-NONE-001': 'auth',
    });
    expect(conflicts).toEqual(['L-TOOLS-001']);
    expect(unknown).toEqual([{ id: 'L-NONE-001', where: 'deferred.json' }]);
  });
});
