import { createHash, createHmac } from 'node:crypto';
import { canonicalJson, type Json } from '../values/json.ts';

/** A secret of at least 32 bytes, as bytes or as text; `createSecret()` of `crosspoint` makes one. */
export type AuditSecret = string | Uint8Array;

const LEAST_BYTES = 32;
const PLAIN = 'sha256:';
const KEYED = 'hmac-sha256:';

/** The finding about a hash: right, wrong, made without the secret that the log has, or made with one that was not given. */
export type SealFinding = 'right' | 'wrong' | 'unsealed' | 'no-secret';

/** Makes and checks the hashes of a log: plain ones, or with secrets such that only their owner can make: the first makes, all check. */
export class Seal {
  readonly #secrets: readonly Uint8Array[];

  constructor(keys: readonly AuditSecret[] = []) {
    this.#secrets = keys.map((secret, index) => {
      const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
      if (bytes.length >= LEAST_BYTES) return bytes;
      throw new TypeError(
        `keys[${index}] of the audit log has ${bytes.length} bytes, a secret has at least ${LEAST_BYTES}: createSecret() of crosspoint makes one.`,
      );
    });
  }

  make(value: Json): string {
    const [secret] = this.#secrets;
    return secret === undefined ? plain(value) : keyed(value, secret);
  }

  check(value: Json, hash: string): SealFinding {
    if (hash.startsWith(KEYED)) {
      if (this.#secrets.length === 0) return 'no-secret';
      return this.#secrets.some((secret) => keyed(value, secret) === hash) ? 'right' : 'wrong';
    }
    if (plain(value) !== hash) return 'wrong';
    return this.#secrets.length === 0 ? 'right' : 'unsealed';
  }
}

function plain(value: Json): string {
  return PLAIN + createHash('sha256').update(canonicalJson(value)).digest('hex');
}

function keyed(value: Json, secret: Uint8Array): string {
  return KEYED + createHmac('sha256', secret).update(canonicalJson(value)).digest('hex');
}
