import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Io } from '../output/io.ts';

export interface AskOptions {
  /** A text that stands on the line and can be edited. It must hold no control characters: they would act as keys. */
  readonly typed?: string;
  /** The answer is not shown while it is typed. */
  readonly isSecret?: boolean;
}

/** The person pressed Ctrl-D: they leave the question. */
export class LeftError extends Error {
  override readonly name = 'LeftError';
}

/** Questions to the person at the terminal, on stderr: stdout belongs to the result. Ctrl-C ends the command. */
export class Dialog {
  readonly #io: Pick<Io, 'stdin' | 'stderr'>;
  readonly #signal: AbortSignal;
  readonly #lines: Interface;
  /** Lines that were typed ahead of the next question of this dialog, such as pasted ones. */
  readonly #ahead: string[] = [];
  #isSecret = false;
  #isClosed = false;

  /** `signal` ends the dialog. Close it in the end, so that the terminal is as it was. */
  constructor(io: Pick<Io, 'stdin' | 'stderr'>, signal: AbortSignal) {
    this.#io = io;
    this.#signal = signal;
    this.#lines = createInterface({ input: io.stdin, output: this.#echo(), terminal: true, historySize: 0 });
    this.#lines.on('SIGINT', () => process.emit('SIGINT', 'SIGINT'));
    this.#lines.on('line', (line) => this.#ahead.push(line));
    this.#lines.once('close', () => (this.#isClosed = true));
  }

  say(text: string): void {
    this.#io.stderr.write(`${text}\n`);
  }

  /** Resolves with the line that is typed. Rejects with `LeftError` on Ctrl-D, and with the reason of the signal. */
  ask(text: string, { typed = '', isSecret = false }: AskOptions = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#signal.removeEventListener('abort', onabort);
        this.#lines.off('close', onclose);
        this.#isSecret = false;
        settle();
      };
      const onabort = (): void => {
        this.#io.stderr.write('\n');
        end(() => reject(this.#signal.reason as Error));
      };
      const onclose = (): void => {
        this.#io.stderr.write('\n');
        end(() => reject(new LeftError('The question was left.')));
      };
      if (this.#signal.aborted) return onabort();
      const ahead = this.#ahead.shift();
      if (ahead !== undefined) {
        this.say(text);
        return resolve(ahead.trim());
      }
      if (this.#isClosed) return onclose();
      this.#signal.addEventListener('abort', onabort, { once: true });
      this.#lines.once('close', onclose);
      if (isSecret) this.#io.stderr.write(`${text} `);
      this.#isSecret = isSecret;
      this.#lines.question(`${text} `, (line) => {
        if (isSecret) this.#io.stderr.write('\n');
        end(() => resolve(line.trim()));
      });
      if (typed !== '') this.#lines.write(typed);
    });
  }

  /** Asks until one of the words is typed. */
  async choose<Word extends string>(words: readonly Word[]): Promise<Word> {
    for (;;) {
      const typed = (await this.ask(`[${words.join(' / ')}]`)).toLowerCase();
      const found = words.find((word) => word === typed);
      if (found !== undefined) return found;
      this.say(`Type one of: ${words.join(', ')}.`);
    }
  }

  close(): void {
    this.#lines.close();
  }

  /** stderr as readline sees it: it says nothing while a secret is typed. */
  #echo(): Writable {
    const { stderr } = this.#io;
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#isSecret) stderr.write(chunk as Buffer);
        done();
      },
    });
    return Object.defineProperty(echo, 'columns', { get: () => stderr.columns });
  }
}
