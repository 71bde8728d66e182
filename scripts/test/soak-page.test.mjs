import { expect, test } from 'vitest';
import { soakBlock } from '../soak/page.mjs';

const VERDICTS = [
  { name: 'server, live memory', unit: 'MB', middle: 20.123, added: 0.5, limit: 2, isFlat: true },
  { name: 'server, handles', unit: 'handles', middle: 30, added: 40, limit: 12, isFlat: false },
];

test('the page of a run has a row for each series, and says which of them grows', () => {
  const run = { minutes: 60, counts: { visits: 12345, survived: 3 }, restarts: 59, faults: 0, verdicts: VERDICTS };
  const lines = soakBlock(run, '2026-01-02').split('\n');
  expect(lines[0]).toMatch(/^The run of 2026-01-02, 60 minutes on .*: 12,345 visits, 59 restarts, 0 faults\.$/);
  expect(lines).toContain('| server, live memory | MB | 20.12 | 0.50 | 2.00 | flat |');
  expect(lines).toContain('| server, handles | handles | 30.00 | 40.00 | 12.00 | **grows** |');
});
