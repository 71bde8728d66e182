/** The expression operators of RFC 6570; the empty string is simple expansion. */
export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

export interface VariableSpec {
  readonly name: string;
  readonly explode: boolean;
  /** `{name:3}`: the maximum number of characters of the value. */
  readonly prefix: number | undefined;
}

export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly VariableSpec[];
}

/** A literal is kept in the form it has in a URI: characters that a URI cannot hold are percent-encoded. */
export type TemplatePart = string | Expression;

export const MAX_TEMPLATE_LENGTH: number = 64 * 1024;
export const MAX_VARIABLES = 64;
export const MAX_NAME_LENGTH = 256;
const OPERATORS = '+#./;?&';
const RESERVED_OPERATORS = '=,!@|';

export function parseTemplate(template: string): readonly TemplatePart[] {
  if (template.length > MAX_TEMPLATE_LENGTH) {
    throw new TypeError(
      `The URI template has ${template.length} characters, and ${MAX_TEMPLATE_LENGTH} are the limit.`,
    );
  }
  const parts: TemplatePart[] = [];
  let variables = 0;
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    const literalEnd = open === -1 ? template.length : open;
    if (literalEnd > at) parts.push(parseLiteral(template, at, literalEnd));
    if (open === -1) break;
    const close = template.indexOf('}', open);
    if (close === -1) throw malformed(template, open, 'the expression is not closed');
    const expression = parseExpression(template, open, close);
    variables += expression.variables.length;
    if (variables > MAX_VARIABLES)
      throw new TypeError(
        `The URI template "${template.slice(0, 80)}" has more than ${MAX_VARIABLES} variables, which is the limit.`,
      );
    parts.push(expression);
    at = close + 1;
  }
  return parts;
}

function parseLiteral(template: string, from: number, to: number): string {
  const literal = template.slice(from, to);
  const stray = literal.indexOf('}');
  if (stray !== -1) throw malformed(template, from + stray, 'a "}" closes nothing');
  return encodeText(literal, isUriChar);
}

function parseExpression(template: string, open: number, close: number): Expression {
  const body = template.slice(open + 1, close);
  const first = body.charAt(0);
  if (first === '') throw malformed(template, open, 'the expression is empty');
  if (RESERVED_OPERATORS.includes(first)) {
    throw malformed(template, open, `the operator "${first}" is reserved for future use`);
  }
  const operator = OPERATORS.includes(first) ? (first as Operator) : '';
  const variables = body
    .slice(operator.length)
    .split(',')
    .map((spec) => parseVariable(spec, () => malformed(template, open, `"${shorten(spec)}" is not a variable`)));
  return { operator, variables };
}

function parseVariable(spec: string, fail: () => TypeError): VariableSpec {
  const explode = spec.endsWith('*');
  const colon = spec.indexOf(':');
  const name = explode ? spec.slice(0, -1) : colon === -1 ? spec : spec.slice(0, colon);
  if (!isVariableName(name)) throw fail();
  if (explode || colon === -1) return { name, explode, prefix: undefined };
  const digits = spec.slice(colon + 1);
  if (!/^[1-9][0-9]{0,3}$/.test(digits)) throw fail();
  return { name, explode, prefix: Number(digits) };
}

function isVariableName(name: string): boolean {
  return (
    name.length <= MAX_NAME_LENGTH && /^(?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+$/.test(name) && !/^\.|\.\.|\.$/.test(name)
  );
}

function malformed(template: string, at: number, what: string): TypeError {
  return new TypeError(`The URI template "${shorten(template)}" is malformed at position ${at}: ${what}.`);
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

export function isUnreserved(char: string): boolean {
  return /^[A-Za-z0-9\-._~]$/.test(char);
}

/** Unreserved, reserved, or the start of a percent triplet (which `encodeText` takes as a whole). */
export function isUriChar(char: string): boolean {
  return isUnreserved(char) || ":/?#[]@!$&'()*+,;=".includes(char);
}

/** Percent-encodes the UTF-8 form of every character that `allowed` refuses. With `isUriChar`, triplets that are there already stay. */
export function encodeText(text: string, allowed: (char: string) => boolean): string {
  const keepTriplets = allowed === isUriChar;
  let encoded = '';
  let at = 0;
  for (const char of text) {
    if (allowed(char) || (keepTriplets && char === '%' && /^[0-9A-Fa-f]{2}$/.test(text.slice(at + 1, at + 3)))) {
      encoded += char;
    } else {
      for (const byte of new TextEncoder().encode(char)) {
        encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      }
    }
    at += char.length;
  }
  return encoded;
}
