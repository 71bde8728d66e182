import { sha256 } from './sha256.ts';

const BLOCK = 64;

/** HKDF (RFC 5869) with SHA-256 and without salt: a key of 32 bytes, for the use that `info` names. */
export function deriveKey(secret: Uint8Array, info: string): Uint8Array {
  const extracted = hmac(new Uint8Array(32), secret);
  return hmac(extracted, new TextEncoder().encode(`${info}\u0001`));
}

/** HMAC (RFC 2104) with a key that is no longer than a block. */
function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const under = (mask: number, rest: Uint8Array): Uint8Array => {
    const block = new Uint8Array(BLOCK + rest.length).fill(mask, 0, BLOCK);
    for (const [index, byte] of key.entries()) block[index] = byte ^ mask;
    block.set(rest, BLOCK);
    return sha256(block);
  };
  return under(0x5c, under(0x36, message));
}
