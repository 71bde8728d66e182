import type { UriTemplate, Variables } from './uri-template.ts';

export interface UnsafeVariable {
  readonly name: string;
  readonly reason: string;
}

/**
 * Returns why a value taken from a URI must not reach a file system or another URI, or `undefined` for a safe one. The value is checked as it is and
 * after up to three further rounds of percent-decoding, since the code that uses it may decode it once more.
 * A slash is refused unless `allowSlash`: a simple expression can only have got it from an encoded separator.
 */
export function unsafeVariable(value: string, allowSlash: boolean = false): string | undefined {
  let current = value;
  for (let round = 0; round < 4; round++) {
    const reason = unsafeAsItIs(current, allowSlash);
    if (reason !== undefined) return reason;
    const decoded = decodeOnce(current);
    if (decoded === current) return undefined;
    current = decoded;
  }
  return 'it is percent-encoded many times over';
}

/** The first unsafe variable of a match. Expressions that span separators (`{+path}`, `{#part}`) may hold slashes, others may not. */
export function findUnsafeVariable(template: UriTemplate, variables: Variables): UnsafeVariable | undefined {
  for (const [name, value] of Object.entries(variables)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      const reason = unsafeVariable(item, template.spansSeparators(name));
      if (reason !== undefined) return { name, reason };
    }
  }
  return undefined;
}

function unsafeAsItIs(value: string, allowSlash: boolean): string | undefined {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return 'it holds a control character';
  }
  if (/%(?:2f|5c)/i.test(value)) return 'it holds an encoded path separator';
  if (/^[a-z]:/i.test(value)) return 'it starts with a drive letter';
  if (value.startsWith('/') || value.startsWith('\\')) return 'it is an absolute path';
  if (value.split(/[/\\]/).some(isParentSegment)) return 'it holds a ".." path segment';
  if (value.includes('\\')) return 'it holds a backslash';
  if (!allowSlash && value.includes('/')) return 'it holds a path separator';
  return undefined;
}

/** Windows drops trailing spaces and dots of a name, so `.. ` leads upwards as well. */
function isParentSegment(segment: string): boolean {
  return segment.startsWith('..') && /^[. ]+$/.test(segment);
}

function decodeOnce(value: string): string {
  if (!value.includes('%')) return value;
  // Triplets are decoded one by one: a broken one must not shield the others from the check.
  return value.replaceAll(/%[0-7][0-9a-f]/gi, (triplet) => String.fromCharCode(Number.parseInt(triplet.slice(1), 16)));
}
