import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type * as Pty from '@lydell/node-pty';
import { onTestFinished, vi } from 'vitest';

const pty = await (import('@lydell/node-pty') as Promise<typeof Pty>).catch(() => undefined);

export const hasTerminal = pty !== undefined;

const SHOWN_MS = 20_000;

/** A program at a pseudo-terminal, which is typed at key by key. It is killed when the test ends. */
export class Terminal {
  readonly ended: Promise<number>;
  readonly #terminal: Pty.IPty;
  #raw = '';
  /** Everything before was looked for already. */
  #seen = 0;

  constructor(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
    if (pty === undefined) throw new Error('There is no pseudo-terminal here.');
    this.#terminal = pty.spawn(process.execPath, [...args], {
      cols: 200,
      rows: 50,
      cwd,
      env: { ...process.env, NO_COLOR: '1', TERM: 'xterm', ...env },
    });
    this.#terminal.onData((data) => (this.#raw += data));
    let isOver = false;
    this.ended = new Promise((resolve) =>
      this.#terminal.onExit(({ exitCode }) => {
        isOver = true;
        resolve(exitCode);
      }),
    );
    onTestFinished(() => {
      if (!isOver) this.#terminal.kill('SIGKILL');
    });
  }

  get pid(): number {
    return this.#terminal.pid;
  }

  /** Everything on the screen so far. */
  get screen(): string {
    return stripVTControlCharacters(this.#raw);
  }

  /** Waits for a text after those that were waited for before. */
  async shows(text: string): Promise<void> {
    await vi.waitFor(
      () => {
        const at = this.screen.indexOf(text, this.#seen);
        if (at === -1) throw new Error(`${JSON.stringify(text)} is not on the screen: ${this.screen.slice(-2000)}`);
        this.#seen = at + text.length;
      },
      { timeout: SHOWN_MS, interval: 20 },
    );
  }

  press(keys: string): void {
    this.#terminal.write(keys);
  }

  /** Types a line when the prompt is there. */
  async line(line: string): Promise<void> {
    await this.shows('crosspoint> ');
    this.press(`${line}\r`);
  }
}

export const PROGRAM: string = fileURLToPath(new URL('../../bin/crosspoint.mjs', import.meta.url));
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
export const UP = '\u001B[A';
