import { YamlFlow } from './yaml-flow.ts';
import { foldLines, readBlockScalar, readQuoted, resolvePlain } from './yaml-scalars.ts';
import { YamlSource, type YamlLine } from './yaml-source.ts';

const MAX_DEPTH = 32;
/** A plain key, up to the colon that ends it. */
const PLAIN_KEY =
  /^(?![,[\]{}#&*!|>'"%@`]|[-?:](?:[ \t]|$))((?:[^:#\n]|:(?![ \t\n]|$)|(?<![ \t])#)*?)[ \t]*:(?=[ \t\n]|$)/;
const NOT_PLAIN = /^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?=[ \t]|$))/;

/**
 * The JSON value of a YAML text: maps, lists, and texts in all their styles, with the types of the core schema of YAML 1.2. Anchors, aliases,
 * tags, directives, several documents and keys that are no texts are refused: front matter has no need of them, and a text that
 * is to be compared with what somebody else read of it should have one meaning.
 */
export function readYaml(text: string): unknown {
  const reader = new YamlReader(text.replaceAll('\r\n', '\n'));
  return reader.read();
}

class YamlReader {
  readonly #source: YamlSource;
  /** A line of which the beginning has been read. */
  #rest: YamlLine | undefined;

  constructor(text: string) {
    this.#source = new YamlSource(text);
  }

  read(): unknown {
    const value = this.#node(-1, 0);
    const left = this.#peek();
    if (left) this.#source.fail('this belongs to nothing above it', left.start);
    return value;
  }

  #peek(): YamlLine | undefined {
    return this.#rest ?? this.#source.peek();
  }

  /** The next line is done with. */
  #take(line: YamlLine): void {
    this.#rest = undefined;
    this.#source.moveTo(line.number);
  }

  #textOf({ start, end }: YamlLine): string {
    return this.#source.text.slice(start, end);
  }

  /** What is indented by more than `indent`; `null` when nothing is. */
  #node(indent: number, depth: number): unknown {
    const line = this.#peek();
    if (line === undefined || line.indent <= indent) return null;
    if (depth > MAX_DEPTH) this.#source.fail('it is nested too deeply', line.start);
    const text = this.#textOf(line);
    if (/^-(?:[ \t]|$)/.test(text)) return this.#list(line.indent, depth);
    return this.#keyOf(line) === undefined ? this.#value(line, indent) : this.#map(line.indent, depth);
  }

  #list(indent: number, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.#peek(); line !== undefined && line.indent >= indent; line = this.#peek()) {
      const [dash] = /^-(?:[ \t]+|$)/.exec(this.#textOf(line)) ?? [];
      if (line.indent > indent || dash === undefined) {
        if (line.indent > indent) this.#source.fail('this is indented like nothing above it', line.start);
        break;
      }
      items.push(this.#behind(line, dash.length, depth));
    }
    return items;
  }

  /** What follows a dash: on the same line, as if it began a line of its own, or below. */
  #behind(line: YamlLine, width: number, depth: number): unknown {
    const start = line.start + width;
    if (start >= line.end || this.#source.text[start] === '#') {
      this.#take(line);
      return this.#node(line.indent, depth + 1);
    }
    this.#rest = { ...line, indent: line.indent + width, start };
    return this.#node(line.indent, depth + 1);
  }

  #map(indent: number, depth: number): Record<string, unknown> {
    const members = new Map<string, unknown>();
    for (let line = this.#peek(); line !== undefined && line.indent >= indent; line = this.#peek()) {
      if (line.indent > indent) this.#source.fail('this is indented like nothing above it', line.start);
      const found = this.#keyOf(line);
      if (found === undefined) {
        if (/^-(?:[ \t]|$)/.test(this.#textOf(line))) break;
        return this.#source.fail('a key and a colon are missing', line.start);
      }
      if (members.has(found.key)) this.#source.fail(`the key "${found.key}" is there twice`, line.start);
      members.set(found.key, this.#member(line, found.end, depth));
    }
    return Object.fromEntries(members);
  }

  #member(line: YamlLine, end: number, depth: number): unknown {
    const [blank = ''] = /^[ \t]*(?:#.*)?/.exec(this.#source.text.slice(end, line.end)) ?? [];
    const start = end + blank.length;
    if (start < line.end) return this.#value({ ...line, start }, line.indent);
    this.#take(line);
    const below = this.#peek();
    // A list may stand as far left as the key it belongs to.
    const isList = below?.indent === line.indent && /^-(?:[ \t]|$)/.test(this.#textOf(below));
    return isList ? this.#list(line.indent, depth + 1) : this.#node(line.indent, depth + 1);
  }

  /** The key that a line begins with, and where the colon behind it ends. */
  #keyOf(line: YamlLine): { key: string; end: number } | undefined {
    const text = this.#textOf(line);
    if (text[0] === '"' || text[0] === "'") {
      const { value, end } = readQuoted(this.#source, line.start, line.indent);
      const [colon] = /^[ \t]*:(?=[ \t\n]|$)/.exec(this.#source.text.slice(end, line.end)) ?? [];
      return colon === undefined || end > line.end ? undefined : { key: value, end: end + colon.length };
    }
    const [all, key] = PLAIN_KEY.exec(text) ?? [];
    return all === undefined || key === undefined ? undefined : { key, end: line.start + all.length };
  }

  /** A value that begins where the line does; it may go on below, indented by more than `indent`. */
  #value(line: YamlLine, indent: number): unknown {
    const char = this.#source.text[line.start] ?? '';
    this.#rest = undefined;
    if (char === '|' || char === '>') return readBlockScalar(this.#source, line.start, line.end, indent);
    if (char === '"' || char === "'") {
      const { value, end } = readQuoted(this.#source, line.start, indent);
      this.#endAt(end);
      return value;
    }
    if (char === '[' || char === '{') {
      const flow = new YamlFlow(this.#source, line.start, indent);
      const value = flow.read();
      this.#endAt(flow.end);
      return value;
    }
    return this.#plain(line, indent);
  }

  /** Nothing but a comment may follow on the line. */
  #endAt(end: number): void {
    const index = this.#source.lineOf(end);
    const lineEnd = this.#source.text.indexOf('\n', end);
    const rest = this.#source.text.slice(end, lineEnd === -1 ? undefined : lineEnd);
    if (!/^(?:[ \t]+#.*|[ \t]*)$/.test(rest)) this.#source.fail('something follows that does not belong there', end);
    this.#source.moveTo(index + 1);
  }

  #plain(line: YamlLine, indent: number): unknown {
    const first = this.#textOf(line);
    if (NOT_PLAIN.test(first)) this.#source.fail(`"${first[0]}" cannot begin a text; put it in quotes`, line.start);
    const lines = [first];
    let index = line.number;
    for (; !hasComment(lines.at(-1) ?? '') && index < this.#source.count; index += 1) {
      const raw = this.#source.raw(index);
      const rest = raw.replace(/^[ \t]+/, '');
      const spaces = raw.length - raw.replace(/^ +/, '').length;
      if (rest !== '' && (spaces <= indent || rest.startsWith('#'))) break;
      lines.push(rest);
    }
    // Blank lines behind the text are no part of it.
    while (lines.length > 1 && lines.at(-1) === '') lines.pop();
    this.#source.moveTo(index);
    const text = foldLines(lines.map((part) => part.replace(/[ \t]+#.*$/, '').trim()));
    if (/:(?=[ \t\n]|$)/.test(lines.join('\n').replace(/[ \t]#.*$/gm, '')))
      this.#source.fail('a colon followed by a blank must stand in quotes', line.start);
    const value = resolvePlain(text);
    return value === undefined ? this.#source.fail(`${text} has no meaning in JSON`, line.start) : value;
  }
}

const hasComment = (line: string): boolean => /[ \t]#/.test(line);
