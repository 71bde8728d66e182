import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonical } from './canonical.ts';

/** 128 bits that two different values do not share. */
export function digest(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonical(value)))).slice(0, 32);
}
