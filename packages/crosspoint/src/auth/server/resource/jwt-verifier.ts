import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTPayload, JWTVerifyGetKey } from 'jose';
import type { AuthInfo } from '../../../transports/transport.ts';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import { InvalidTokenError } from '../http/oauth-fault.ts';
import { issuerText } from './protected-resource.ts';
import { isSameResource } from './resource-uri.ts';
import { readScopes } from './scopes.ts';
import type { OAuthTokenVerifier } from './token-verifier.ts';
import { findKeys } from './issuer-keys.ts';

/** Algorithms whose signatures only the issuer can make. Shared secrets and `none` are never accepted. */
export const SIGNATURE_ALGORITHMS: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

export interface JwtVerifierOptions {
  /** The `iss` of the tokens, compared exactly. */
  readonly issuer: string | URL;
  /** Accepted audiences: the URL of this server, or its name at the authorization server. One match is enough. */
  readonly audience: string | URL | readonly (string | URL)[];
  /** The issuer's keys, or their address. Found in the issuer's metadata when absent. */
  readonly jwks?: string | URL | JSONWebKeySet | JWTVerifyGetKey;
  readonly algorithms?: readonly string[];
  /** Tolerated clock difference; 30 seconds when absent. */
  readonly clockToleranceSeconds?: number;
  /** Milliseconds until fetched keys are fetched again; 10 minutes when absent. */
  readonly keysMaxAgeMs?: number;
  /** Milliseconds until an unknown key id may cause another fetch; 30 seconds when absent. */
  readonly keysCooldownMs?: number;
  readonly fetch?: typeof fetch;
  /** Current time in milliseconds. */
  readonly now?: () => number;
}

/** Verifies signed access tokens (RFC 9068). Keys are fetched once, cached, and fetched again for an unknown key id. */
export function jwtVerifier(options: JwtVerifierOptions): OAuthTokenVerifier {
  const issuer = issuerText(options.issuer);
  const audience = [options.audience].flat().map(String);
  if (audience.length === 0) throw new TypeError('The option audience must name at least one audience.');
  const keys = keySource(options, issuer);
  const { algorithms = SIGNATURE_ALGORITHMS, clockToleranceSeconds: clockTolerance = 30, now = Date.now } = options;
  return {
    async verifyAccessToken(token) {
      let verified: { payload: JWTPayload; protectedHeader: { typ?: string } };
      try {
        const rules = { issuer, algorithms: [...algorithms], clockTolerance, requiredClaims: ['exp', 'aud'] };
        verified = await jwtVerify(token, keys, { ...rules, currentDate: new Date(now()) });
      } catch (error) {
        throw isTokenFault(error) ? new InvalidTokenError(reasonOf(error), { cause: error }) : error;
      }
      const { payload, protectedHeader } = verified;
      const type = protectedHeader.typ?.toLowerCase().replace('application/', '');
      if (type !== undefined && type !== 'at+jwt' && type !== 'jwt')
        throw new InvalidTokenError('The token is not an access token.');
      const meant = [payload.aud ?? []].flat().find((entry) => audience.some((own) => isSameAudience(entry, own)));
      if (meant === undefined) throw new InvalidTokenError('The token was issued for another server (audience).');
      return toAuthInfo(token, payload, audience.find((own) => isSameAudience(meant, own)) ?? meant);
    },
  };
}

function isSameAudience(one: string, other: string): boolean {
  return one === other || isSameResource(one, other);
}

function toAuthInfo(token: string, payload: JWTPayload, meant: string): AuthInfo {
  const claims = payload as JsonObject;
  const scopes = [claims['scope'] ?? claims['scp'] ?? []]
    .flat()
    .flatMap((entry) => (typeof entry === 'string' ? (readScopes(entry) ?? []) : []));
  const clientId = [claims['client_id'], claims['azp'], claims['cid'], payload.sub].find(
    (entry) => typeof entry === 'string' && entry !== '',
  );
  if (typeof clientId !== 'string') throw new InvalidTokenError('The token names neither a client nor a user.');
  return {
    token,
    clientId,
    scopes,
    ...(payload.exp !== undefined && { expiresAt: payload.exp }),
    ...(URL.canParse(meant) && { resource: new URL(meant) }),
    extra: claims,
  };
}

function keySource(options: JwtVerifierOptions, issuer: string): JWTVerifyGetKey {
  const { jwks, fetch: given, keysMaxAgeMs = 600_000, keysCooldownMs = 30_000 } = options;
  if (typeof jwks === 'function') return jwks;
  const remote = (url: URL): JWTVerifyGetKey =>
    createRemoteJWKSet(url, {
      cacheMaxAge: keysMaxAgeMs,
      cooldownDuration: keysCooldownMs,
      timeoutDuration: 5000,
      ...(given && { [customFetch]: given }),
    });
  if (typeof jwks === 'string' || jwks instanceof URL) return remote(new URL(jwks));
  if (jwks !== undefined) return createLocalJWKSet(jwks);
  let found: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    found ??= findKeys(issuer, given ?? fetch).then(remote);
    // A failure is not cached: the issuer may be available for the next request.
    found.catch(() => (found = undefined));
    return (await found)(header, token);
  };
}

const TOKEN_FAULTS: readonly (new (...args: never[]) => Error)[] = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

/** Whether the token is at fault, and not an unreachable key server. */
export function isTokenFault(error: unknown): boolean {
  return TOKEN_FAULTS.some((kind) => error instanceof kind);
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.claim === 'iss'
      ? 'The token is from another issuer.'
      : `The claim "${error.claim}" of the token is missing or wrong.`;
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey)
    return 'The signature of the token is not from a key of the issuer.';
  return 'The token cannot be read as a signed token of the issuer.';
}
