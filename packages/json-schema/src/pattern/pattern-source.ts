import type { CharSet } from './char-set.ts';

/** The meaning of an escape: one code point, or a set of them. */
export type Escape = number | CharSet;

export class PatternSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PatternSyntaxError';
  }
}

/** A cursor over the pattern that moves by code points. */
export class PatternSource {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  done(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The next character, or the empty string at the end. */
  peek(): string {
    const point = this.#text.codePointAt(this.#at);
    return point === undefined ? '' : String.fromCodePoint(point);
  }

  peekAfter(): string {
    return this.#text.charAt(this.#at + this.peek().length);
  }

  next(): string {
    const char = this.peek();
    if (char === '') throw new PatternSyntaxError('it ends in an escape');
    this.#at += char.length;
    return char;
  }

  eat(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** Consumes the match of a sticky expression at the current position. */
  eatMatch(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}
