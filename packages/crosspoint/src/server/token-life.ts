import type { AuthInfo } from '../transports/transport.ts';

/** How far clocks may be apart. */
const SKEW_MS = 30_000;

/** How long a caller may still be told things on the strength of its token, in milliseconds; for ever where the token does not say. */
export function tokenLife(authInfo: AuthInfo | undefined): number {
  if (authInfo?.expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, authInfo.expiresAt * 1000 + SKEW_MS - Date.now());
}
