import { YamlError } from './yaml-error.ts';

/** One line that says something, without what indents it. */
export interface YamlLine {
  readonly number: number;
  readonly indent: number;
  /** Where its text begins and ends in the source. */
  readonly start: number;
  readonly end: number;
}

const BLANK = /^[ \t]*(?:#.*)?$/;

/** YAML as lines, and a place in it. */
export class YamlSource {
  readonly text: string;
  /** Where each line begins; one more for the end. */
  readonly #starts: number[] = [0];
  #next = 0;

  constructor(text: string) {
    this.text = text;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
    // A break at the very end ends the last line, and begins no other.
    if (!text.endsWith('\n')) this.#starts.push(text.length + 1);
  }

  /** The index of the line that comes next, from 0. */
  get next(): number {
    return this.#next;
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  /** A line as it is written. */
  raw(index: number): string {
    return this.text.slice(this.#starts[index], (this.#starts[index + 1] ?? 0) - 1);
  }

  lineOf(offset: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  moveTo(index: number): void {
    this.#next = index;
  }

  /** The next line that is neither blank nor a comment; it stays the next. */
  peek(): YamlLine | undefined {
    for (; this.#next < this.count; this.#next += 1) {
      const raw = this.raw(this.#next);
      if (!BLANK.test(raw)) return this.#lineAt(this.#next, raw);
    }
    return undefined;
  }

  fail(what: string, offset: number): never {
    throw new YamlError(what, this.lineOf(offset) + 1);
  }

  #lineAt(index: number, raw: string): YamlLine {
    const indent = raw.length - raw.replace(/^ +/, '').length;
    if (raw[indent] === '\t') throw new YamlError('a tab cannot indent', index + 1);
    const start = (this.#starts[index] ?? 0) + indent;
    return { number: index + 1, indent, start, end: (this.#starts[index] ?? 0) + raw.length };
  }
}
