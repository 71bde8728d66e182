import { expect, it } from 'vitest';
import { isRunning } from '../fixtures/stdio/compiled.ts';
import { failure, handles, noMoreThan, program, run } from './running.ts';

const SERVERS = 200;
const AT_ONCE = 8;
const KILLED_EVERY = 10;

/** One server from start to stop. Every tenth is killed while it works. */
async function live(index: number): Promise<{ pid: number; error: (Error & Record<string, any>) | undefined }> {
  const { client, transport, pid } = await run({ args: [program('small-server.mjs'), `number-${index}`] });
  const served = await pid();
  expect(served).toBe(transport.pid);
  if (index % KILLED_EVERY !== 0) {
    await client.close();
    return { pid: served, error: undefined };
  }
  const error = await failure(client.callTool({ name: 'hang' }, { onprogress: () => process.kill(served, 'SIGKILL') }));
  await client.close();
  return { pid: served, error };
}

it(
  'starts and stops 200 servers, 20 of them killed in the middle of a call: no process and no handle is left, and each failure is explained',
  { timeout: 120_000 },
  async () => {
    const before = handles();
    const listeners = process.listenerCount('exit');
    const ended: Awaited<ReturnType<typeof live>>[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < SERVERS) ended.push(await live(next++));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));

    expect(ended).toHaveLength(SERVERS);
    expect(new Set(ended.map(({ pid }) => pid)).size).toBe(SERVERS);
    expect(ended.filter(({ pid }) => isRunning(pid))).toEqual([]);
    await noMoreThan(before);
    expect(process.listenerCount('exit')).toBe(listeners);

    const failed = ended.flatMap(({ pid, error }) => (error === undefined ? [] : [{ pid, error }]));
    expect(failed).toHaveLength(SERVERS / KILLED_EVERY);
    for (const { pid, error } of failed) {
      expect(error).toMatchObject({
        code: 'closed',
        details: { method: 'tools/call' },
        cause: {
          code: 'child-exited',
          details: { pid, command: process.execPath, exitCode: null, signal: 'SIGKILL', stderr: `hanging in ${pid}` },
        },
      });
      expect(error.message).toContain('was ended by SIGKILL');
      expect(error.message).toContain('small-server.mjs');
      expect(error.message).toContain(`hanging in ${pid}`);
    }
  },
);
