import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type * as Pty from '@lydell/node-pty';
import { describe, expect, it, vi } from 'vitest';
import { askedFor } from '../src/commands/completion/asked-for.ts';
import { defineCommand } from '../src/grammar/command.ts';
import { crosspoint, PROGRAM } from './crosspoint.ts';

const ODD = ['--', process.execPath, fileURLToPath(new URL('programs/odd-server.mjs', import.meta.url))];
const pty = await (import('@lydell/node-pty') as Promise<typeof Pty>).catch(() => undefined);

/** How each shell is started without the user's own settings, and how it loads the script. */
const SHELLS = {
  bash: { args: ['--norc', '--noprofile', '-i'], load: (file: string) => [`source ${file}`] },
  zsh: {
    args: ['-f', '-i'],
    load: (file: string) => ['autoload -Uz compinit', 'compinit -u -D', `source ${file}`],
  },
  fish: { args: ['--no-config', '-i'], load: (file: string) => [`source ${file}`] },
} as const;
type Shell = keyof typeof SHELLS;

const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

/** A shell in a pseudo-terminal, with a `crosspoint` that completes as the real one does and otherwise prints its words. */
class TypedShell {
  readonly #terminal: Pty.IPty;
  readonly #log: string;
  #screen = '';

  constructor(shell: Shell, home: string) {
    if (pty === undefined) throw new Error('There is no pseudo-terminal.');
    this.#log = join(home, 'completions');
    const shim = join(home, 'crosspoint');
    writeFileSync(
      shim,
      `#!/bin/sh\nif [ "$1" = __complete ]; then "${process.execPath}" "${PROGRAM}" "$@"; echo done >> "${this.#log}"; exit 0; fi\nprintf 'WORDS'; for word; do printf '<%s>' "$word"; done; echo .\n`,
    );
    chmodSync(shim, 0o755);
    const env = {
      ...process.env,
      PATH: `${home}${delimiter}${process.env['PATH']}`,
      CROSSPOINT_HOME: home,
      HOME: home,
      TERM: 'xterm',
    };
    this.#terminal = pty.spawn(shell, [...SHELLS[shell].args], { cols: 200, rows: 50, cwd: home, env });
    this.#terminal.onData((data) => (this.#screen += data));
  }

  async shows(wanted: RegExp): Promise<RegExpExecArray> {
    return vi.waitFor(
      () => {
        const found = wanted.exec(stripVTControlCharacters(this.#screen));
        if (found === null) throw new Error(`${String(wanted)} is not on the screen: ${this.#screen.slice(-2000)}`);
        return found;
      },
      { timeout: 15_000, interval: 20 },
    );
  }

  async line(line: string): Promise<void> {
    this.#terminal.write(`${line}\r`);
    await pause(100);
  }

  /** Types, and presses the tab key where there is a tab; each is waited for. Returns the words that the command got. */
  async words(keys: string): Promise<string> {
    const [first = '', ...rest] = keys.split('\t');
    this.#terminal.write(first);
    for (const more of rest) {
      const before = this.#completions();
      this.#terminal.write('\t');
      await vi.waitFor(() => expect(this.#completions()).toBeGreaterThan(before), { timeout: 15_000, interval: 20 });
      // The shell puts the words on the line when the program has ended.
      await pause(400);
      this.#terminal.write(more);
    }
    this.#screen = '';
    this.#terminal.write('\r');
    return (await this.shows(/WORDS(.*)\./))[1] ?? '';
  }

  #completions(): number {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8').split('\n').length : 0;
  }

  close(): void {
    this.#terminal.kill();
  }
}

describe.each(['bash', 'zsh', 'fish'] as const)('completion in %s', (shell) => {
  it.skipIf(pty === undefined)(
    'completes commands, names of the kept server, its arguments and their values',
    { timeout: 90_000 },
    async () => {
      if (!isInstalled(shell)) return console.warn(`${shell} is not installed: its completion is not tried.`);
      const { home, run } = crosspoint();
      await run(['connect', '--as', 'odd', ...ODD]);
      const script = join(home, 'script');
      writeFileSync(script, (await run(['completion', shell])).stdout);
      const typed = new TypedShell(shell, home);
      try {
        await pause(1000);
        for (const line of SHELLS[shell].load(script)) await typed.line(line);
        await typed.line('crosspoint ready');
        await typed.shows(/WORDS<ready>/);
        expect(await typed.words('crosspoint too\tcal\to\tpa\tsh\ttr\t')).toBe('<tools><call><odd><paint><shiny=true>');
        expect(await typed.words('crosspoint tools ls odd --fam\thandsh\t')).toBe(
          '<tools><ls><odd><--family><handshake>',
        );
        // A name that a shell would act on is not offered: nothing is added.
        expect(await typed.words('crosspoint tools call odd paint colour=r\t')).toBe(
          '<tools><call><odd><paint><colour=red>',
        );
        expect(await typed.words('crosspoint gen types --out scri\t')).toBe('<gen><types><--out><script>');
        expect(existsSync(join(home, 'owned'))).toBe(false);
      } finally {
        typed.close();
      }
    },
  );
});

describe('crosspoint __complete', () => {
  it('gives words that fit, names of a kept server, and nothing that a shell acts on', async () => {
    const { home, run } = crosspoint();
    writeFileSync(
      join(home, 'crosspoint.json'),
      JSON.stringify({ servers: { far: { command: 'touch', args: [join(home, 'started')] } } }),
    );
    const at = async (...words: string[]): Promise<string[]> =>
      (await run(['__complete', ...words])).stdout.trimEnd().split('\n');
    await run(['connect', '--as', 'odd', ...ODD]);
    expect(await at('com')).toContain('completion');
    expect(await at('tools', 'c')).toEqual(['words', 'call']);
    expect(await at('tools', 'call', '')).toEqual(['words', 'odd', 'far']);
    expect(await at('tools', 'call', 'odd', '')).toEqual(['words', 'paint', 'grow', 'rest', 'constructor']);
    expect(await at('tools', 'call', 'odd', 'paint', 'colour=red', '')).toEqual([
      'words',
      'shiny=',
      'points:=',
      'mode=',
      'never=',
    ]);
    expect(await at('tools', 'call', 'odd', 'paint', 'colour=')).toEqual(['words', 'colour=red', 'colour=green']);
    expect(await at('tools', 'call', 'odd', '--args', '')).toEqual(['files']);
    expect(await at('close', '')).toEqual(['words', 'odd']);
    // A server that is not kept is not started for its names.
    expect(await at('tools', 'call', 'far', '')).toEqual(['words']);
    expect(existsSync(join(home, 'started'))).toBe(false);
    expect(await at('nonsense', 'x', '')).toEqual(['words']);
  });
});

describe('the word that is completed', () => {
  const command = defineCommand({
    path: ['x'],
    says: 'Try.',
    target: 'needed',
    arguments: [
      { name: 'tool', says: 'a tool', completes: 'tool' },
      { name: 'way', says: 'a way', words: ['up', 'down'] },
    ],
    options: {
      speed: { type: 'text', value: 'SPEED', words: ['slow', 'fast'], says: 'how' },
      loud: { type: 'flag', says: 'loudly' },
      size: { type: 'number', value: 'N', least: 1, most: 9, says: 'how large' },
    },
    examples: [{ line: 'crosspoint x s t up', says: 'All.' }],
    async run() {},
  });

  it('is known by the words before it', () => {
    expect(askedFor(command, [''])).toMatchObject({ kind: 'lookup', completes: 'server' });
    expect(askedFor(command, ['--loud', 's', ''])).toMatchObject({ completes: 'tool', server: 's' });
    expect(askedFor(command, ['s', '--size', '3', 't', ''])).toEqual({ kind: 'words', words: ['up', 'down'] });
    expect(askedFor(command, ['s', '--speed', ''])).toEqual({ kind: 'words', words: ['slow', 'fast'] });
    expect(askedFor(command, ['--speed=s'])).toEqual({ kind: 'words', words: ['--speed=slow', '--speed=fast'] });
    expect(askedFor(command, ['s', '--size', ''])).toEqual({ kind: 'nothing' });
    expect(askedFor(command, ['--', 'node', 's'])).toEqual({ kind: 'files' });
    expect(askedFor(command, ['s', 't', 'up', 'more', ''])).toEqual({ kind: 'nothing' });
    const last = { ...command, isTargetLast: true as const };
    expect(askedFor(last, [''])).toMatchObject({ completes: 'tool' });
    expect(askedFor(last, ['t', 'up', ''])).toMatchObject({ completes: 'server' });
    const options = askedFor(command, ['--loud', '-']);
    expect(options).toMatchObject({ words: expect.arrayContaining(['--speed', '--json', '--env', '--']) });
    expect(options).not.toMatchObject({ words: expect.arrayContaining(['--loud']) });
  });
});
