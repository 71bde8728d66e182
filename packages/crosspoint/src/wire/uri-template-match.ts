import { MAX_NAME_LENGTH, encodeText, isUriChar } from './uri-template-syntax.ts';
import type { Expression, Operator, TemplatePart, VariableSpec } from './uri-template-syntax.ts';

/**
 * One step of a match. A value piece takes `lead` and then at least one character up to a stop character; a pairs piece takes any
 * number of `name=value` pairs with known names. Expressions with several variables become several pieces.
 */
type Piece =
  | { readonly kind: 'literal'; readonly text: string }
  | {
      readonly kind: 'value';
      readonly spec: VariableSpec;
      readonly lead: string;
      readonly stops: string;
      readonly separator: string;
      readonly optional: boolean;
    }
  | {
      readonly kind: 'pairs';
      readonly specs: ReadonlyMap<string, VariableSpec>;
      readonly lead: string;
      readonly separator: string;
      readonly stops: string;
    };

export type Pieces = readonly Piece[];

/** Receives the variable of a piece and its undecoded text. */
type Take = (spec: VariableSpec, raw: string, separator: string) => void;

export const MAX_URI_LENGTH: number = 64 * 1024;
const PLAIN_URI = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;
const VALUE_STOPS = '/?#&';
const SEPARATORS: Readonly<Record<Operator, string>> = {
  '': ',',
  '+': ',',
  '#': ',',
  '.': '.',
  '/': '/',
  ';': ';',
  '?': '&',
  '&': '&',
};

export function compilePieces(parts: readonly TemplatePart[]): Pieces {
  const pieces: Piece[] = [];
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') pieces.push({ kind: 'literal', text: part });
    else if (part.operator === ';' || part.operator === '?' || part.operator === '&') pieces.push(pairsPiece(part));
    else pieces.push(...valuePieces(part, stopsOf(part.operator, parts.slice(index + 1))));
  }
  return pieces;
}

/** A reserved expression runs over every separator, except over the one with which a later expression of the template begins. */
function stopsOf(operator: Operator, later: readonly TemplatePart[]): string {
  if (operator === '#') return '';
  if (operator !== '+') return VALUE_STOPS;
  return ['?', '#'].filter((lead) => later.some((part) => typeof part !== 'string' && part.operator === lead)).join('');
}

function pairsPiece({ operator, variables }: Expression): Piece {
  return {
    kind: 'pairs',
    specs: new Map(variables.map((spec) => [spec.name, spec])),
    lead: operator,
    separator: SEPARATORS[operator],
    stops: operator === ';' ? ';/?#&' : '&#',
  };
}

function valuePieces({ operator, variables }: Expression, stops: string): Piece[] {
  const separator = SEPARATORS[operator];
  return variables.map((spec, index) => {
    const isFirst = index === 0;
    // The separator ends a value only where a second value can follow: `{.ext}` takes "tar.gz" whole.
    const splits = variables.length > 1 && !spec.explode && !(index === variables.length - 1 && stops !== VALUE_STOPS);
    return {
      kind: 'value',
      spec,
      lead: isFirst ? (operator === '+' ? '' : operator) : separator,
      stops: spec.explode ? withoutChar(stops, separator) : splits ? stops + separator : stops,
      separator,
      optional: !isFirst || operator === '#',
    };
  });
}

function withoutChar(chars: string, char: string): string {
  return chars.replace(char, '');
}

/**
 * The variables of a URI, or null. Every piece gets a row that says, for each position from which the rest can be matched, where
 * the piece ends; rows are built from the last piece to the first, each in one pass. So the work is (length + 1) × pieces whatever
 * the input, where trying alternatives one after the other could be made to take exponential time. The longest end wins.
 */
export function matchPieces(pieces: Pieces, uri: string): Record<string, string | string[]> | null {
  if (uri.length > MAX_URI_LENGTH) return null;
  const first = pieces[0];
  const text = PLAIN_URI.test(uri) ? uri : encodeText(uri, isUriChar);
  if (first?.kind === 'literal' && !text.startsWith(first.text)) return null;
  const rows: Int32Array[] = [];
  let next = new Int32Array(text.length + 1).fill(-1);
  next[text.length] = text.length;
  for (const piece of pieces.toReversed()) {
    next = rowOf(piece, text, next);
    rows.push(next);
  }
  if (next[0] === -1) return null;
  const values = new Values();
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const end = rows[pieces.length - 1 - index]?.[at] ?? -1;
    take(piece, text.slice(at, end), (spec, raw, separator) => values.add(spec, raw, separator));
    at = end;
  }
  return values.result();
}

function rowOf(piece: Piece, text: string, next: Int32Array): Int32Array<ArrayBuffer> {
  if (piece.kind === 'literal') return literalRow(piece.text, text, next);
  return piece.kind === 'value' ? valueRow(piece, text, next) : pairsRow(piece, text, next);
}

function literalRow(literal: string, text: string, next: Int32Array): Int32Array<ArrayBuffer> {
  const row = new Int32Array(text.length + 1).fill(-1);
  const fallbacks = fallbacksOf(literal);
  // Knuth, Morris and Pratt: `indexOf` may compare the whole literal again at every position.
  for (let at = 0, matched = 0; at < text.length; at++) {
    matched = extend(literal, fallbacks, matched, text.charAt(at));
    if (matched < literal.length) continue;
    if (next[at + 1] !== -1) row[at + 1 - matched] = at + 1;
    matched = fallbacks[matched - 1] ?? 0;
  }
  return row;
}

function fallbacksOf(literal: string): Int32Array {
  const fallbacks = new Int32Array(literal.length);
  for (let at = 1; at < literal.length; at++) {
    fallbacks[at] = extend(literal, fallbacks, fallbacks[at - 1] ?? 0, literal.charAt(at));
  }
  return fallbacks;
}

/** Number of characters of the literal's start that are matched after one more character. */
function extend(literal: string, fallbacks: Int32Array, matched: number, char: string): number {
  let length = matched;
  while (length > 0 && literal.charAt(length) !== char) length = fallbacks[length - 1] ?? 0;
  return literal.charAt(length) === char ? length + 1 : length;
}

function valueRow(piece: Piece & { kind: 'value' }, text: string, next: Int32Array): Int32Array<ArrayBuffer> {
  const row = new Int32Array(text.length + 1).fill(-1);
  const lead = piece.lead.length;
  // Walking backwards: the furthest position up to the next stop character from which the rest matches.
  let furthest = -1;
  for (let at = text.length; at >= 0; at--) {
    const start = at + lead;
    if (start < text.length && isOneOf(text, start, piece.stops)) furthest = next[start] === -1 ? -1 : start;
    else if (start <= text.length && furthest === -1 && next[start] !== -1) furthest = start;
    const leads = lead === 0 || text.startsWith(piece.lead, at);
    if (leads && furthest > start) row[at] = furthest;
    else if (piece.optional && next[at] !== -1) row[at] = at;
  }
  return row;
}

function pairsRow(piece: Piece & { kind: 'pairs' }, text: string, next: Int32Array): Int32Array<ArrayBuffer> {
  const row = new Int32Array(text.length + 1).fill(-1);
  const chain = new Int32Array(text.length + 1).fill(-1);
  let stop = text.length;
  let nameEnd = text.length;
  for (let at = text.length; at >= 0; at--) {
    if (text[at] === piece.separator || text[at] === piece.lead) {
      const end = Math.min(nameEnd, stop);
      if (end - at <= MAX_NAME_LENGTH + 1 && piece.specs.has(text.slice(at + 1, end))) {
        const onward = text[stop] === piece.separator ? chain[stop] : -1;
        chain[at] = onward !== undefined && onward !== -1 ? onward : next[stop] === -1 ? -1 : stop;
      }
    }
    const taken = text[at] === piece.lead ? chain[at] : -1;
    row[at] = taken !== undefined && taken !== -1 ? taken : next[at] === -1 ? -1 : at;
    if (at < text.length && isOneOf(text, at, piece.stops)) stop = at;
    if (stop === at || text[at] === '=') nameEnd = at;
  }
  return row;
}

function isOneOf(text: string, at: number, chars: string): boolean {
  return chars !== '' && chars.includes(text.charAt(at));
}

function take(piece: Piece, taken: string, add: Take): void {
  if (piece.kind === 'literal' || taken === '') return;
  if (piece.kind === 'value') return add(piece.spec, taken.slice(piece.lead.length), piece.separator);
  for (const pair of taken.slice(1).split(piece.separator)) {
    const equals = pair.indexOf('=');
    const spec = piece.specs.get(equals === -1 ? pair : pair.slice(0, equals));
    if (spec !== undefined) add(spec, equals === -1 ? '' : pair.slice(equals + 1), ',');
  }
}

/** Collects values; a variable that would have to be two things at once makes the whole match fail. */
class Values {
  readonly #values = new Map<string, string | string[]>();
  readonly #prefixes: [name: string, prefix: string][] = [];
  #isContradictory = false;

  add(spec: VariableSpec, raw: string, separator: string): void {
    if (spec.prefix !== undefined) {
      const text = decode(raw);
      if (Array.from(text).length > spec.prefix) this.#isContradictory = true;
      this.#prefixes.push([spec.name, text]);
      return;
    }
    const known = this.#values.get(spec.name);
    if (spec.explode) {
      const items = raw
        .split(separator)
        .flatMap((part) => part.split(','))
        .map(decode);
      if (!Array.isArray(known)) this.#values.set(spec.name, items);
      else for (const item of items) known.push(item);
      return;
    }
    const text = decode(raw);
    if (known !== undefined && known !== text) this.#isContradictory = true;
    this.#values.set(spec.name, text);
  }

  result(): Record<string, string | string[]> | null {
    for (const [name, prefix] of this.#prefixes) {
      const whole = this.#values.get(name) ?? prefix;
      if (typeof whole !== 'string' || !whole.startsWith(prefix)) return null;
      this.#values.set(name, whole);
    }
    return this.#isContradictory ? null : Object.fromEntries(this.#values);
  }
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
