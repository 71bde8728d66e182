import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Lines } from './lines.ts';

/** Lines of a file or a program. No line is read before the one before it was carried out. */
export class PipedLines implements Lines {
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  readonly #signal: AbortSignal;

  constructor(input: Readable, signal: AbortSignal) {
    this.#reader = createInterface({ input, crlfDelay: Infinity, terminal: false });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#reader.close(), { once: true });
  }

  async next(): Promise<string | undefined> {
    if (this.#signal.aborted) return undefined;
    const { value, done } = await this.#lines.next();
    return done === true || this.#signal.aborted ? undefined : value;
  }
}
