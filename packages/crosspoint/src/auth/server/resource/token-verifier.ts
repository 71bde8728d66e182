import type { AuthInfo } from '../../../transports/transport.ts';

/**
 * Says what a token is good for. Rejects with `InvalidTokenError` for a token that is not to be honoured, and with anything else when it
 * could not be found out: the request is refused either way, but only the first sends the client to log in again. Sets
 * `resource` to what the token was issued for, `extra.sub` to its user and `extra.iss` to its issuer.
 */
export interface OAuthTokenVerifier {
  verifyAccessToken(token: string): Promise<AuthInfo>;
}

/** The key to which a token is bound (`cnf.jkt`), as a verifier found it. */
export function boundKeyOf(authInfo: AuthInfo): string | undefined {
  const { cnf } = (authInfo.extra ?? {}) as { cnf?: { jkt?: unknown } };
  return typeof cnf?.jkt === 'string' ? cnf.jkt : undefined;
}
