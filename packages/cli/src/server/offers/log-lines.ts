import type { LogLine } from './offer-operations.ts';

const MOST_LINES = 1000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** The last log messages and lines of stderr of a server: at most 1,000, and about 4 million characters. They are kept as they came, or not at all. */
export class LogLines {
  readonly #lines: { readonly line: LogLine; readonly size: number }[] = [];
  #size = 0;

  add(line: LogLine): void {
    const size = JSON.stringify(line).length;
    this.#lines.push({ line, size });
    this.#size += size;
    while (this.#lines.length > MOST_LINES || (this.#size > MOST_CHARACTERS && this.#lines.length > 1))
      this.#size -= this.#lines.shift()?.size ?? 0;
  }

  /** The newest lines, the oldest of them first. */
  last(count: number): readonly LogLine[] {
    return count === 0 ? [] : this.#lines.slice(-count).map(({ line }) => line);
  }
}
