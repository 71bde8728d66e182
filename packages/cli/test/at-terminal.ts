import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type * as Pty from '@lydell/node-pty';

const program = fileURLToPath(new URL('../bin/crosspoint.mjs', import.meta.url));
const pty = await (import('@lydell/node-pty') as Promise<typeof Pty>).catch(() => undefined);

export const hasTerminal = pty !== undefined;

/** Ctrl-C and Ctrl-D, which need no return key. */
const KEYS = ['\u0003', '\u0004'];

export interface TerminalRun {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Lines to type, each after its text is on the screen: a line, or Ctrl-C or Ctrl-D alone. */
  readonly typed: readonly (readonly [shown: string, line: string])[];
}

/** Runs the built command at a pseudo-terminal, and resolves with everything on the screen. */
export function atTerminal(
  words: readonly string[],
  { home, cwd = home, env = {}, typed }: TerminalRun,
): Promise<{ readonly code: number; readonly screen: string }> {
  if (pty === undefined) throw new Error('There is no pseudo-terminal here.');
  const terminal = pty.spawn(process.execPath, [program, ...words], {
    cols: 400,
    rows: 50,
    cwd,
    env: { ...process.env, ...env, CROSSPOINT_HOME: home },
  });
  let raw = '';
  let seen = 0;
  const left = [...typed];
  terminal.onData((data) => {
    raw += data;
    const [next] = left;
    const at = next === undefined ? -1 : raw.indexOf(next[0], seen);
    if (next === undefined || at === -1) return;
    left.shift();
    seen = at + next[0].length;
    terminal.write(KEYS.includes(next[1]) ? next[1] : `${next[1]}\r`);
  });
  return new Promise((resolve) =>
    terminal.onExit(({ exitCode }) => resolve({ code: exitCode, screen: stripVTControlCharacters(raw) })),
  );
}
