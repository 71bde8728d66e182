import type { Readable, Writable } from 'node:stream';
import { createInterface, type Interface } from 'node:readline';

/** A person at a terminal: lines that are typed, and texts that are shown. One question is asked at a time; other lines are commands. */
export class Dialog {
  readonly #lines: Interface;
  readonly #output: Writable;
  #answered: ((line: string) => void) | undefined;

  constructor(input: Readable, output: Writable, oncommand: (line: string) => void) {
    this.#output = output;
    this.#lines = createInterface({ input, output, prompt: '> ' });
    this.#lines.on('line', (line) => {
      const answered = this.#answered;
      this.#answered = undefined;
      if (answered === undefined) oncommand(line.trim());
      else answered(line.trim());
    });
  }

  say(text: string): void {
    this.#output.write(`${text}\n`);
  }

  /** Shows that a command may be typed. */
  ready(): void {
    if (this.#answered === undefined) this.#lines.prompt();
  }

  /** Asks, and resolves with the line that is typed; with an empty one when `signal` aborts. */
  ask(question: string, signal: AbortSignal): Promise<string> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve('');
      const end = (line: string): void => {
        signal.removeEventListener('abort', onabort);
        this.#answered = undefined;
        resolve(line);
      };
      const onabort = (): void => end('');
      signal.addEventListener('abort', onabort, { once: true });
      this.#answered = end;
      this.#output.write(`${question} `);
    });
  }

  /** Asks until one of the words is typed; the last of them when `signal` aborts. */
  async choose<Word extends string>(words: readonly Word[], signal: AbortSignal): Promise<Word> {
    for (;;) {
      const typed = await this.ask(`[${words.join(' / ')}]`, signal);
      const found = words.find((word) => word === typed.toLowerCase());
      if (found !== undefined) return found;
      if (signal.aborted) return words.at(-1) as Word;
      this.say(`Type one of: ${words.join(', ')}.`);
    }
  }

  onclose(listener: () => void): void {
    this.#lines.once('close', listener);
  }

  close(): void {
    this.#lines.close();
  }
}
