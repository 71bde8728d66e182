import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Pty from '@lydell/node-pty';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../../examples/dist/terminal-host/main.js', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('../programs/', import.meta.url));

const pty = await (import('@lydell/node-pty') as Promise<typeof Pty>).catch(() => undefined);
export const hasTerminal = pty !== undefined;
if (!hasTerminal) console.warn('There is no pseudo-terminal here: the host in the terminal is not tried.');

export const CALL = '[once / session / always / edit / deny]';

/** The screen and the keyboard of a person at the terminal. */
export class Screen {
  readonly pid: number;
  readonly exited: Promise<number>;
  #raw = '';
  #isOver = false;
  /** Everything before it was looked at. */
  #seen = 0;
  readonly #terminal: Pty.IPty;

  constructor(terminal: Pty.IPty) {
    this.#terminal = terminal;
    this.pid = terminal.pid;
    terminal.onData((data) => (this.#raw += data));
    this.exited = new Promise((resolve) =>
      terminal.onExit(({ exitCode }) => {
        this.#isOver = true;
        resolve(exitCode);
      }),
    );
  }

  /** Everything that was written, as the terminal got it. */
  get raw(): string {
    return this.#raw;
  }

  /** The text since the last wait, without the sequences that move the cursor. */
  get text(): string {
    return plain(this.#raw).slice(this.#seen);
  }

  /** Waits until the text is on the screen, and returns everything since the last wait, up to its end. */
  async shows(wanted: string | RegExp): Promise<string> {
    const end = await vi.waitFor(
      () => {
        const { text } = this;
        const at = typeof wanted === 'string' ? text.indexOf(wanted) : text.search(wanted);
        if (at === -1) throw new Error(`The screen does not show ${String(wanted)}:\n${text}`);
        return at + (typeof wanted === 'string' ? wanted.length : (wanted.exec(text)?.[0].length ?? 0));
      },
      { timeout: 20_000, interval: 20 },
    );
    const shown = this.text.slice(0, end);
    this.#seen += end;
    return shown;
  }

  type(line: string): void {
    this.#terminal.write(`${line}\r`);
  }

  /** Types keys without the return key. */
  keys(keys: string): void {
    this.#terminal.write(keys);
  }

  /** Clears what stands on the line, and types another one. */
  retype(line: string): void {
    this.#terminal.write('\u0005\u0015');
    this.type(line);
  }

  /** Waits for the text and then for the question, which is drawn again below each text, and answers it. */
  async answer(about: string, question: string, line: string): Promise<string> {
    const shown = `${await this.shows(about)}${await this.shows(question)}`;
    this.type(line);
    return shown;
  }

  /** Takes the terminal away, as closing its window does. */
  end(): void {
    if (!this.#isOver) this.#terminal.kill('SIGHUP');
  }
}

// oxlint-disable-next-line no-control-regex
const plain = (raw: string): string => raw.replace(/\u001B\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r\n', '\n');

/** A folder for each test file, with a browser in it that writes down what it is given. */
export let folder: string;
const open: Screen[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terminal-host-'));
  await mkdir(join(folder, 'bin'));
  // The browser of this machine: it writes down the addresses that it is given.
  for (const name of ['xdg-open', 'open']) {
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\necho "$1" >> '${join(folder, 'browser')}'\n`);
    await chmod(join(folder, 'bin', name), 0o755);
  }
});

afterEach(async () => {
  for (const screen of open) screen.end();
  await Promise.all(open.splice(0).map(({ exited }) => exited));
  await rm(join(folder, 'browser'), { force: true });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

export const visited = (): Promise<string> => readFile(join(folder, 'browser'), 'utf8').catch(() => '');

export const asker = (...args: string[]): object => ({
  command: process.execPath,
  args: [join(PROGRAMS, 'asker.mjs'), ...args],
});

export function start(...args: string[]): Screen {
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` } as Record<string, string>;
  const terminal = pty?.spawn(process.execPath, [MAIN, ...args], { cols: 500, rows: 200, cwd: folder, env });
  if (terminal === undefined) throw new Error('There is no pseudo-terminal.');
  const screen = new Screen(terminal);
  open.push(screen);
  return screen;
}

/** Starts the program with the servers of a file, and more arguments. */
export async function startWith(
  servers: Readonly<Record<string, object>>,
  options: { readonly name?: string; readonly args?: readonly string[]; readonly more?: object } = {},
): Promise<Screen> {
  const { name = 'crosspoint.json', args = [], more = {} } = options;
  const file = join(folder, name);
  const member = name === 'crosspoint.json' ? 'servers' : 'mcpServers';
  await writeFile(file, JSON.stringify({ [member]: servers, ...more }));
  return start(file, ...args);
}

/** Starts the program and lets the server `asker` in. */
export async function startAsker(entry: object = asker()): Promise<Screen> {
  const screen = await startWith({ asker: entry });
  await screen.answer('is not trusted yet', '[trust / refuse]', 'trust');
  await screen.answer('The server "asker" is about to be started', '[allow / deny]', 'allow');
  await screen.shows('-- asker is ready.');
  return screen;
}
