/** Values in HTTP headers that may hold any text: plain where that is safe, marked base64 otherwise. */
import { fromBase64, toBase64 } from '../runtime/base64.ts';

const OPEN = '=?base64?';
const CLOSE = '?=';

/** Visible ASCII and inner spaces, not looking like the marked form. */
function isPlain(value: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !(value.startsWith(OPEN) && value.endsWith(CLOSE));
}

/** Whether a header value holds only the characters that HTTP allows: visible ASCII, spaces and tabs. */
export function isHeaderText(header: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(header);
}

export function writeHeaderValue(value: string): string {
  if (value === '' || isPlain(value)) return value;
  return `${OPEN}${toBase64(new TextEncoder().encode(value))}${CLOSE}`;
}

/** Decodes a header value; `undefined` when it is marked as base64 and is not, or its bytes are no UTF-8. */
export function readHeaderValue(header: string): string | undefined {
  if (!header.startsWith(OPEN) || !header.endsWith(CLOSE) || header.length < OPEN.length + CLOSE.length) return header;
  const encoded = header.slice(OPEN.length, -CLOSE.length);
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64(encoded));
  } catch {
    return undefined;
  }
}
