/** Options for checking a token without a gate, in endpoints that a program builds itself. */
import { authInfoFault, expiryOf } from '../../../transports/auth-info.ts';
import type { AuthInfo } from '../../../transports/transport.ts';
import { writeChallenge } from '../../challenge.ts';
import { OAuthError } from '../../oauth-error.ts';
import { InsufficientScopeFault, InvalidTokenError, OAuthFault, printable, statusOf } from '../http/oauth-fault.ts';
import { isSameResource } from './resource-uri.ts';
import { coversScopes } from './scopes.ts';
import type { OAuthTokenVerifier } from './token-verifier.ts';

export interface VerifyBearerTokenOptions {
  verifier: OAuthTokenVerifier;
  requiredScopes?: string[];
  /** Address of this server's metadata, for the challenge. */
  resourceMetadataUrl?: string;
  /** URL of this server; tokens issued for another one are refused. */
  expectedResource?: URL;
}

/** Verifies the token of an `Authorization` header. Rejects with an `OAuthError` when it does not grant access. */
export async function verifyBearerToken(
  authorizationHeader: string | null | undefined,
  options: VerifyBearerTokenOptions,
): Promise<AuthInfo> {
  const token = /^Bearer +(\S+) *$/i.exec(authorizationHeader ?? '')?.[1];
  if (token === undefined)
    throw new InvalidTokenError('The Authorization header is missing or carries no bearer token.');
  const authInfo = await options.verifier.verifyAccessToken(token);
  if (authInfoFault(authInfo) !== undefined) throw new InvalidTokenError('The token could not be verified.');
  const { resource, scopes } = authInfo;
  if (authInfo.expiresAt === undefined) throw new InvalidTokenError('The token has no expiration time.');
  if (expiryOf(authInfo) <= Date.now()) throw new InvalidTokenError('The token has expired.');
  const { expectedResource, requiredScopes = [] } = options;
  if (expectedResource && !isSameResource(resource ?? '', expectedResource.href))
    throw new InvalidTokenError('The token was issued for another server (audience).');
  if (!coversScopes(scopes, requiredScopes))
    throw new InsufficientScopeFault(`This needs the scopes: ${requiredScopes.join(' ')}.`, requiredScopes);
  return authInfo;
}

/** The response for an error of `verifyBearerToken`. Errors other than `OAuthError` are hidden. */
export function bearerAuthChallengeResponse(
  error: unknown,
  options: Pick<VerifyBearerTokenOptions, 'requiredScopes' | 'resourceMetadataUrl'> = {},
): Response {
  const told = error instanceof OAuthError ? error : new OAuthFault('server_error', 'The token could not be verified.');
  const status = statusOf(told);
  const { requiredScopes = [], resourceMetadataUrl } = options;
  const challenge = writeChallenge('Bearer', {
    error: told.code,
    error_description: printable(told.message),
    resource_metadata: resourceMetadataUrl,
    scope: requiredScopes.length === 0 ? undefined : requiredScopes.join(' '),
  });
  const headers: Record<string, string> = status === 401 || status === 403 ? { 'WWW-Authenticate': challenge } : {};
  return Response.json(told.toResponseObject(), { status, headers });
}
