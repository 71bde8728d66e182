import { appendFile, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { holdsSecret } from './secret-line.ts';
import { splitLine } from './split-words.ts';

/** Lines that are read. */
export const MOST_LINES = 1000;

/** The lines that were typed, in a file for this user alone. Several shells may add to it. */
export class LineHistory {
  readonly #file: string;
  readonly #onproblem: (problem: Error) => void;
  #last: string | undefined;
  /** Whether a problem was told: one that lasts is told once. */
  #hasProblem = false;

  constructor(file: string, onproblem: (problem: Error) => void) {
    this.#file = file;
    this.#onproblem = onproblem;
  }

  /** The newest lines, the newest first. A file that has grown long is shortened. */
  async read(): Promise<readonly string[]> {
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') this.#problem(error);
      return '';
    });
    const lines = text.split('\n').filter((line) => line !== '');
    const newest = lines.slice(-MOST_LINES);
    if (lines.length > 2 * MOST_LINES) await this.#replace(newest).catch((error: Error) => this.#problem(error));
    this.#last = newest.at(-1);
    return newest.toReversed();
  }

  /** Writes a line down, unless it repeats the one before, begins with a space, or probably holds a secret. */
  async add(line: string): Promise<void> {
    if (line === this.#last || line.startsWith(' ') || holdsSecret(splitLine(line).words)) return;
    this.#last = line;
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await appendFile(this.#file, `${line}\n`, { mode: 0o600 });
      // A file that was there before keeps its mode.
      await chmod(this.#file, 0o600);
    } catch (error) {
      this.#problem(error as Error);
    }
  }

  async #replace(lines: readonly string[]): Promise<void> {
    const draft = `${this.#file}.${process.pid}.tmp`;
    await writeFile(draft, `${lines.join('\n')}\n`, { mode: 0o600 });
    await rename(draft, this.#file);
  }

  #problem(error: Error): void {
    if (!this.#hasProblem) this.#onproblem(error);
    this.#hasProblem = true;
  }
}
