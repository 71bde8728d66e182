import { encodeText, isUnreserved, isUriChar } from './uri-template-syntax.ts';
import type { Expression, Operator, TemplatePart, VariableSpec } from './uri-template-syntax.ts';

type Scalar = string | number | boolean;

/** The values that RFC 6570 can expand: text, a list, or names with values. Undefined, null, empty lists and empty objects count as not defined. */
export type ExpandValue = Scalar | null | undefined | readonly Scalar[] | { readonly [key: string]: Scalar };
export type ExpandVariables = { readonly [name: string]: ExpandValue };

interface Style {
  readonly first: string;
  readonly separator: string;
  readonly named: boolean;
  /** The text after the name of an empty value. */
  readonly ifEmpty: string;
  readonly allowed: (char: string) => boolean;
}

const STYLES: Readonly<Record<Operator, Style>> = {
  '': { first: '', separator: ',', named: false, ifEmpty: '', allowed: isUnreserved },
  '+': { first: '', separator: ',', named: false, ifEmpty: '', allowed: isUriChar },
  '#': { first: '#', separator: ',', named: false, ifEmpty: '', allowed: isUriChar },
  '.': { first: '.', separator: '.', named: false, ifEmpty: '', allowed: isUnreserved },
  '/': { first: '/', separator: '/', named: false, ifEmpty: '', allowed: isUnreserved },
  ';': { first: ';', separator: ';', named: true, ifEmpty: '', allowed: isUnreserved },
  '?': { first: '?', separator: '&', named: true, ifEmpty: '=', allowed: isUnreserved },
  '&': { first: '&', separator: '&', named: true, ifEmpty: '=', allowed: isUnreserved },
};

export function expandTemplate(parts: readonly TemplatePart[], variables: ExpandVariables): string {
  return parts.map((part) => (typeof part === 'string' ? part : expandExpression(part, variables))).join('');
}

function expandExpression({ operator, variables: specs }: Expression, variables: ExpandVariables): string {
  const style = STYLES[operator];
  const pieces: string[] = [];
  for (const spec of specs) {
    const value = Object.hasOwn(variables, spec.name) ? variables[spec.name] : undefined;
    if (value === undefined || value === null) continue;
    if (typeof value !== 'object') pieces.push(expandText(String(value), spec, style));
    else pieces.push(...expandComposite(value, spec, style));
  }
  return pieces.length === 0 ? '' : style.first + pieces.join(style.separator);
}

function expandText(text: string, spec: VariableSpec, style: Style): string {
  const cut = spec.prefix === undefined ? text : Array.from(text).slice(0, spec.prefix).join('');
  return withName(spec.name, encodeText(cut, style.allowed), style);
}

function expandComposite(
  value: readonly Scalar[] | { readonly [key: string]: Scalar },
  spec: VariableSpec,
  style: Style,
): string[] {
  if (spec.prefix !== undefined) {
    throw new TypeError(`The variable "${spec.name}" has a prefix in the template, so its value must be text.`);
  }
  const encode = (item: Scalar): string => encodeText(String(item), style.allowed);
  if (isList(value)) {
    const items = value.map(encode);
    if (items.length === 0) return [];
    if (!spec.explode) return [withName(spec.name, items.join(','), style)];
    return items.map((item) => withName(spec.name, item, style));
  }
  const pairs = Object.entries(value).map(([key, item]) => [encode(key), encode(item)] as const);
  if (pairs.length === 0) return [];
  if (!spec.explode) return [withName(spec.name, pairs.flat().join(','), style)];
  return pairs.map(([key, item]) => (style.named ? withName(key, item, style) : `${key}=${item}`));
}

function isList(value: object): value is readonly Scalar[] {
  return Array.isArray(value);
}

function withName(name: string, value: string, style: Style): string {
  if (!style.named) return value;
  return value === '' ? name + style.ifEmpty : `${name}=${value}`;
}
