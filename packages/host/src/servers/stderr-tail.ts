import type { Stream } from 'node:stream';

const MAX_LINES = 200;
const MAX_LINE = 2000;

/** The last lines that a child wrote to stderr, bounded in number and length. */
export class StderrTail {
  readonly #lines: string[] = [];
  #open = '';

  get lines(): readonly string[] {
    return this.#open === '' ? this.#lines : [...this.#lines, this.#open];
  }

  /** Follows a stream; `online` gets each line that ends. */
  follow(stream: Stream | null, online: (line: string) => void): void {
    stream?.on('data', (chunk: Buffer | string) => this.#take(String(chunk), online));
  }

  #take(text: string, online: (line: string) => void): void {
    const parts = text.split('\n');
    for (const [index, part] of parts.entries()) {
      this.#open = (this.#open + part).slice(0, MAX_LINE);
      if (index === parts.length - 1) return;
      const line = this.#open.replace(/\r$/, '');
      this.#open = '';
      this.#lines.push(line);
      if (this.#lines.length > MAX_LINES) this.#lines.shift();
      online(line);
    }
  }
}
