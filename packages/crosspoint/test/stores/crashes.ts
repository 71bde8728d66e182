import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A store whose every write is a fault point. */
export interface CrashedStore {
  readonly kind: 'sqlite' | 'redis';
  /** The moments of a write at which a process can be killed. */
  readonly moments: readonly string[];
  /** Where a store that nobody else uses is kept. */
  readonly place: () => string;
}

/** A process that has ended, and what it said. */
export interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly lines: readonly string[];
}

/** A fault point: the number of a write, and the moment. */
export interface Fault {
  readonly write: number;
  readonly what: string;
  readonly moment: string;
}

/** Runs a program of `test/fixtures/crash`; it kills itself at the fault, if there is one. */
export async function runProgram(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const program = fileURLToPath(new URL(`../fixtures/crash/${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { signal, code, lines: output.split('\n').filter((line) => line !== '') };
}

/** The fault points of a run that was not killed. */
export function faultsOf(ended: Ended, moments: readonly string[]): Fault[] {
  const writes = ended.lines.filter((line) => line.startsWith('? ')).map((line) => line.slice(2));
  return writes.flatMap((what, index) => moments.map((moment) => ({ write: index + 1, what, moment })));
}

/** Runs the work for each, a few at a time. */
export async function forEach<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...all.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all([1, 2, 3, 4].map(worker));
  return results;
}
