import { YamlError } from './yaml-error.ts';
import type { YamlSource } from './yaml-source.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\u0007',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\u001b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
};
const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** What a plain scalar means in the core schema of YAML 1.2. `undefined`: nothing that JSON could say. */
export function resolvePlain(text: string): string | number | boolean | null | undefined {
  if (/^(?:null|Null|NULL|~|)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (/^0o[0-7]+$/.test(text) || /^0x[0-9a-fA-F]+$/.test(text)) return Number(text);
  if (/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  return /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(text) ? undefined : text;
}

/** Joins the lines of a scalar that may be broken: one break is a space, each further one a line. */
export function foldLines(lines: readonly string[]): string {
  let text = lines[0] ?? '';
  let empty = 0;
  for (const line of lines.slice(1)) {
    if (line === '') {
      empty += 1;
      continue;
    }
    text += (empty === 0 ? ' ' : '\n'.repeat(empty)) + line;
    empty = 0;
  }
  return text + '\n'.repeat(empty);
}

export interface ReadScalar {
  readonly value: string;
  /** Just behind it. */
  readonly end: number;
}

/** A quoted scalar that begins at `start`. Lines that it runs over must be indented by more than `indent`. */
export function readQuoted(source: YamlSource, start: number, indent: number): ReadScalar {
  return source.text[start] === "'" ? readSingle(source, start, indent) : readDouble(source, start, indent);
}

function readSingle(source: YamlSource, start: number, indent: number): ReadScalar {
  const { text } = source;
  let at = start + 1;
  for (; ; at += 1) {
    if (at >= text.length) source.fail('a quote is not closed', start);
    if (text[at] !== "'") continue;
    if (text[at + 1] !== "'") break;
    at += 1;
  }
  const lines = quotedLines(source, start + 1, at, indent);
  return { value: foldQuoted(lines).replaceAll("''", "'"), end: at + 1 };
}

function readDouble(source: YamlSource, start: number, indent: number): ReadScalar {
  const { text } = source;
  let at = start + 1;
  for (; text[at] !== '"'; at += text[at] === '\\' ? 2 : 1)
    if (at >= text.length) source.fail('a quote is not closed', start);
  const lines = quotedLines(source, start + 1, at, indent);
  return { value: unescaped(source, start, lines), end: at + 1 };
}

/** The lines between the quotes, those after the first without what indents them. */
function quotedLines(source: YamlSource, start: number, end: number, indent: number): string[] {
  const lines = source.text.slice(start, end).split('\n');
  lines.forEach((line, index) => {
    if (index > 0 && line.trim() !== '' && line.length - line.replace(/^ +/, '').length <= indent)
      source.fail('a quoted text goes on with too little indentation', start);
  });
  return lines.map((line, index) => (index === 0 ? line : line.replace(/^[ \t]+/, '')));
}

/** Blanks at the breaks are nothing; those at both ends of the whole are part of it. */
function foldQuoted(lines: readonly string[]): string {
  return foldLines(lines.map((line, index) => (index === lines.length - 1 ? line : line.replace(/[ \t]+$/, ''))));
}

function unescaped(source: YamlSource, start: number, lines: readonly string[]): string {
  // A break that is escaped joins its lines with nothing between them.
  const parts: string[][] = [[]];
  for (const [index, line] of lines.entries()) {
    const isEscaped = index < lines.length - 1 && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    parts.at(-1)?.push(isEscaped ? line.slice(0, -1) : line);
    if (isEscaped) parts.push([]);
  }
  const folded = parts.map((part, index) => (index < parts.length - 1 ? foldLines(part) : foldQuoted(part))).join('');
  return folded.replace(/\\(?:([xuU])([0-9a-fA-F]*)|([\s\S]))/g, (_all, kind?: string, hex = '', single = '') => {
    if (kind === undefined) return ESCAPES[single] ?? source.fail(`"\\${single}" is no escape`, start);
    const length = HEX_LENGTH[kind] ?? 0;
    const code = Number.parseInt(hex.slice(0, length), 16);
    if (hex.length < length || code > 0x10ffff) source.fail(`"\\${kind}" needs ${length} hexadecimal digits`, start);
    return String.fromCodePoint(code) + hex.slice(length);
  });
}

const HEADER = /^([|>])([+-]?)([1-9]?)([+-]?)[ \t]*(?: #.*)?$/;

/** A block scalar whose header is the rest of a line; `indent` is that of what it belongs to. The source moves behind it. */
export function readBlockScalar(source: YamlSource, start: number, end: number, indent: number): string {
  const [, style, before, width, after] =
    HEADER.exec(source.text.slice(start, end)) ?? source.fail('a block text has a wrong head', start);
  if (before !== '' && after !== '') source.fail('a block text has two signs for its end', start);
  const first = source.lineOf(start) + 1;
  const own = width === '' ? detectedIndent(source, first, indent) : indent + Number(width) + (indent < 0 ? 1 : 0);
  const lines: string[] = [];
  let index = first;
  for (; index < source.count; index += 1) {
    const raw = source.raw(index);
    const spaces = raw.length - raw.replace(/^ +/, '').length;
    if (spaces < own && raw.trim() !== '') break;
    lines.push(raw.slice(own));
  }
  source.moveTo(index);
  return joinBlock(lines, style === '>', (before || after) ?? '');
}

function detectedIndent(source: YamlSource, first: number, indent: number): number {
  let blank = 0;
  for (let index = first; index < source.count; index += 1) {
    const raw = source.raw(index);
    const spaces = raw.length - raw.replace(/^ +/, '').length;
    if (raw.slice(spaces) === '') {
      blank = Math.max(blank, spaces);
      continue;
    }
    if (spaces > indent && blank > spaces)
      throw new YamlError('a block text begins with a blank line that is too long', first);
    return Math.max(spaces, indent + 1);
  }
  return indent + 1;
}

/** Literal lines keep their breaks. Folded ones lose single breaks, except around lines that are indented further. */
function joinBlock(lines: readonly string[], folds: boolean, chomp: string): string {
  let text = '';
  let empty = 0;
  let isFirst = true;
  let wasFurther = false;
  for (const line of lines) {
    if (line === '') {
      empty += 1;
      continue;
    }
    const isFurther = /^[ \t]/.test(line);
    if (isFirst) text += '\n'.repeat(empty);
    else if (!folds || isFurther || wasFurther) text += '\n'.repeat(empty + 1);
    else text += empty === 0 ? ' ' : '\n'.repeat(empty);
    text += line;
    isFirst = false;
    wasFurther = isFurther;
    empty = 0;
  }
  if (chomp === '+') return text + '\n'.repeat(isFirst ? empty : empty + 1);
  return chomp === '-' || isFirst ? text : `${text}\n`;
}
