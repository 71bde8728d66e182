import type { Bytes } from './bytes.ts';

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In slices: the arguments of one call are limited.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** Throws for text that is not base64. */
export function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
