import { spawn } from 'node:child_process';
import { CliError } from '../errors/cli-error.ts';
import type { KeptRecord } from './records.ts';

export interface StartOptions {
  readonly name: string;
  /** The file that runs `crosspoint`. */
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly idleSeconds: number | undefined;
}

const START_MS = 15_000;

/** Starts a keeper, which outlives this command. Nothing secret is in its arguments. Resolves with its record when it listens. */
export function startKeeper({ name, program, cwd, env, idleSeconds }: StartOptions): Promise<KeptRecord> {
  const idle = idleSeconds === undefined ? [] : ['--idle', String(idleSeconds)];
  const child = spawn(process.execPath, [program, 'keeper', name, ...idle], {
    cwd,
    env: { ...env },
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new CliError('internal', `The keeper could not be started: ${why}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`it said nothing for ${START_MS} ms.`);
    }, START_MS);
    child.once('error', ({ message }) => fail(message));
    child.once('exit', (code) => fail(`it ended with exit code ${code}.`));
    child.once('message', (record) => {
      clearTimeout(timer);
      child.removeAllListeners('exit');
      child.disconnect();
      child.unref();
      resolve(record as KeptRecord);
    });
  });
}
