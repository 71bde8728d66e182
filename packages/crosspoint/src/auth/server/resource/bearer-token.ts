/** The checks of a gate one by one, for endpoints that a program builds itself. */
import { authInfoFault, expiryOf } from '../../../transports/auth-info.ts';
import type { AuthInfo } from '../../../transports/transport.ts';
import { writeChallenge } from '../../challenge.ts';
import { OAuthError } from '../../oauth-error.ts';
import { InsufficientScopeError, InvalidTokenError, OAuthFault, printable, statusOf } from '../http/oauth-fault.ts';
import { isSameResource } from './resource-uri.ts';
import { coversScopes } from './scopes.ts';
import type { OAuthTokenVerifier } from './token-verifier.ts';

export interface VerifyBearerTokenOptions {
  verifier: OAuthTokenVerifier;
  requiredScopes?: string[];
  /** Where the metadata of this server is; named in a challenge. */
  resourceMetadataUrl?: string;
  /** The URL of this server: a token that was issued for another one is refused. */
  expectedResource?: URL;
}

/** What the token of an `Authorization` header is good for. Rejects with an `OAuthError` for one that does not let its bearer in. */
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
    throw new InsufficientScopeError(`This needs the scopes: ${requiredScopes.join(' ')}.`, requiredScopes);
  return authInfo;
}

/** The answer to a request that `verifyBearerToken` has refused. What is not an error of OAuth is not told. */
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
