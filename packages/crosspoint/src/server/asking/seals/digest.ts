import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonical } from './canonical.ts';
import { nodeCrypto } from './node-crypto.ts';

/** A digest of 128 bits (the first half of SHA-256) of a value's canonical JSON. */
export function digest(value: unknown): string {
  const text = canonical(value);
  // Node's hash gives the same bits, several times as fast.
  const hash = nodeCrypto?.createHash('sha256').update(text).digest('hex') ?? bytesToHex(sha256(utf8ToBytes(text)));
  return hash.slice(0, 32);
}
