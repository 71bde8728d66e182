import { toBase64Url } from './base64url.ts';
import { described } from './described.ts';
import type { Bytes } from './bytes.ts';

/**
 * A secret of the program: at least 32 bytes, as bytes or as text, which counts by its UTF-8 bytes. `createSecret()` makes one; keep it
 * where the program's passwords are, and give every process the same one.
 */
export type Secret = string | Uint8Array;

const LEAST_BYTES = 32;
const ENCODER = new TextEncoder();

/**
 * Makes a secret: 32 random bytes as a text of 43 characters, which fits into an environment variable. Call it once, keep the text where
 * the program's passwords are, and give every process the same one.
 *
 * ```sh
 * node --input-type=module -e "import { createSecret } from 'crosspoint'; console.log(createSecret())"
 * ```
 */
export function createSecret(): string {
  return toBase64Url(randomSecret());
}

/** The secret of a process that was given none. */
export function randomSecret(): Bytes {
  return crypto.getRandomValues(new Uint8Array(LEAST_BYTES));
}

/** The bytes of a secret. Throws for one that is too short, with the name of the option and the number of bytes that came. */
export function secretBytes(secret: Secret, option: string): Uint8Array {
  const bytes = typeof secret === 'string' ? ENCODER.encode(secret) : secret;
  if (!(bytes instanceof Uint8Array))
    throw new TypeError(`${option} must be a text or bytes, not ${described(secret)}: ${HOW}.`);
  if (bytes.length < LEAST_BYTES)
    throw new TypeError(`${option} has ${bytes.length} bytes, a secret has at least ${LEAST_BYTES}: ${HOW}.`);
  return bytes;
}

/** The bytes of every secret of a list: the first is used, all are accepted. */
export function secretRing(secrets: readonly Secret[], option: string): readonly Uint8Array[] {
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError(`${option} must be a list of at least one secret: ${HOW}.`);
  return secrets.map((secret: Secret, index) => secretBytes(secret, `${option}[${index}]`));
}

const HOW = 'createSecret() of crosspoint makes one';
