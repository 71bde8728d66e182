import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from './json.ts';

/** `sha256:` and the hash of a JSON value, the same for every order of its members. */
export function digestOf(value: Json): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}
