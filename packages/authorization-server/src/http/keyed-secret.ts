import { EncryptJWT, jwtDecrypt } from 'jose';
import type { JsonObject } from 'crosspoint';
import { isSameSecret, randomSecret, secretBytes, type Secret } from 'crosspoint/internal/auth-server';
import { sha256Sync, toBase64Url, type Bytes } from 'crosspoint/internal';

const encoder = new TextEncoder();

/** Signs and encrypts with one secret: texts that prove their origin, and values that only this server can read. */
export class KeyedSecret {
  readonly #key: Bytes;
  readonly #now: () => number;

  constructor(secret: Secret | undefined, now: () => number) {
    this.#key = secret === undefined ? randomSecret() : keyOf(secret);
    this.#now = now;
  }

  /** A signed text, valid for `ttlMs` and only together with the same facts. */
  async mint(facts: readonly unknown[], ttlMs: number): Promise<string> {
    const until = Math.floor(this.#now() + ttlMs);
    return `${until}.${await this.#sign([until, ...facts])}`;
  }

  async isOwn(text: string | null | undefined, facts: readonly unknown[]): Promise<boolean> {
    const [, until, signature] = /^(\d{1,16})\.([\w-]{43})$/.exec(text ?? '') ?? [];
    if (until === undefined || signature === undefined || Number(until) < this.#now()) return false;
    return isSameSecret(signature, await this.#sign([Number(until), ...facts]));
  }

  /** Encrypts a value as text. */
  seal(value: JsonObject): Promise<string> {
    return new EncryptJWT(value).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(this.#key);
  }

  /** Decrypts a value; `undefined` when it was encrypted with another secret. */
  async open(sealed: string): Promise<JsonObject | undefined> {
    try {
      const { payload } = await jwtDecrypt(sealed, this.#key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return payload;
    } catch {
      return undefined;
    }
  }

  async #sign(facts: readonly unknown[]): Promise<string> {
    const key = await crypto.subtle.importKey('raw', this.#key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(JSON.stringify(facts)));
    return toBase64Url(new Uint8Array(signature));
  }
}

/** The key has 32 bytes: a secret of just these is the key, the digest of any other. */
function keyOf(secret: Secret): Bytes {
  const bytes = secretBytes(secret, 'secret');
  return new Uint8Array(typeof secret !== 'string' && bytes.length === 32 ? bytes : sha256Sync(bytes));
}
