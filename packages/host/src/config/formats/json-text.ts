import { isObject, type Json } from '../../values/json.ts';

/** A place in a text; both from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface ParsedJson {
  readonly value: Json;
  /** Where the member stands that a JSON pointer names, or the nearest one above it that there is. */
  placeOf(pointer: string): TextPlace;
}

export interface JsonTextOptions {
  /** Whether comments and commas before a closing bracket are part of the format. */
  readonly allowsComments: boolean;
}

/** A text that is no JSON, with the place of the first fault. */
export class JsonTextError extends SyntaxError {
  override readonly name = 'JsonTextError';
  readonly place: TextPlace;

  constructor(message: string, place: TextPlace) {
    super(message);
    this.place = place;
  }
}

const MAX_DEPTH = 64;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z]+/y;
const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Reads JSON and remembers where each member stands. A key that comes twice is refused, and so is `__proto__`: two readers could take two
 * meanings from either. Throws `JsonTextError`.
 */
export function parseJsonText(text: string, options: JsonTextOptions): ParsedJson {
  const reader = new JsonTextReader(text.startsWith('\uFEFF') ? text.slice(1) : text, options.allowsComments);
  const value = reader.read();
  return { value, placeOf: (pointer) => reader.placeOf(value, pointer) };
}

class JsonTextReader {
  readonly #text: string;
  readonly #allowsComments: boolean;
  readonly #offsets = new WeakMap<object, Map<string, number>>();
  #lineStarts: readonly number[] | undefined;
  #at = 0;

  constructor(text: string, allowsComments: boolean) {
    this.#text = text;
    this.#allowsComments = allowsComments;
  }

  read(): Json {
    const value = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#fail('Text follows the end of the JSON value.');
    return value;
  }

  placeOf(root: Json, pointer: string): TextPlace {
    let offset = 0;
    let value: Json | undefined = root;
    for (const step of pointer.split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof value !== 'object' || value === null) break;
      const found = this.#offsets.get(value)?.get(key);
      if (found === undefined) break;
      offset = found;
      value = isObject(value) ? value[key] : value[Number(key)];
    }
    return this.#placeAt(offset);
  }

  #value(depth: number): Json {
    this.#skip();
    if (depth > MAX_DEPTH) this.#fail(`Values are nested more than ${MAX_DEPTH} deep.`);
    const character = this.#text[this.#at];
    if (character === undefined) this.#fail('The JSON value ends too early.');
    if (character === '{') return this.#object(depth);
    if (character === '[') return this.#array(depth);
    if (character === '"') return this.#string();
    return this.#word();
  }

  #object(depth: number): Json {
    const object: Record<string, Json> = {};
    const offsets = new Map<string, number>();
    this.#offsets.set(object, offsets);
    this.#list('}', () => {
      const start = this.#at;
      if (this.#text[start] !== '"') this.#fail('A key in double quotes is missing.');
      const key = this.#string();
      if (key === '__proto__') this.#fail('The key "__proto__" is refused.', start);
      if (offsets.has(key)) this.#fail('The key comes twice in its object.', start);
      offsets.set(key, start);
      this.#skip();
      if (this.#text[this.#at] !== ':') this.#fail('A colon is missing after the key.');
      this.#at += 1;
      object[key] = this.#value(depth + 1);
    });
    return object;
  }

  #array(depth: number): Json {
    const array: Json[] = [];
    const offsets = new Map<string, number>();
    this.#offsets.set(array, offsets);
    this.#list(']', () => {
      offsets.set(String(array.length), this.#at);
      array.push(this.#value(depth + 1));
    });
    return array;
  }

  /** Reads members until the closing bracket. */
  #list(end: string, readMember: () => void): void {
    this.#at += 1;
    this.#skip();
    for (let isFirst = true; this.#text[this.#at] !== end; isFirst = false) {
      if (!isFirst) {
        if (this.#text[this.#at] !== ',') this.#fail(`A comma or "${end}" is missing.`);
        const comma = this.#at;
        this.#at += 1;
        this.#skip();
        if (this.#text[this.#at] === end) {
          if (!this.#allowsComments) this.#fail(`A comma before "${end}" is not allowed in this format.`, comma);
          break;
        }
      }
      readMember();
      this.#skip();
    }
    this.#at += 1;
  }

  #string(): string {
    const start = this.#at;
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) {
        this.#at = at + 1;
        return this.#decoded(start);
      }
      if (code < 0x20) this.#fail('A text holds a line end or another control character; write it as an escape.', at);
      if (code === 0x5c) at += 1;
    }
    return this.#fail('A text is not closed by a double quote.', start);
  }

  #decoded(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      return this.#fail('A text holds an escape that JSON does not have.', start);
    }
  }

  #word(): Json {
    const start = this.#at;
    NUMBER.lastIndex = start;
    WORD.lastIndex = start;
    const number = NUMBER.exec(this.#text)?.[0];
    const word = number ?? WORD.exec(this.#text)?.[0] ?? '';
    this.#at += word.length;
    if (number !== undefined) return Number(number);
    const value = WORDS.get(word);
    if (value === undefined) this.#fail('A JSON value is missing here.', start);
    return value;
  }

  /** Skips spaces, and comments where they are allowed. */
  #skip(): void {
    for (;;) {
      const two = this.#text.slice(this.#at, this.#at + 2);
      if (' \t\r\n'.includes(two[0] ?? 'x')) this.#at += 1;
      else if (two === '//' || two === '/*') this.#skipComment(two);
      else return;
    }
  }

  #skipComment(opening: string): void {
    if (!this.#allowsComments) this.#fail('Comments are not allowed in this format.');
    const closing = opening === '//' ? '\n' : '*/';
    const end = this.#text.indexOf(closing, this.#at + 2);
    if (end === -1 && closing === '*/') this.#fail('A comment is not closed.');
    this.#at = end === -1 ? this.#text.length : end + closing.length;
  }

  #placeAt(offset: number): TextPlace {
    this.#lineStarts ??= [0, ...Array.from(this.#text.matchAll(/\n/g), ({ index }) => index + 1)];
    const next = this.#lineStarts.findIndex((start) => start > offset);
    const line = next === -1 ? this.#lineStarts.length : next;
    return { line, column: offset - (this.#lineStarts[line - 1] ?? 0) + 1 };
  }

  #fail(message: string, offset: number = this.#at): never {
    throw new JsonTextError(message, this.#placeAt(offset));
  }
}
