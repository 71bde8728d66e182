import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { PROGRAMS, withProgram } from './programs.ts';

const CALLS = 2000;

/** Bytes of the heap for one call, there and back, on both sides. */
const BUDGETS = [
  { family: 'handshake', revisions: "['2025-11-25']", bytes: 5600 },
  { family: 'per-request', revisions: "['2026-07-28']", bytes: 5900 },
] as const;

/**
 * Nothing is collected while it counts, since there is room for everything; and nothing is optimised, since what the optimiser can prove to
 * need no memory differs from run to run.
 */
const FLAGS = ['--expose-gc', '--no-opt', '--max-semi-space-size=64', '--min-semi-space-size=64'];

async function allocatedPerCall(revisions: string): Promise<number> {
  const code = `${PROGRAMS['pair in one process'].replace("{ name: 'caller', version: '1.0.0' }", `$&, { revisions: ${revisions} }`)}
const run = async () => { for (let a = 0; a < ${CALLS}; a += 1) if ((await call(a)).structuredContent.sum !== a + 2) throw new Error('Wrong sum.'); };
await run();
gc();
const before = process.memoryUsage().heapUsed;
await run();
console.log((process.memoryUsage().heapUsed - before) / ${CALLS});
process.exit();`;
  const { stdout, stderr } = await withProgram(code, (path) =>
    spawnSync(process.execPath, [...FLAGS, path], { encoding: 'utf8' }),
  );
  if (stdout === '') throw new Error(stderr);
  return Number(stdout);
}

describe('what a call allocates', () => {
  it.each(BUDGETS)('in one process, in the $family family: $bytes bytes at most', async ({ revisions, bytes }) => {
    const allocated = await allocatedPerCall(revisions);
    expect(allocated).toBeGreaterThan(500);
    expect(allocated).toBeLessThanOrEqual(bytes);
  });
});
