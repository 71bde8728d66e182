import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface Share {
  readonly total: number;
  readonly present: number;
  readonly share: number;
}
interface Compared {
  readonly name: string;
  readonly total: number;
  readonly missing: readonly string[];
}

let report: {
  shares: Record<'v1' | 'v2', Share>;
  faults: string[];
  compared: Record<'v1' | 'v2', Compared[]>;
};
beforeAll(() => {
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/compat.mjs', '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(stdout, stderr).not.toBe('');
  report = JSON.parse(stdout) as typeof report;
}, 60_000);

describe('the names of the official SDK', () => {
  test('of v1: at least 95 in 100 of the documented entry points are here', () => {
    const { total, share } = report.shares.v1;
    expect(total).toBeGreaterThan(700);
    expect(share).toBeGreaterThanOrEqual(0.95);
  });

  test('of v2: at least 90 in 100 of each main entry are here', () => {
    expect(report.shares.v2.total).toBeGreaterThan(700);
    for (const { name, total, missing } of report.compared.v2)
      expect((total - missing.length) / total, name).toBeGreaterThanOrEqual(0.9);
  });

  test('that are missing are listed with a reason, and no others', () => {
    expect(report.faults).toEqual([]);
  });
});
