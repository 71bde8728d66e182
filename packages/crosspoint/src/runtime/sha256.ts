import { toBase64Url } from './base64url.ts';
import type { Bytes } from './bytes.ts';

const ENCODER = new TextEncoder();

/** The SHA-256 of bytes, or of the UTF-8 of a text. */
async function sha256(data: Bytes | string): Promise<Uint8Array> {
  const bytes = typeof data === 'string' ? ENCODER.encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** The SHA-256 of a text in base64url, as OAuth writes it. */
export async function sha256Base64Url(text: string): Promise<string> {
  return toBase64Url(await sha256(text));
}

/** The SHA-256 in hexadecimal digits. */
export async function sha256Hex(data: Bytes | string): Promise<string> {
  return Array.from(await sha256(data), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
