/** The `Cryptography` of runtimes with web crypto alone. It opens what Node's has sealed, and the other way round. */
import { fromBase64Url, toBase64Url } from '../../../runtime/base64url.ts';
import type { Bytes } from '../../../runtime/bytes.ts';
import { deriveKeySync, sha256Sync, toHex } from '../../../runtime/sha256-sync.ts';

const IV_BYTES = 12;
const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

export function hash(data: Uint8Array | string): string {
  return toHex(sha256Sync(typeof data === 'string' ? ENCODER.encode(data) : data));
}

export function deriveKey(secret: Uint8Array, purpose: string): Promise<CryptoKey> {
  const key = deriveKeySync(secret, ENCODER.encode(purpose)).slice();
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

export async function encrypt(key: Promise<CryptoKey>, text: string, bound: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(algorithm(iv, bound), await key, ENCODER.encode(text));
  const whole = new Uint8Array(IV_BYTES + sealed.byteLength);
  whole.set(iv);
  whole.set(new Uint8Array(sealed), IV_BYTES);
  return toBase64Url(whole);
}

/** The tag has 16 bytes: web crypto rejects what is shorter. */
export async function decrypt(key: Promise<CryptoKey>, text: string, bound: string): Promise<string> {
  const sealed = fromBase64Url(text);
  const [iv, rest] = [sealed.slice(0, IV_BYTES), sealed.slice(IV_BYTES)];
  return DECODER.decode(await crypto.subtle.decrypt(algorithm(iv, bound), await key, rest));
}

function algorithm(iv: Bytes, bound: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: ENCODER.encode(bound) };
}
