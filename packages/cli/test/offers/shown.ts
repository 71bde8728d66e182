import { spawn } from 'node:child_process';
import { onTestFinished, vi, expect } from 'vitest';
import { PROGRAM } from '../crosspoint.ts';

export interface Shown {
  /** Resolves when stderr, or stdout, has a text that fits. */
  says(text: RegExp): Promise<void>;
  prints(text: RegExp): Promise<void>;
  interrupt(): void;
  /** The end of the command, and each line of stdout as JSON. */
  readonly ended: Promise<{ readonly code: number | null; readonly lines: readonly any[]; readonly stderr: string }>;
}

/** A command that runs on while the test does something else. It is ended after the test. */
export function shown(home: string, words: readonly string[]): Shown {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: home,
    env: { ...process.env, CROSSPOINT_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended: Shown['ended'] = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      resolve({ code, lines: lines.map((line) => JSON.parse(line)), stderr });
    });
  });
  const until = async (text: () => string, wanted: RegExp): Promise<void> => {
    await vi.waitFor(() => expect(text()).toMatch(wanted), { timeout: 20_000 });
  };
  return {
    says: (wanted) => until(() => stderr, wanted),
    prints: (wanted) => until(() => stdout, wanted),
    interrupt: () => void child.kill('SIGINT'),
    ended,
  };
}
