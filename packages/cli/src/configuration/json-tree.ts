import { jsonTokens, type JsonToken } from '../values/json-tokens.ts';

/** A value in a text of JSON with comments, and where it stands. */
export interface JsonNode {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  /** Of an object, in their order. */
  readonly members?: readonly JsonMember[];
  /** Of a list. */
  readonly items?: readonly JsonNode[];
}

export interface JsonMember {
  readonly key: string;
  /** Of the key. */
  readonly start: number;
  readonly value: JsonNode;
  /** Where the comma behind it is; absent where there is none. */
  readonly comma?: number;
}

/** Where everything stands in a text that was read without a fault before. Throws `SyntaxError` for others. */
export function readJsonTree(text: string): JsonNode {
  return new TreeReader(jsonTokens(text)).value();
}

export interface Place {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** The line and the column of the member that a JSON pointer names, or of the nearest one above it. */
export function placeOf(text: string, pointer: string): Place {
  let at = 0;
  let node: JsonNode | undefined = readJsonTree(text);
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const member: JsonMember | undefined = node?.members?.find((one) => one.key === key);
    const next: JsonNode | undefined = member?.value ?? node?.items?.[Number(key)];
    if (next === undefined) break;
    at = member?.start ?? next.start;
    node = next;
  }
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}

export function isWithin(text: string, at: number): boolean {
  return at >= 0 && at < text.length;
}

class TreeReader {
  readonly #tokens: readonly JsonToken[];
  #at = 0;

  constructor(tokens: readonly JsonToken[]) {
    this.#tokens = tokens;
  }

  value(): JsonNode {
    const first = this.#take();
    if (first.text === '{') return this.#object(first.start);
    if (first.text === '[') return this.#list(first.start);
    return { start: first.start, end: first.start + first.text.length };
  }

  #object(start: number): JsonNode {
    const members: JsonMember[] = [];
    while (this.#peek() !== '}') {
      const key = this.#take();
      this.#take();
      const value = this.value();
      const comma = this.#peek() === ',' ? { comma: this.#take().start } : {};
      members.push({ key: JSON.parse(key.text) as string, start: key.start, value, ...comma });
    }
    return { start, end: this.#take().start + 1, members };
  }

  #list(start: number): JsonNode {
    const items: JsonNode[] = [];
    while (this.#peek() !== ']') {
      items.push(this.value());
      if (this.#peek() === ',') this.#take();
    }
    return { start, end: this.#take().start + 1, items };
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]?.text;
  }

  #take(): JsonToken {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new SyntaxError('The JSON value ends too early.');
    this.#at += 1;
    return token;
  }
}
