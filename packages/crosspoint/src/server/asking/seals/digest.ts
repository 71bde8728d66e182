import { sha256Sync, toHex } from '../../../runtime/sha256-sync.ts';
import { canonical } from './canonical.ts';
import { nodeCrypto } from './node-crypto.ts';

const ENCODER = new TextEncoder();

/** A digest of 128 bits (the first half of SHA-256) of a value's canonical JSON. */
export function digest(value: unknown): string {
  const text = canonical(value);
  // Node's hash gives the same bits, several times as fast.
  const hash = nodeCrypto?.createHash('sha256').update(text).digest('hex') ?? toHex(sha256Sync(ENCODER.encode(text)));
  return hash.slice(0, 32);
}
