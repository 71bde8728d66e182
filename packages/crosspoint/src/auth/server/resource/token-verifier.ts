import type { AuthInfo } from '../../../transports/transport.ts';

/**
 * Verifies access tokens. Rejects with `InvalidTokenError` for an invalid token, and with any other error when verification was impossible.
 * The request is refused either way, but only the first makes the client log in again. Sets `resource` to what the token was issued for,
 * `extra.sub` to its user and `extra.iss` to its issuer.
 */
export interface OAuthTokenVerifier {
  verifyAccessToken(token: string): Promise<AuthInfo>;
}

/** Thumbprint of the key that a token is bound to (`cnf.jkt`). */
export function boundKeyOf(authInfo: AuthInfo): string | undefined {
  const { cnf } = (authInfo.extra ?? {}) as { cnf?: { jkt?: unknown } };
  return typeof cnf?.jkt === 'string' ? cnf.jkt : undefined;
}
