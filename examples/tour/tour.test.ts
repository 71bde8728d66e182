import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

it('shows every revision over stdio and ends', { timeout: 90_000 }, async () => {
  const program = fileURLToPath(new URL('../dist/tour/stdio.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  for (const revision of REVISIONS) expect(stdout).toContain(`\n${revision}  (`);
  expect(stdout.match(/progress 1 2 3 4 5/g)).toHaveLength(REVISIONS.length);
  expect(stdout.match(/Greetings from Bergen!/g)).toHaveLength(REVISIONS.length);
  expect(stdout.match(/Welcome, Ada!/g)).toHaveLength(3);
});
