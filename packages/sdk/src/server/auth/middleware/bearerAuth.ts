import { requireBearerAuth as requireToken, type BearerAuth, type OAuthTokenVerifier } from 'crosspoint/auth/server';
import type { AuthInfo } from 'crosspoint';
import { InvalidTokenError } from '../errors.ts';

export type BearerAuthMiddlewareOptions = {
  verifier: OAuthTokenVerifier;
  requiredScopes?: string[];
  resourceMetadataUrl?: string;
  /** URL of this server; tokens issued for another one are refused. */
  expectedResource?: URL;
};

declare module 'express-serve-static-core' {
  interface Request {
    /** Verified facts about the token of the request. */
    auth?: AuthInfo;
  }
}

/** Admits only requests with a token that the verifier accepts and that has an expiry; sets `request.auth`. */
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
