import { hiding } from '../values/hidden-values.ts';
import { visibleText } from '../values/visible-text.ts';
import type { LogLevel } from './bridge-command.ts';

const LONGEST = 8000;

/** Writes to stderr, one line or more for each message. Secrets are masked, and unseen characters written as their codes. */
export class Log {
  readonly #level: LogLevel;
  readonly #write: (text: string) => void;
  readonly #secrets: () => Iterable<string>;

  constructor(level: LogLevel, write: (text: string) => void, secrets: () => Iterable<string>) {
    this.#level = level;
    this.#write = write;
    this.#secrets = secrets;
  }

  /** A failure; shown at every level. */
  problem(message: string): void {
    this.#line(`bridge: ${message}`);
  }

  /** Something to know, once. */
  note(message: string): void {
    if (this.#level !== 'quiet') this.#line(`bridge: ${message}`);
  }

  /** Something that happens often. */
  detail(message: string): void {
    if (this.#level === 'verbose') this.#line(`bridge: ${message}`);
  }

  /** A line that the server wrote to its stderr. */
  server(line: string, pid: number | null): void {
    if (this.#level !== 'quiet') this.#line(`server ${pid ?? ''}: ${line}`);
  }

  #line(text: string): void {
    const hidden = hiding(this.#secrets())(text);
    this.#write(`${visibleText(hidden.length > LONGEST ? `${hidden.slice(0, LONGEST)} …` : hidden)}\n`);
  }
}
