import * as platform from '#platform';
import { nodeCryptography } from './node-crypto.ts';

/** SHA-256, keys derived with it, and AES-256-GCM: all that questions without a connection need. */
export interface Cryptography<Key extends object = object> {
  /** The SHA-256 of bytes, or of the UTF-8 of a text, in hexadecimal digits. */
  hash(data: Uint8Array | string): string;
  /** A key derived from a secret for one purpose: HKDF with SHA-256 and without a salt. */
  deriveKey(secret: Uint8Array, purpose: string): Key;
  /** A nonce of 12 bytes, the text, and a tag of 16 bytes, in base64url. */
  encrypt(key: Key, text: string, bound: string): string | Promise<string>;
  /** Throws or rejects when the sealed text or `bound` were changed, be it only in their spelling. */
  decrypt(key: Key, sealed: string, bound: string): string | Promise<string>;
}

let found: Cryptography | undefined;

/**
 * Node's on Node, Bun and Deno, loaded on first use, which takes 3 ms; `web-crypto.ts` elsewhere. There `#platform` of package.json stands for that file and otherwise
 * for `path`, so that bundles for Node are without it: 1.2 kB. `path` is loaded anyway; `process` as a module would open the standard streams, 3 ms.
 */
export function cryptography(): Cryptography {
  return (found ??= 'hash' in platform ? platform : nodeCryptography());
}
