import { toBase64Url } from '../../../runtime/base64url.ts';
import { sha256Base64Url } from '../../../runtime/sha256.ts';

/** 256 random bits as text, for a code, a token or a state. */
export function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Whether two secrets are equal, in a time that does not reveal where they differ. */
export async function isSameSecret(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256Base64Url(one), sha256Base64Url(other)]);
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}
