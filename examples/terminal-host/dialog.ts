import { clearScreenDown, createInterface, cursorTo, moveCursor, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

export interface DialogOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** A line that answers no question. */
  oncommand(line: string): void;
  /** Lines that the typed beginning of a command can become. */
  complete(line: string): Promise<readonly string[]>;
  /** Ctrl-C. */
  oninterrupt(): void;
}

export interface AskOptions {
  /** Answers that the tab key completes. */
  readonly words?: readonly string[];
  /** A text that stands on the line and can be edited. It must not hold control characters: they would act as keys. */
  readonly typed?: string;
  /** The answer is not shown while it is typed. */
  readonly isSecret?: boolean;
}

interface Question extends AskOptions {
  readonly text: string;
  answered(line: string): void;
}

const PROMPT = '> ';

/**
 * A person at a terminal. Texts appear above the line that is being typed. One question is asked at a time; while it waits, a line that begins
 * with a colon is a command.
 */
export class Dialog {
  readonly #options: DialogOptions;
  readonly #lines: Interface;
  readonly #isTerminal: boolean;
  #question: Question | undefined;
  #isClosed = false;

  constructor(options: DialogOptions) {
    const { input, output } = options;
    this.#options = options;
    this.#isTerminal = output.isTTY === true;
    this.#lines = createInterface({
      input,
      output: this.#echo(),
      terminal: this.#isTerminal,
      prompt: PROMPT,
      completer: (line: string, found: (error: null, hits: [string[], string]) => void) =>
        void this.#complete(line).then((hits) => found(null, [[...hits], line])),
    });
    this.#lines.on('line', (line) => this.#online(line.trim()));
    this.#lines.on('SIGINT', () => options.oninterrupt());
    this.#lines.once('close', () => (this.#isClosed = true));
    // The up key brings back commands. Answers may be private.
    this.#lines.on('history', (history: string[]) => void (this.#question && history.shift()));
    input.on('error', () => this.close());
    output.on('error', () => this.close());
  }

  /** Shows a text above the line that is being typed. */
  say(text: string): void {
    if (!this.#isTerminal || this.#isClosed) return void this.#options.output.write(`${text}\n`);
    const { output } = this.#options;
    const { rows } = this.#lines.getCursorPos();
    moveCursor(output, 0, -rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    // The line is drawn again from where its first row would be.
    output.write(`${text}\n${'\n'.repeat(rows)}`);
    this.#prompt();
  }

  /** Asks, and resolves with the line that is typed; with an empty one when `signal` aborts. */
  ask(text: string, signal: AbortSignal, options: AskOptions = {}): Promise<string> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve('');
      let unfinished = '';
      const end = (line: string): void => {
        signal.removeEventListener('abort', onabort);
        this.#question = undefined;
        this.#prompt();
        this.#replaceTyped(unfinished);
        resolve(line);
      };
      const onabort = (): void => end('');
      signal.addEventListener('abort', onabort, { once: true });
      this.#question = { ...options, text, answered: end };
      this.#prompt();
      unfinished = this.#replaceTyped(options.typed ?? '');
    });
  }

  /** Asks until one of the words is typed; the last of them when `signal` aborts. */
  async choose<Word extends string>(words: readonly Word[], signal: AbortSignal): Promise<Word> {
    for (;;) {
      const typed = await this.ask(`[${words.join(' / ')}]`, signal, { words });
      const found = words.find((word) => word === typed.toLowerCase());
      if (found !== undefined) return found;
      if (signal.aborted) return words.at(-1) as Word;
      this.say(`Type one of: ${words.join(', ')}.`);
    }
  }

  onclose(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#lines.once('close', listener);
  }

  close(): void {
    this.#lines.close();
  }

  #online(line: string): void {
    if (this.#question === undefined) this.#options.oncommand(line);
    else if (line.startsWith(':')) this.#options.oncommand(line.slice(1));
    else return this.#question.answered(line);
    this.#prompt();
  }

  #prompt(): void {
    if (this.#isClosed) return;
    const { text, isSecret } = this.#question ?? {};
    if (text !== undefined && (isSecret === true || !this.#isTerminal)) this.#options.output.write(`${text} `);
    if (!this.#isTerminal) return;
    this.#lines.setPrompt(text === undefined ? PROMPT : `${text} `);
    this.#lines.prompt(true);
  }

  /** Puts another text on the line, and returns the one that stood there. */
  #replaceTyped(text: string): string {
    if (!this.#isTerminal || this.#isClosed) return '';
    const { line } = this.#lines;
    if (line !== '') {
      this.#lines.write(null, { ctrl: true, name: 'e' });
      this.#lines.write(null, { ctrl: true, name: 'u' });
    }
    if (text !== '') this.#lines.write(text);
    return line;
  }

  async #complete(line: string): Promise<readonly string[]> {
    const { words } = this.#question ?? {};
    if (this.#question !== undefined) return (words ?? []).filter((word) => word.startsWith(line));
    return this.#options.complete(line).catch(() => []);
  }

  /** The output as readline sees it: it says nothing while a secret is typed. */
  #echo(): Writable {
    const { output } = this.#options;
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.#question?.isSecret !== true) output.write(chunk as Buffer);
        done();
      },
    });
    output.on('resize', () => echo.emit('resize'));
    return Object.defineProperty(echo, 'columns', { get: () => output.columns });
  }
}
