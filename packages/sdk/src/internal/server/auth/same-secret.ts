import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal, in a time that does not reveal where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
}

/** Whether a PKCE verifier fits the S256 challenge that an authorization began with. */
export function isVerifierOf(challenge: unknown, verifier: string): boolean {
  return (
    typeof challenge === 'string' && isSameSecret(createHash('sha256').update(verifier).digest('base64url'), challenge)
  );
}
