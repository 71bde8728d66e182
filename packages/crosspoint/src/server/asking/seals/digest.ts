import { canonical } from './canonical.ts';
import { cryptography } from './cryptography.ts';

/** A digest of 128 bits (the first half of SHA-256) of a value's canonical JSON. */
export function digest(value: unknown): string {
  return cryptography().hash(canonical(value)).slice(0, 32);
}
