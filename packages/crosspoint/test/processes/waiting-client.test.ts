import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { PROGRAMS, withProgram } from '../budgets/programs.ts';

/** Well below the silence that a request may take, and well above what a busy machine needs to run a small program. */
const PATIENCE_MS = 30_000;

async function run(code: string): Promise<{ status: number | null; stdout: string }> {
  return withProgram(`${PROGRAMS['pair in one process']}\n${code}`, (path) => {
    const { status, stdout } = spawnSync(process.execPath, [path], { encoding: 'utf8', timeout: PATIENCE_MS });
    return { status, stdout: stdout.trim() };
  });
}

describe('a program with a client', () => {
  it('ends by itself when nothing is waited for, though the client was not closed', async () => {
    expect(await run('console.log((await call(1)).structuredContent.sum);')).toEqual({ status: 0, stdout: '3' });
  }, 40_000);

  it('goes on until a request that is never answered has timed out', async () => {
    const code = `await call(1);
server.registerTool('never', {}, () => new Promise(() => {}));
await client.callTool({ name: 'never' }, { timeout: 200 }).catch((error) => console.log(error.code));`;
    expect(await run(code)).toEqual({ status: 0, stdout: 'idle-timeout' });
  }, 40_000);
});
