import { SchemaError } from '../schema-error.ts';

/** The base of documents that carry no `$id`, so that relative references among them can still be compared. */
export const rootUri = 'json-schema:///';

/** Limit on base and reference together: a base is read again for each reference, and nested ones add up. */
const maxLength = 8_000;

/** Resolves a reference; the result keeps its fragment. */
export function resolveUri(base: string, reference: string): string {
  if (reference.length + base.length > maxLength)
    throw new SchemaError('too-complex', `a reference or \`$id\` is longer than ${maxLength} characters`);
  if (reference.startsWith('#')) return withoutFragment(base) + reference;
  try {
    return new URL(reference, base).href;
  } catch (cause) {
    throw new SchemaError('invalid-schema', `"${reference}" is not a valid URI reference`, { cause });
  }
}

export function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash === -1 ? uri : uri.slice(0, hash);
}

/** The decoded fragment; empty when there is none, undefined when its escapes are broken. */
export function fragmentOf(uri: string): string | undefined {
  const hash = uri.indexOf('#');
  if (hash === -1) return '';
  try {
    return decodeURIComponent(uri.slice(hash + 1));
  } catch {
    return undefined;
  }
}
