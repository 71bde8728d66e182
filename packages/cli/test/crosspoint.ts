import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The built command. */
export const PROGRAM: string = fileURLToPath(new URL('../bin/crosspoint.mjs', import.meta.url));

/** The stdio program of the example server: its tools are add, count, welcome, fail and save_note. */
export const DEMO: readonly string[] = [
  '--',
  process.execPath,
  fileURLToPath(new URL('../../../examples/dist/demo-server/stdio.js', import.meta.url)),
];

/** A server that offers something of everything; see its file. */
export const OFFERING: readonly string[] = ['--', process.execPath, programPath('offering-server.mjs')];

/** A server with a fault. */
export function broken(fault: string): readonly string[] {
  return ['--', process.execPath, programPath('broken-server.mjs'), fault];
}

/** The reference server that the specification's authors publish, over stdio. */
export const EVERYTHING: readonly string[] = [
  '--',
  process.execPath,
  fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')),
];

function programPath(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON. */
  readonly json: () => any;
  /** The error that stderr ends with. */
  readonly error: () => { ending: string; exitCode: number; message: string; hint?: string; suggestions?: string[] };
}

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sends SIGINT once, when stderr holds this text. */
  readonly interruptAt?: string;
  /** Called with everything that was written to stderr so far. */
  readonly onstderr?: (stderr: string) => void;
}

/** A home of its own for the built command; kept connections are ended, and everything is removed, after the test. */
export function crosspoint(): {
  readonly home: string;
  readonly run: (words: readonly string[], options?: RunOptions) => Promise<Ended>;
} {
  const home = mkdtempSync(join(tmpdir(), 'crosspoint-cli-'));
  const run = (words: readonly string[], options: RunOptions = {}): Promise<Ended> => runIn(home, words, options);
  onTestFinished(async () => {
    await run(['close', '--all']);
    rmSync(home, { recursive: true, force: true });
  });
  return { home, run };
}

function runIn(
  home: string,
  words: readonly string[],
  { input, cwd = home, env = {}, interruptAt, onstderr }: RunOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd,
    env: { ...process.env, NO_COLOR: '', ...env, CROSSPOINT_HOME: home },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let isInterrupted = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    onstderr?.(stderr);
    if (interruptAt === undefined || isInterrupted || !stderr.includes(interruptAt)) return;
    isInterrupted = true;
    child.kill('SIGINT');
  });
  // A command that reads no stdin may have ended already.
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        code,
        stdout,
        stderr,
        json: () => JSON.parse(stdout),
        error: () => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error,
      }),
    );
  });
}
