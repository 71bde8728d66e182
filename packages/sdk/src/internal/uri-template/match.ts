import { isQuery, requireLength, type Expression, type Part } from './syntax.ts';

/** A step of a match: `lead`, then at least one character of the value where it has a name. */
interface Step {
  readonly lead: string;
  readonly name?: string;
  readonly stops?: RegExp;
  /** Whether commas make a list of the value. */
  readonly exploded?: boolean;
  /** Whether each comma needs an item on either side. */
  readonly needsItems?: boolean;
}

export function stepsOf(parts: readonly Part[]): readonly Step[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [{ lead: part }] : stepsOfExpression(part)));
}

/** An expression of several variables that is no query takes the first alone, as in v1. */
function stepsOfExpression(expression: Expression): Step[] {
  const { operator, names, exploded } = expression;
  if (isQuery(expression))
    return names.map((name, index) => ({
      lead: `${index === 0 ? operator : '&'}${name}=`,
      name,
      stops: /&/,
      exploded,
    }));
  const [name = ''] = names;
  if (operator === '+' || operator === '#') return [{ lead: '', name, stops: /[\n\r\u2028\u2029]/, exploded }];
  const needsItems = exploded && operator !== '.';
  return [{ lead: operator, name, stops: needsItems ? /\// : /[/,]/, exploded, needsItems }];
}

/**
 * The variables of a URI as they are written in it, or null. For each step, from the last to the first, a row says where its value ends when it begins at a
 * position: the furthest end from which the rest fits. The work is length × steps whatever the URI.
 */
export function matchSteps(steps: readonly Step[], uri: string): Record<string, string | string[]> | null {
  requireLength(uri, 'URI');
  const rows: Int32Array[] = [];
  let next = new Int32Array(uri.length + 1).fill(-1);
  next[uri.length] = uri.length;
  for (const step of steps.toReversed()) rows.unshift((next = rowOf(step, uri, next)));
  const found: Record<string, string | string[]> = {};
  let at = 0;
  for (const [index, { lead, name, exploded }] of steps.entries()) {
    const end = rows[index]?.[at] ?? -1;
    if (end === -1) return null;
    const value = uri.slice(at + lead.length, end);
    if (name) found[name] = exploded && value.includes(',') ? value.split(',') : value;
    at = end;
  }
  return at === uri.length ? found : null;
}

function rowOf(
  { lead, name, stops, needsItems = false }: Step,
  uri: string,
  next: Int32Array,
): Int32Array<ArrayBuffer> {
  const row = new Int32Array(uri.length + 1).fill(-1);
  const isComma = (at: number): boolean => needsItems && uri[at] === ',';
  let furthest = -1;
  for (let start = uri.length; start >= lead.length; start--) {
    const at = start - lead.length;
    if (name === undefined) {
      if (next[start] !== -1 && uri.startsWith(lead, at)) row[at] = start;
      continue;
    }
    if (start < uri.length) {
      if (stops?.test(uri.charAt(start)) || (isComma(start) && isComma(start + 1))) furthest = -1;
      else if (furthest === -1 && next[start + 1] !== -1 && !isComma(start)) furthest = start + 1;
    }
    if (furthest !== -1 && !isComma(start) && uri.startsWith(lead, at)) row[at] = furthest;
  }
  return row;
}
