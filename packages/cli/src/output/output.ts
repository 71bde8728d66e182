import { coloursFor, type Colours } from './colours.ts';
import type { Io } from './io.ts';
import { ProgressLine, type Progress } from './progress-line.ts';

export interface OutputSettings {
  readonly json: boolean;
  readonly text: boolean;
  readonly quiet: boolean;
}

/**
 * Everything that a command prints. The result goes to stdout: JSON for programs, words for people. All else goes to stderr. Texts of servers
 * must have passed `visibleText` or `visibleLine` before they come here as words; JSON is escaped by itself.
 */
export class Output {
  /** Whether the result is JSON. */
  readonly isJson: boolean;
  /** For words on stdout. */
  readonly colours: Colours;
  /** For words on stderr. */
  readonly noteColours: Colours;
  readonly #io: Io;
  readonly #isQuiet: boolean;
  readonly #progress: ProgressLine;

  constructor(io: Io, { json, text, quiet }: OutputSettings) {
    this.isJson = json || (!text && !io.stdout.isTTY);
    this.colours = coloursFor(io.stdout, io.env);
    this.noteColours = coloursFor(io.stderr, io.env);
    this.#io = io;
    this.#isQuiet = quiet;
    this.#progress = new ProgressLine(io.stderr, quiet ? 'none' : io.stderr.isTTY ? 'bar' : 'lines');
  }

  /** Prints the result: `value` as JSON on one line, or the words for people. */
  result(value: unknown, words: () => string): void {
    this.#progress.clear();
    const text = this.isJson ? asciiControls(JSON.stringify(value) ?? 'null') : words();
    if (text !== '') this.#io.stdout.write(`${text}\n`);
  }

  /** One of many results, such as a line of a log: a line of JSON each. */
  item(value: unknown, words: () => string): void {
    this.result(value, words);
  }

  /** Words for people as they come, such as those of a model; visible text. */
  words(text: string): void {
    this.#progress.clear();
    this.#io.stdout.write(text);
  }

  /** Bytes as they are. */
  bytes(bytes: Uint8Array): void {
    this.#progress.clear();
    this.#io.stdout.write(bytes);
  }

  /** Tells something beside the result, on stderr. */
  note(text: string): void {
    if (this.#isQuiet) return;
    this.#progress.clear();
    this.#io.stderr.write(`${text}\n`);
  }

  /** Tells a fault, also with `--quiet`. */
  fault(text: string): void {
    this.#progress.clear();
    this.#io.stderr.write(`${text}\n`);
  }

  /** Tells a fault as JSON. */
  faultFacts(value: object): void {
    this.fault(asciiControls(JSON.stringify(value)));
  }

  /** Shows how far a call is. */
  progress(progress: Progress): void {
    this.#progress.show(progress);
  }

  /** Shows no progress while the work runs, such as a question at the terminal. */
  async withoutProgress<T>(work: () => Promise<T>): Promise<T> {
    this.#progress.clear();
    this.#progress.isPaused = true;
    try {
      return await work();
    } finally {
      this.#progress.isPaused = false;
    }
  }

  /** Resolves when everything was taken by its reader, so that ending the process loses nothing. */
  async flushed(): Promise<void> {
    this.#progress.clear();
    await Promise.all([drained(this.#io.stdout), drained(this.#io.stderr)]);
  }
}

/** JSON whose unseen characters are escapes: a terminal that shows it acts on none of them. */
function asciiControls(json: string): string {
  return json.replace(
    /[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]|[\u{E0000}-\u{E007F}]/gu,
    (unseen) =>
      unseen
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
  );
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}
