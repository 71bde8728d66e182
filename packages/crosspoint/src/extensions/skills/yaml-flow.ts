import { foldLines, readQuoted, resolvePlain } from './yaml-scalars.ts';
import type { YamlSource } from './yaml-source.ts';

const MAX_DEPTH = 32;

/** Reads what stands in brackets or braces; it may run over lines. */
export class YamlFlow {
  readonly #source: YamlSource;
  readonly #indent: number;
  #at: number;

  constructor(source: YamlSource, start: number, indent: number) {
    this.#source = source;
    this.#at = start;
    this.#indent = indent;
  }

  /** Just behind what was read. */
  get end(): number {
    return this.#at;
  }

  read(depth = 0): unknown {
    if (depth > MAX_DEPTH) this.#fail('it is nested too deeply');
    const char = this.#peek();
    if (char === '[') return this.#list(depth);
    if (char === '{') return this.#map(depth);
    return this.#scalar();
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    for (this.#blank(); this.#peek() !== ']'; this.#blank()) {
      items.push(this.read(depth + 1));
      this.#blank();
      if (this.#peek() === ':') this.#fail('a pair in a list must stand in braces');
      this.#separate(']');
    }
    this.#at += 1;
    return items;
  }

  #map(depth: number): Record<string, unknown> {
    const members = new Map<string, unknown>();
    this.#at += 1;
    for (this.#blank(); this.#peek() !== '}'; this.#blank()) {
      if ('[{'.includes(this.#peek())) this.#fail('a key must be a text');
      const key = this.#key();
      if (members.has(key)) this.#fail(`the key "${key}" is there twice`);
      this.#blank();
      const hasValue = this.#peek() === ':';
      if (hasValue) this.#at += 1;
      this.#blank();
      members.set(key, hasValue && !',}'.includes(this.#peek()) ? this.read(depth + 1) : null);
      this.#blank();
      this.#separate('}');
    }
    this.#at += 1;
    return Object.fromEntries(members);
  }

  #key(): string {
    return '"\''.includes(this.#peek()) ? this.#quoted() : this.#plain();
  }

  #separate(close: string): void {
    if (this.#peek() === ',') this.#at += 1;
    else if (this.#peek() !== close) this.#fail(`"," or "${close}" is missing`);
  }

  #scalar(): unknown {
    if ('"\''.includes(this.#peek())) return this.#quoted();
    const text = this.#plain();
    const value = resolvePlain(text);
    return value === undefined ? this.#fail(`${text} has no meaning in JSON`) : value;
  }

  #quoted(): string {
    const { value, end } = readQuoted(this.#source, this.#at, this.#indent);
    this.#at = end;
    return value;
  }

  #plain(): string {
    const { text } = this.#source;
    const start = this.#at;
    if (/^(?:[,\]}#&*!|>%@`]|[-?:](?=[\s,[\]{}]|$))/.test(text.slice(start, start + 2)))
      this.#fail(`"${text[start]}" cannot begin a text`);
    let end = start;
    for (; end < text.length && !',[]{}'.includes(text[end] ?? ''); end += 1) {
      if (text[end] === ':' && /[\s,[\]{}]|^$/.test(text[end + 1] ?? '')) break;
      if (text[end] === '#' && /\s/.test(text[end - 1] ?? '')) break;
    }
    this.#at = end;
    return foldLines(
      text
        .slice(start, end)
        .trimEnd()
        .split('\n')
        .map((line) => line.trim()),
    );
  }

  /** Blanks, breaks and comments. */
  #blank(): void {
    const { text } = this.#source;
    for (; this.#at < text.length; this.#at += 1) {
      if (text[this.#at] === '#' && /\s/.test(text[this.#at - 1] ?? '')) {
        const end = text.indexOf('\n', this.#at);
        this.#at = end === -1 ? text.length : end;
      }
      if (!/\s/.test(text[this.#at] ?? '.')) return;
      if (text[this.#at] === '\n') this.#refuseOutdent(this.#at + 1);
    }
  }

  #refuseOutdent(start: number): void {
    const line = this.#source.raw(this.#source.lineOf(start));
    const rest = line.replace(/^ +/, '');
    if (rest.trim() !== '' && line.length - rest.length <= this.#indent)
      this.#fail('what stands in brackets goes on with too little indentation');
  }

  #peek(): string {
    return this.#source.text[this.#at] ?? this.#fail('a bracket is not closed');
  }

  #fail(what: string): never {
    return this.#source.fail(what, Math.min(this.#at, Math.max(0, this.#source.text.length - 1)));
  }
}
