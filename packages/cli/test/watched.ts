import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { crosspoint } from './crosspoint.ts';

const PROGRAM = fileURLToPath(new URL('programs/watched-server.mjs', import.meta.url));

/** A home, and a server that writes down what happens to it. */
export function watched(...options: string[]) {
  const { home, run } = crosspoint();
  const log = join(home, 'log');
  const lines = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []);
  return {
    home,
    run,
    /** The words that name the server: `-- node watched-server.mjs LOG`. */
    server: ['--', process.execPath, PROGRAM, log, ...options],
    lines,
    /** Processes of the server: itself and those that it started. */
    pids: (): number[] =>
      lines()
        .flatMap((line) => /^(?:started|child) (\d+)$/.exec(line)?.[1] ?? [])
        .map(Number),
    /** Resolves when the log has the line. */
    logged: (line: string): Promise<void> => vi.waitFor(() => expect(lines()).toContain(line), { timeout: 15_000 }),
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when every process has ended. */
export async function gone(pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 15_000 });
}
