import { readFileSync, statSync } from 'node:fs';
import type { Source } from './bridge-command.ts';
import { ProgramError } from './program-error.ts';

const MOST_BYTES = 64 * 1024;

/** Reads what the command line only names, and remembers every secret so that it is never printed. */
export class SourceReader {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #warn: (message: string) => void;
  readonly #secrets = new Set<string>();

  constructor(env: Readonly<Record<string, string | undefined>>, warn: (message: string) => void) {
    this.#env = env;
    this.#warn = warn;
  }

  /** Every secret that was read. */
  get secrets(): ReadonlySet<string> {
    return this.#secrets;
  }

  /** The value of one source; `option` names it in errors. A line end at the end of a file is not part of it. */
  read(option: string, source: Source): string {
    if (source.from === 'arguments') return source.value;
    const value =
      source.from === 'file' ? this.#file(option, source.path).trimEnd() : this.#variable(option, source.name);
    if (value === '') throw new ProgramError(`${option}: ${named(source)} is empty.`);
    if (/[\r\n\0]/.test(value)) throw new ProgramError(`${option}: ${named(source)} must hold one line.`);
    this.#secrets.add(value);
    // A header such as "Bearer …" is also known by its last word.
    this.#secrets.add(value.split(' ').at(-1) ?? value);
    return value;
  }

  readAll(option: string, sources: Readonly<Record<string, Source>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(sources).map(([name, source]) => [name, this.read(`${option} ${name}`, source)]),
    );
  }

  /** The lines of a file with secrets, without empty ones and comments, and their numbers. */
  lines(option: string, path: string): { readonly text: string; readonly number: number }[] {
    return this.#file(option, path)
      .split(/\r?\n/)
      .map((line, index) => ({ text: line.trim(), number: index + 1 }))
      .filter(({ text }) => text !== '' && !text.startsWith('#'));
  }

  hide(secret: string): void {
    this.#secrets.add(secret);
  }

  #file(option: string, path: string): string {
    try {
      const { size, mode } = statSync(path);
      if (size > MOST_BYTES) throw new ProgramError(`${option}: the file "${path}" has more than ${MOST_BYTES} bytes.`);
      if (process.platform !== 'win32' && (mode & 0o004) !== 0)
        this.#warn(`${option}: every user of this machine can read "${path}". chmod 600 keeps it to you.`);
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (error instanceof ProgramError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new ProgramError(`${option}: the file "${path}" cannot be read (${code ?? 'unknown error'}).`);
    }
  }

  #variable(option: string, name: string): string {
    const value = this.#env[name];
    if (value === undefined) throw new ProgramError(`${option}: the variable ${name} is not set.`);
    return value;
  }
}

const named = (source: Exclude<Source, { from: 'arguments' }>): string =>
  source.from === 'file' ? `the file "${source.path}"` : `the variable ${source.name}`;
