import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../../../crosspoint/test/fixtures/stdio/compiled.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { program } from '../programs.ts';

async function pool(...args: string[]): Promise<{ pid: number; pids: number[]; ended: Promise<unknown> }> {
  const started = spawn(process.execPath, [program('pool.mjs'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  started.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise((resolve) => started.once('close', (code, signal) => resolve(code ?? signal)));
  await until(() => said.includes('\n'));
  return { pid: started.pid ?? 0, pids: JSON.parse(said) as number[], ended };
}

/** Ids of the guards that a process started. Only Linux has the list. */
function guardsOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        const isOwn = readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${parent}\n`);
        return isOwn && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('const groups = new Set()');
      } catch {
        return false;
      }
    });
}

describe.skipIf(process.platform === 'win32')('a process that is killed with SIGKILL', () => {
  it('leaves nothing behind with a guard, not even processes that ignore the end of stdin and SIGTERM', async () => {
    const { pid, pids, ended } = await pool('guarded');
    expect(pids).toHaveLength(2);
    process.kill(pid, 'SIGKILL');
    expect(await ended).toBe('SIGKILL');
    await until(() => !pids.some(isRunning));
  });

  it('leaves such processes without one', async () => {
    const { pid, pids, ended } = await pool('unguarded');
    process.kill(pid, 'SIGKILL');
    await ended;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(pids.every(isRunning)).toBe(true);
    for (const one of pids) process.kill(one, 'SIGKILL');
    await until(() => !pids.some(isRunning));
  });
});

describe.skipIf(process.platform !== 'linux')('the guard', () => {
  it('is one process with no variables, which ends with its pool', async () => {
    const { pid, pids, ended } = await pool('guarded', 'close');
    const [guard, ...more] = guardsOf(pid);
    if (guard === undefined) throw new Error('There is no guard.');
    expect(more).toEqual([]);
    expect(readFileSync(`/proc/${guard}/environ`, 'utf8')).toBe('');
    expect(await ended).toBe(0);
    await until(() => !isRunning(guard) && !pids.some(isRunning));
  });
});
