import { createInterface, type Interface } from 'node:readline/promises';
import type { Io } from '../../output/io.ts';
import { MOST_LINES } from './history.ts';
import type { Lines } from './lines.ts';

export interface TypedLinesOptions {
  readonly io: Pick<Io, 'stdin' | 'stderr'>;
  readonly prompt: string;
  /** Lines of earlier times, the newest first. */
  readonly history: readonly string[];
  readonly signal: AbortSignal;
  readonly complete: (line: string) => Promise<[found: string[], current: string]>;
}

/** Milliseconds after a line was carried out in which Ctrl-C was meant for it, and does not end the shell. */
const MEANT_FOR_LINE_MS = 500;

/**
 * Lines that a person types. The terminal is read only while a line is awaited: in between it belongs to the command that runs, which may ask
 * something, and Ctrl-C is a signal then.
 */
export class TypedLines implements Lines {
  readonly #options: TypedLinesOptions;
  #history: string[];
  /** Lines that came together with the one before, as when several are pasted. */
  readonly #waiting: string[] = [];
  /** The beginning of a line that came so. */
  #begun = '';

  constructor(options: TypedLinesOptions) {
    this.#options = options;
    this.#history = [...options.history];
  }

  next(): Promise<string | undefined> {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return Promise.resolve(waiting);
    if (this.#options.signal.aborted) return Promise.resolve(undefined);
    return this.#typed();
  }

  #typed(): Promise<string | undefined> {
    const { io, prompt, signal, complete } = this.#options;
    const lines = createInterface({
      input: io.stdin,
      output: io.stderr,
      prompt,
      terminal: true,
      history: [...this.#history],
      historySize: MOST_LINES,
      removeHistoryDuplicates: true,
      completer: complete,
    });
    lines.on('history', (history) => (this.#history = [...history]));
    const end = (): void => lines.close();
    signal.addEventListener('abort', end, { once: true });
    const typed = new Promise<string | undefined>((resolve) => {
      lines.once('line', () => setImmediate(() => this.#finish(lines)));
      lines.on('line', (line) => this.#waiting.push(line));
      lines.once('close', () => {
        signal.removeEventListener('abort', end);
        if (this.#waiting.length === 0) io.stderr.write('\n');
        resolve(this.#waiting.shift());
      });
    });
    this.#interruptible(lines);
    lines.prompt();
    if (this.#begun !== '') lines.write(this.#begun);
    this.#begun = '';
    return typed;
  }

  #finish(lines: Interface): void {
    this.#begun = lines.line;
    lines.close();
  }

  /** Ctrl-C gives a line up, and ends the shell where there is none. */
  #interruptible(lines: Interface): void {
    const since = performance.now();
    lines.on('SIGINT', () => {
      if (lines.line === '' && performance.now() - since > MEANT_FOR_LINE_MS) return lines.close();
      this.#options.io.stderr.write('^C\n');
      lines.write(null, { ctrl: true, name: 'e' });
      lines.write(null, { ctrl: true, name: 'u' });
      lines.prompt();
    });
  }
}
