import { requireBearerAuth as requireToken, type BearerAuth, type OAuthTokenVerifier } from 'crosspoint/auth/server';
import type { AuthInfo } from 'crosspoint';
import { InvalidTokenError } from '../errors.ts';

export type BearerAuthMiddlewareOptions = {
  verifier: OAuthTokenVerifier;
  requiredScopes?: string[];
  resourceMetadataUrl?: string;
  /** The URL of this server: a token that was issued for another one is refused. */
  expectedResource?: URL;
};

declare module 'express-serve-static-core' {
  interface Request {
    /** What the token of the request is good for. */
    auth?: AuthInfo;
  }
}

/** Lets in only who carries a token that the verifier knows and that will expire; what it is good for is left as `request.auth`. */
export function requireBearerAuth(options: BearerAuthMiddlewareOptions): BearerAuth {
  const { verifier, requiredScopes = [], resourceMetadataUrl, expectedResource } = options;
  return requireToken({
    verifier: (token) => verify(verifier, token),
    requiredScopes,
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    ...(expectedResource && { audience: expectedResource }),
  });
}

async function verify(verifier: OAuthTokenVerifier, token: string): Promise<AuthInfo> {
  const authInfo = await verifier.verifyAccessToken(token);
  if (typeof authInfo?.expiresAt !== 'number' || Number.isNaN(authInfo.expiresAt))
    throw new InvalidTokenError('The token has no expiration time');
  return authInfo;
}
