/** The templates of v1: RFC 6570 in part, and lenient where that is strict. */

export interface Expression {
  readonly operator: string;
  readonly names: readonly string[];
  readonly exploded: boolean;
}

export type Part = string | Expression;

const LONGEST = 1_000_000;
const MOST_EXPRESSIONS = 10_000;
const OPERATORS = '+#./?&';

export function requireLength(text: string, what: string): void {
  if (text.length > LONGEST)
    throw new Error(`${what} exceeds maximum length of ${LONGEST} characters (got ${text.length})`);
}

/** Throws for a template that is too long, or has a brace that is not closed. */
export function parseTemplate(template: string): readonly Part[] {
  requireLength(template, 'Template');
  const parts: Part[] = [];
  let expressions = 0;
  for (let at = 0; at < template.length;) {
    const open = template.indexOf('{', at);
    const literal = template.slice(at, open === -1 ? template.length : open);
    if (literal !== '') parts.push(literal);
    if (open === -1) break;
    const close = template.indexOf('}', open);
    if (close === -1) throw new Error('Unclosed template expression');
    expressions += 1;
    if (expressions > MOST_EXPRESSIONS)
      throw new Error(`Template contains too many expressions (max ${MOST_EXPRESSIONS})`);
    parts.push(parseExpression(template.slice(open + 1, close)));
    at = close + 1;
  }
  return parts;
}

function parseExpression(text: string): Expression {
  const operator = text !== '' && OPERATORS.includes(text.charAt(0)) ? text.charAt(0) : '';
  const names = text
    .slice(operator.length)
    .split(',')
    .map((name) => name.replace('*', '').trim())
    .filter((name) => name !== '');
  return { operator, names, exploded: text.includes('*') };
}

export const isQuery = ({ operator }: Expression): boolean => operator === '?' || operator === '&';
