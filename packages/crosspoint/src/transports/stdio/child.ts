import { asError } from '../../runtime/guard.ts';
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import spawn from 'cross-spawn';
import { spawnFailure } from './child-failure.ts';
import type { Program } from './identity.ts';
import { watchTree } from './process-tree.ts';
import type { ProcessTree } from './process-tree.ts';
import type { StderrOutlet } from './stderr-outlet.ts';
import { StderrTail } from './stderr-tail.ts';

export interface Graces {
  /** Milliseconds from the end of stdin to SIGTERM. */
  readonly closeMs: number;
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly termMs: number;
}

const KILL_WAIT_MS = 1000;
const OUTPUT_WAIT_MS = 500;

/** A server process from its start to the end of everything it started. */
export class ServerChild {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the process itself has exited; processes it started may live on. */
  readonly exited: Promise<void>;
  exitCode: number | null = null;
  exitSignal: NodeJS.Signals | null = null;
  /** Set when the command turns out to be missing after the start, as on Windows, where cmd.exe looks for it. */
  spawnError: Error | undefined;

  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  readonly #tail = new StderrTail();
  readonly #outputClosed: Promise<void>;
  #hasExited = false;
  #wasSignalled = false;

  constructor(child: ChildProcess, pid: number, outlet: StderrOutlet) {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null) throw new TypeError('A server process needs a stdin and a stdout.');
    this.pid = pid;
    this.stdin = stdin;
    this.stdout = stdout;
    this.#child = child;
    this.#tree = watchTree({ pid, hasExited: () => this.#hasExited });
    stderr?.on('data', (chunk: Uint8Array) => {
      this.#tail.append(chunk);
      outlet.write(chunk);
    });
    stderr?.on('error', () => {});
    this.exited = this.#watchExit();
    this.#outputClosed = new Promise((resolve) => child.once('close', () => resolve()));
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Whether a signal was needed to end it. */
  get wasSignalled(): boolean {
    return this.#wasSignalled;
  }

  get stderrTail(): string {
    return this.#tail.text();
  }

  #watchExit(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#hasExited = true;
        this.exitCode = code;
        this.exitSignal = signal;
        resolve();
      });
      this.#child.on('error', (error) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || this.#hasExited) return;
        this.#hasExited = true;
        this.spawnError = error;
        resolve();
      });
    });
  }

  /** Ends its stdin and waits up to `ms` for it to exit. */
  async exitsWithin(ms: number): Promise<void> {
    this.stdin.end();
    await within(this.exited, ms);
  }

  /** Ends the whole process tree: end of stdin, SIGTERM, SIGKILL, each with its time. All output has been read when this resolves. */
  async terminate({ closeMs, termMs }: Graces): Promise<void> {
    this.stdin.end();
    if (!(await this.#goneWithin(closeMs))) {
      this.#signal('SIGTERM');
      if (!(await this.#goneWithin(termMs))) {
        this.#signal('SIGKILL');
        await this.#goneWithin(KILL_WAIT_MS);
      }
    }
    // Only a process that left the group on purpose can still hold the pipes.
    await within(this.#outputClosed, OUTPUT_WAIT_MS);
    this.stdin.destroy();
    this.stdout.destroy();
    this.#child.stderr?.destroy();
    this.#tree.forget();
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (!this.#hasExited) this.#wasSignalled = true;
    this.#tree.signal(signal);
  }

  async #goneWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    if (!this.#hasExited) await within(this.exited, ms);
    // The child's exit is an event; the exit of its descendants has to be polled.
    for (let step = 5; this.#tree.isAlive(); step = Math.min(step * 2, 100)) {
      const remaining = deadline - performance.now();
      if (remaining <= 0) return false;
      await delay(Math.min(step, remaining));
    }
    return this.#hasExited;
  }
}

async function within(promise: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([promise, delay(ms, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}

/** Starts the program without a shell, as leader of its own process group where the platform has groups. */
export async function spawnServer(
  program: Program,
  env: Record<string, string>,
  outlet: StderrOutlet,
): Promise<ServerChild> {
  try {
    const child = spawn(program.command, [...program.args], {
      env,
      cwd: program.cwd,
      stdio: ['pipe', 'pipe', outlet.stdio],
      shell: false,
      windowsHide: true,
      detached: process.platform !== 'win32',
    });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    if (child.pid === undefined) throw new Error('The process has no id.');
    return new ServerChild(child, child.pid, outlet);
  } catch (error) {
    throw spawnFailure(program, asError(error));
  }
}
