import type { RequestHandler, Response } from 'express';
import { printable, toldAs } from '../../../internal/server/auth/answers.ts';
import { isSameResource } from '../../../internal/server/auth/resources.ts';
import { InsufficientScopeError, InvalidTokenError, ServerError } from '../errors.ts';
import type { OAuthTokenVerifier } from '../provider.ts';
import type { AuthInfo } from '../types.ts';

export type BearerAuthMiddlewareOptions = {
  verifier: OAuthTokenVerifier;
  /** Scopes that a token needs; also named in the challenge. */
  requiredScopes?: string[];
  /** Address of the metadata of this server, for the challenge. */
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
export function requireBearerAuth(options: BearerAuthMiddlewareOptions): RequestHandler {
  return async (request, response, next) => {
    try {
      request.auth = await verify(request.headers.authorization, options);
      next();
    } catch (error) {
      refuse(response, error, options);
    }
  };
}

async function verify(header: string | undefined, options: BearerAuthMiddlewareOptions): Promise<AuthInfo> {
  const { verifier, requiredScopes = [], expectedResource } = options;
  if (!header) throw new InvalidTokenError('Missing Authorization header');
  const [type, token] = header.split(' ');
  if (type?.toLowerCase() !== 'bearer' || !token)
    throw new InvalidTokenError("Invalid Authorization header format, expected 'Bearer TOKEN'");
  const authInfo: unknown = await verifier.verifyAccessToken(token);
  if (!namesCaller(authInfo)) throw new InvalidTokenError('Token could not be verified');
  const { scopes = [], expiresAt, resource } = authInfo;
  if (expectedResource !== undefined && !isSameResource(resource, expectedResource))
    throw new InvalidTokenError('Token was not issued for this resource');
  if (!requiredScopes.every((scope) => scopes.includes(scope))) throw new InsufficientScopeError('Insufficient scope');
  if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt))
    throw new InvalidTokenError('Token has no expiration time');
  if (expiryOf(expiresAt) < Date.now()) throw new InvalidTokenError('Token has expired');
  return authInfo as AuthInfo;
}

/** Milliseconds since the epoch. Some programs give them already: in seconds they would lie after the year 5000. */
function expiryOf(expiresAt: number): number {
  return expiresAt >= 1e11 ? expiresAt : expiresAt * 1000;
}

/** Whether a verifier has named the caller. One that means "nobody" may return anything else; a text of scopes would cover its parts. */
function namesCaller(value: unknown): value is Omit<AuthInfo, 'scopes'> & { scopes?: string[] } {
  if (typeof value !== 'object' || value === null) return false;
  const { clientId, scopes = [], extra = {} } = value as Readonly<Record<string, unknown>>;
  if (typeof clientId !== 'string' || clientId === '' || typeof extra !== 'object' || extra === null) return false;
  return Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string');
}

function refuse(response: Response, error: unknown, options: BearerAuthMiddlewareOptions): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  const told = toldAs(error);
  const isScope = told instanceof InsufficientScopeError;
  const isChallenge = isScope || told instanceof InvalidTokenError;
  if (isChallenge) response.set('WWW-Authenticate', challengeOf(told.errorCode, told.message, options));
  const status = isScope ? 403 : isChallenge ? 401 : told instanceof ServerError ? 500 : 400;
  response.status(status).json(told.toResponseObject());
}

function challengeOf(code: string, message: string, options: BearerAuthMiddlewareOptions): string {
  const { requiredScopes = [], resourceMetadataUrl } = options;
  const params = {
    error: code,
    error_description: message,
    scope: requiredScopes.join(' '),
    resource_metadata: resourceMetadataUrl,
  };
  const written = Object.entries(params).flatMap(([name, value]) => (value ? [`${name}="${printable(value)}"`] : []));
  return `Bearer ${written.join(', ')}`;
}
