import { atOnce } from 'crosspoint/internal';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  jwtVerify,
  SignJWT,
  type CryptoKey,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { readResource } from './authorization-request.ts';
import { readRequestedScopes } from '../clients/client-scopes.ts';
import type { Grant } from './grants.ts';
import {
  isTokenFault,
  OAuthFault,
  randomText,
  readScopes,
  SIGNATURE_ALGORITHMS,
} from 'crosspoint/internal/auth-server';
import type { Person } from '../login/login.ts';
import { isPublic } from '../clients/oauth-client.ts';
import { requireParam } from '../http/request-params.ts';
import type { GrantHandler, TokenRequest } from './token-endpoint.ts';

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const ID_JAG_TYPE = 'oauth-id-jag+jwt';

/** Address of an identity provider's keys, or the keys themselves. */
type Keys = string | URL | JSONWebKeySet;

export interface AssertionGrantOptions {
  /** Identity providers whose assertions are accepted. */
  readonly trusted: readonly { readonly issuer: string; readonly jwks: Keys }[];
  /** Maps an assertion to a person. Issuer and subject together when absent, since two providers may use one name for two people. */
  readonly identify?: (claims: JWTPayload) => Person | Promise<Person>;
}

/**
 * A handler for `grantHandlers` under `urn:ietf:params:oauth:grant-type:jwt-bearer`, for clients whose `grant_types` list it. It accepts
 * the assertion of an organisation's identity provider that one of its people may use this resource with this client (ID-JAG). The user is
 * not asked: the organisation has decided.
 */
export function assertionGrant({ trusted, identify = fromAssertion }: AssertionGrantOptions): GrantHandler {
  const providers = new Map(trusted.map(({ issuer, jwks }) => [issuer, keysOf(jwks)]));
  return async (request) => {
    const { client, form, authority, jkt } = requireConfidential(request);
    const claims = await verify(requireParam(form, 'assertion'), (issuer) => providers.get(issuer), {
      typ: ID_JAG_TYPE,
      audience: authority.issuer,
      now: authority.now(),
    });
    if (claims['client_id'] !== client.client_id)
      throw new OAuthFault('invalid_grant', 'The assertion was issued for another client.');
    const { resource: named } = claims;
    const resource = readResource(new URLSearchParams({ resource: typeof named === 'string' ? named : '' }), authority);
    const scopes = scopesOf(claims, request);
    const person = await identify(claims);
    const grant: Grant = { id: randomText(), clientId: client.client_id, ...person, scopes, resource };
    return authority.grants.issueOnce(grant, jkt);
  };
}

/** Scopes for an assertion: at most those of its `scope` claim; without the claim, those configured for the client. */
function scopesOf({ scope: named }: JWTPayload & { scope?: unknown }, request: TokenRequest): readonly string[] {
  const { client, form, authority } = request;
  const asked = form.get('scope');
  if (named === undefined) return readRequestedScopes(asked, client, authority, { unattended: true });
  const allowed = typeof named === 'string' ? readScopes(named) : undefined;
  if (allowed === undefined)
    throw new OAuthFault('invalid_grant', 'The scope of the assertion must be names with one space between them.');
  const text = asked === null || asked === '' ? allowed.join(' ') : asked;
  const scopes = text === '' ? [] : readRequestedScopes(text, client, authority);
  const refused = scopes.find((scope) => !allowed.includes(scope));
  if (refused !== undefined)
    throw new OAuthFault('invalid_scope', `The assertion does not allow the scope ${refused}.`);
  return scopes;
}

export interface AssertionIssuerOptions {
  /** Keys with which this provider signs its ID tokens. */
  readonly idTokenKeys: Keys;
  /** Signs the assertions. */
  readonly key: CryptoKey;
  readonly algorithm: string;
  readonly keyId?: string;
  /** Decides, for the organisation, what a person may use with a client; `undefined` for nothing. */
  readonly allow: (asked: {
    readonly clientId: string;
    readonly sub: string;
    /** The authorization server that the assertion is for. */
    readonly audience: string;
    readonly resource: string;
    readonly scopes: readonly string[];
  }) =>
    | { readonly scopes: readonly string[] }
    | undefined
    | Promise<{ readonly scopes: readonly string[] } | undefined>;
  /** Id of the client at that server; the same as here when absent. */
  readonly clientIdAt?: (clientId: string, audience: string) => string;
  /** Lifetime of an assertion; 5 minutes when absent. */
  readonly lifetimeSeconds?: number;
}

/**
 * A handler for `grantHandlers` of an identity provider under `urn:ietf:params:oauth:grant-type:token-exchange`, for clients whose
 * `grant_types` list it. It exchanges the ID token of a logged-in user for an assertion (ID-JAG) that another authorization server accepts.
 */
export function assertionIssuer(options: AssertionIssuerOptions): GrantHandler {
  const keys = keysOf(options.idTokenKeys);
  return async (request) => {
    const { client, form, authority } = requireConfidential(request);
    if (requireParam(form, 'requested_token_type') !== ID_JAG)
      throw new OAuthFault(
        'invalid_request',
        'Only assertions (id-jag) are issued by exchange: requested_token_type must say so.',
      );
    if (requireParam(form, 'subject_token_type') !== ID_TOKEN)
      throw new OAuthFault('invalid_request', 'Only ID tokens can be exchanged: subject_token_type must say so.');
    const { sub = '' } = await verify(
      requireParam(form, 'subject_token'),
      (issuer) => (issuer === authority.issuer ? keys : undefined),
      { audience: client.client_id, now: authority.now() },
    );
    const [audience, resource] = [requireParam(form, 'audience'), requireParam(form, 'resource')];
    // With a client id as its audience, an assertion could be mistaken for an ID token.
    if (!/^https?:\/\//.test(audience) || !URL.canParse(audience))
      throw new OAuthFault(
        'invalid_target',
        'The audience must be the issuer of an authorization server, an http address.',
      );
    const scopes = readScopes(form.get('scope')) ?? [];
    const allowed = await options.allow({ clientId: client.client_id, sub, audience, resource, scopes });
    if (allowed === undefined)
      throw new OAuthFault('access_denied', 'The identity provider does not allow this to the user.', { status: 400 });
    const { lifetimeSeconds = 300, clientIdAt = (id: string) => id } = options;
    const issuedAt = Math.floor(authority.now() / 1000);
    const scope = allowed.scopes.join(' ');
    const assertion = await new SignJWT({
      resource,
      client_id: atOnce(clientIdAt(client.client_id, audience), 'clientIdAt'),
      // An empty claim means that none of the requested scopes is allowed; without the claim, the other server would apply its own rules.
      ...((scope !== '' || scopes.length > 0) && { scope }),
    })
      .setProtectedHeader({
        alg: options.algorithm,
        typ: ID_JAG_TYPE,
        ...(options.keyId !== undefined && { kid: options.keyId }),
      })
      .setIssuer(authority.issuer)
      .setSubject(sub)
      .setAudience(audience)
      .setJti(crypto.randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimeSeconds)
      .sign(options.key);
    return {
      issued_token_type: ID_JAG,
      access_token: assertion,
      token_type: 'N_A',
      expires_in: lifetimeSeconds,
      ...(scope !== scopes.join(' ') && { scope }),
    };
  };
}

function requireConfidential(request: TokenRequest): TokenRequest {
  if (isPublic(request.client))
    throw new OAuthFault('unauthorized_client', 'Only a client with credentials may use assertions.');
  return request;
}

async function verify(
  token: string,
  keysFor: (issuer: string) => JWTVerifyGetKey | undefined,
  { typ, audience, now }: { typ?: string; audience: string; now: number },
): Promise<JWTPayload> {
  const bad = (reason: string, cause?: unknown): OAuthFault => new OAuthFault('invalid_grant', reason, { cause });
  try {
    const [, body = ''] = token.split('.');
    const claimed = JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/'))) as { iss?: unknown } | null;
    const issuer = claimed?.iss;
    const keys = typeof issuer === 'string' ? keysFor(issuer) : undefined;
    if (keys === undefined) throw bad('The issuer of the token is not trusted.');
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      ...(typ !== undefined && { typ }),
      issuer: String(issuer),
      audience,
      algorithms: [...SIGNATURE_ALGORITHMS],
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: 30,
      currentDate: new Date(now),
    });
    if (typ === undefined && protectedHeader.typ === ID_JAG_TYPE)
      throw bad('The token is an assertion, not an ID token.');
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed) throw bad(`The claim "${error.claim}" is wrong.`, error);
    if (isTokenFault(error)) throw bad('The token has expired, or its signature is wrong.', error);
    if (error instanceof SyntaxError || error instanceof DOMException) throw bad('The token is not a JWT.', error);
    throw error;
  }
}

function keysOf(keys: Keys): JWTVerifyGetKey {
  return typeof keys === 'string' || keys instanceof URL ? createRemoteJWKSet(new URL(keys)) : createLocalJWKSet(keys);
}

function fromAssertion({ iss = '', sub = '' }: JWTPayload): Person {
  return { sub: `${iss} ${sub}` };
}
