import { base64url, importJWK, type JSONWebKeySet, type JWK } from 'jose';
import { isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { SIGNATURE_ALGORITHMS } from 'crosspoint/internal/auth-server';

const MAX_KEYS = 20;
const RSA_BITS = { min: 2048, max: 8192 };
/** Verification time grows with the exponent. OpenSSL has the same limit for large moduli. */
const MAX_EXPONENT_BYTES = 8;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const KEPT_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'];

/** For each curve: its algorithms, and the bytes of a coordinate. */
const CURVES: ReadonlyMap<unknown, { kty: string; algorithms: readonly string[]; bytes: number }> = new Map([
  ['P-256', { kty: 'EC', algorithms: ['ES256'], bytes: 32 }],
  ['P-384', { kty: 'EC', algorithms: ['ES384'], bytes: 48 }],
  ['P-521', { kty: 'EC', algorithms: ['ES512'], bytes: 66 }],
  ['Ed25519', { kty: 'OKP', algorithms: ['EdDSA', 'Ed25519'], bytes: 32 }],
]);
const RSA_ALGORITHMS = SIGNATURE_ALGORITHMS.filter((name) => /^[PR]S/.test(name));

/**
 * The signature keys of a set, reduced to the members that verification needs. Keys for other purposes are dropped. Throws `TypeError` for
 * a forbidden key (private, shared, weak, huge, malformed) and for a set without signature keys.
 */
export function requireSignatureKeys(set: unknown): JSONWebKeySet {
  if (!isJsonObject(set) || !Array.isArray(set['keys'])) throw new TypeError('they are not a set of keys (jwks)');
  if (set['keys'].length > MAX_KEYS)
    throw new TypeError(`there are ${set['keys'].length}, and ${MAX_KEYS} are the limit`);
  const keys = (set['keys'] as unknown[]).filter(isJsonObject).flatMap(readKey);
  if (keys.length === 0) throw new TypeError('none of them is for signatures');
  return { keys };
}

/** Rejects for keys whose numbers form no key, such as a point off its curve. */
export async function requireImportable({ keys }: JSONWebKeySet): Promise<void> {
  for (const key of keys) {
    try {
      await importJWK(key, key.alg ?? algorithmsOf(key)[0] ?? '');
    } catch (error) {
      throw new TypeError('the numbers of a key are invalid', { cause: error });
    }
  }
}

/** The key in an array, or an empty array for a key with another purpose. */
function readKey(key: JsonObject): JWK[] {
  if (PRIVATE_MEMBERS.some((name) => name in key)) throw new TypeError('a key is private or shared');
  const { use, key_ops: operations, alg } = key;
  if (use !== undefined && use !== 'sig') return [];
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return [];
  const algorithms = algorithmsOf(key);
  if (algorithms.length === 0 || (alg !== undefined && !algorithms.includes(alg as string))) return [];
  if (key['kty'] === 'RSA') checkRsa(key);
  else checkCurve(key);
  const kept = Object.entries(key).filter(([name, value]) => KEPT_MEMBERS.includes(name) && isShortText(value));
  return [Object.fromEntries(kept)];
}

function algorithmsOf({ kty, crv }: JsonObject | JWK): readonly string[] {
  if (kty === 'RSA') return RSA_ALGORITHMS;
  const curve = CURVES.get(crv);
  return curve !== undefined && curve.kty === kty ? curve.algorithms : [];
}

function checkRsa({ n, e }: JsonObject): void {
  const [modulus, exponent] = [numberOf(n), numberOf(e)];
  const bits = modulus.length * 8;
  if (bits < RSA_BITS.min || bits > RSA_BITS.max)
    throw new TypeError(`an RSA key has ${bits} bits, and must have ${RSA_BITS.min} to ${RSA_BITS.max}`);
  if (exponent.length === 0 || exponent.length > MAX_EXPONENT_BYTES)
    throw new TypeError('the exponent of an RSA key is too large');
}

function checkCurve({ kty, crv, x, y }: JsonObject): void {
  for (const coordinate of kty === 'EC' ? [x, y] : [x])
    if (bytesOf(coordinate).length !== CURVES.get(crv)?.bytes) throw new TypeError('a coordinate has the wrong length');
}

/** The bytes of a number, without leading zeros. */
function numberOf(text: unknown): Uint8Array {
  const bytes = bytesOf(text);
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? new Uint8Array() : bytes.subarray(first);
}

function bytesOf(text: unknown): Uint8Array {
  if (!isShortText(text) || !/^[\w-]+$/.test(text)) throw new TypeError('a key lacks a number, or has a malformed one');
  return base64url.decode(text);
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2000;
}
