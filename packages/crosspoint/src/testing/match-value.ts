import { isJsonObject } from '../jsonrpc/message.ts';
import { Placeholder } from './placeholder.ts';

/** The values that named placeholders have stood for so far. */
export type Bindings = ReadonlyMap<string, unknown>;

export interface Mismatch {
  /** The path of the difference, as in `params.arguments.a`; empty for the whole value. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}

export type Matched =
  | { readonly ok: true; readonly bindings: Bindings }
  | { readonly ok: false; readonly mismatch: Mismatch };

/** Matchers of test runners, such as `expect.any(String)`. */
interface Asymmetric {
  asymmetricMatch(value: unknown): boolean;
  toString(): string;
}

/**
 * Matches a value against a pattern. Members that the pattern does not name are ignored; lists must have the same length. A member that the pattern
 * sets to `undefined` must be absent.
 */
export function matchValue(pattern: unknown, value: unknown, bindings: Bindings = new Map(), path = ''): Matched {
  if (pattern instanceof Placeholder) return matchPlaceholder(pattern, value, bindings, path);
  if (isAsymmetric(pattern))
    return pattern.asymmetricMatch(value) ? { ok: true, bindings } : differ(path, pattern, value);
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length) return differ(path, pattern, value);
    return matchMembers(pattern, value as object as Record<string, unknown>, bindings, path);
  }
  if (isJsonObject(pattern))
    return isJsonObject(value) ? matchMembers(pattern, value, bindings, path) : differ(path, pattern, value);
  return pattern === value ? { ok: true, bindings } : differ(path, pattern, value);
}

function matchMembers(pattern: object, value: Record<string, unknown>, before: Bindings, path: string): Matched {
  let bindings = before;
  for (const [name, expected] of Object.entries(pattern)) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    const matched = matchValue(expected, found, bindings, path === '' ? name : `${path}.${name}`);
    if (!matched.ok) return matched;
    bindings = matched.bindings;
  }
  return { ok: true, bindings };
}

function matchPlaceholder(pattern: Placeholder, value: unknown, bindings: Bindings, path: string): Matched {
  if (!pattern.fits(value)) return differ(path, pattern, value);
  if (pattern.binding === undefined) return { ok: true, bindings };
  if (!bindings.has(pattern.binding)) return { ok: true, bindings: new Map([...bindings, [pattern.binding, value]]) };
  const earlier = bindings.get(pattern.binding);
  return JSON.stringify(earlier) === JSON.stringify(value) ? { ok: true, bindings } : differ(path, earlier, value);
}

function isAsymmetric(pattern: unknown): pattern is Asymmetric {
  return typeof pattern === 'object' && pattern !== null && 'asymmetricMatch' in pattern;
}

function differ(path: string, expected: unknown, got: unknown): Matched {
  return { ok: false, mismatch: { path, expected: show(expected), got: show(got) } };
}

const LONGEST = 300;

/** A value in one line, short enough to read. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value instanceof Placeholder) return value.toJSON();
  const text = isAsymmetric(value) ? value.toString() : (JSON.stringify(value) ?? typeof value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

export function describeMismatch({ path, expected, got }: Mismatch): string {
  return `${path === '' ? '' : `${path}: `}expected ${expected}, got ${got}`;
}
