import { isQuery, requireLength, type Expression, type Part } from './syntax.ts';

type Values = { readonly [name: string]: unknown };

/** Fills in the variables. A second query goes on with `&`; of several variables in one expression only the first values are taken, as they are. */
export function expandParts(parts: readonly Part[], variables: Values): string {
  let text = '';
  let hasQuery = false;
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const expanded = isQuery(part) ? expandQuery(part, variables) : expandPath(part, variables);
    if (expanded === '') continue;
    text += isQuery(part) && hasQuery ? expanded.replace('?', '&') : expanded;
    hasQuery ||= isQuery(part);
  }
  return text;
}

function expandQuery({ operator, names }: Expression, variables: Values): string {
  const pairs = names
    .filter((name) => variables[name] !== undefined)
    .map((name) => `${name}=${encoded(variables[name], operator).join(',')}`);
  return pairs.length === 0 ? '' : operator + pairs.join('&');
}

function expandPath({ operator, names }: Expression, variables: Values): string {
  const values = names.map((name) => variables[name]).filter((value) => value !== undefined);
  if (values.length === 0) return '';
  if (names.length > 1) return values.map((value): unknown => (Array.isArray(value) ? value[0] : value)).join(',');
  const [lead, separator] = SEPARATORS[operator] ?? ['', ','];
  return lead + encoded(values[0], operator).join(separator);
}

const SEPARATORS: Readonly<Record<string, readonly [lead: string, separator: string]>> = {
  '#': ['#', ','],
  '.': ['.', '.'],
  '/': ['/', '/'],
};

function encoded(value: unknown, operator: string): string[] {
  const encode = operator === '+' || operator === '#' ? encodeURI : encodeURIComponent;
  return (Array.isArray(value) ? (value as unknown[]) : [value]).map((item) => {
    const text = String(item);
    requireLength(text, 'Variable value');
    return encode(text);
  });
}
