import type { Authority } from './authority.ts';
import { readRequestedScopes } from '../clients/client-scopes.ts';
import { mayUseGrant } from './grant-types.ts';
import { redirectsOf, type KnownClient } from '../clients/oauth-client.ts';
import { isSameResource, OAuthFault } from 'crosspoint/internal/auth-server';
import { isRegisteredRedirect } from '../clients/redirect-uri.ts';
import { requireParam, requireSingle } from '../http/request-params.ts';

/** Characters. The query is stored while the user logs in upstream. */
const MAX_QUERY = 8192;

/** A checked authorization request. */
export interface AuthorizationRequest {
  readonly client: KnownClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
  readonly challenge: string;
  readonly resource: string;
  /** The original query, which identifies the request. */
  readonly query: string;
}

/** The client and its redirect address. Nothing is sent anywhere before these are known. */
export interface Addressee {
  readonly client: KnownClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** Rejects for an unknown client and for an unregistered redirect address: the error is shown to the user, without a redirect. */
export async function readAddressee(query: string, authority: Authority): Promise<Addressee> {
  if (query.length > MAX_QUERY)
    throw new OAuthFault('invalid_request', `The request has more than ${MAX_QUERY} characters.`);
  const params = requireSingle(new URLSearchParams(query));
  const client = await authority.clients.find(requireParam(params, 'client_id'));
  const asked = params.get('redirect_uri') ?? undefined;
  const registered = redirectsOf(client);
  const redirectUri = asked ?? (registered.length === 1 ? registered[0] : undefined);
  if (redirectUri === undefined) throw new OAuthFault('invalid_request', 'The parameter redirect_uri is missing.');
  const anyPort = authority.login.exactRedirects !== true;
  if (!isRegisteredRedirect(client, redirectUri, { anyPort }))
    throw new OAuthFault('invalid_request', 'The redirect_uri is not one that the client has registered.');
  return { client, redirectUri, state: params.get('state') ?? undefined };
}

/** Reads the rest of the request. Errors from here on are sent to the client. */
export function readAuthorizationRequest(
  query: string,
  addressee: Addressee,
  authority: Authority,
): AuthorizationRequest {
  const params = new URLSearchParams(query);
  if (requireParam(params, 'response_type') !== 'code')
    throw new OAuthFault('unsupported_response_type', 'Only response_type=code is supported.');
  if (!mayUseGrant(addressee.client, 'authorization_code'))
    throw new OAuthFault('unauthorized_client', 'The client has not registered for the authorization code grant.');
  return {
    ...addressee,
    query,
    challenge: readChallenge(params),
    resource: readResource(params, authority),
    scopes: readRequestedScopes(params.get('scope'), addressee.client, authority),
  };
}

function readChallenge(params: URLSearchParams): string {
  const challenge = params.get('code_challenge') ?? '';
  if (challenge === '') throw new OAuthFault('invalid_request', 'PKCE is required: code_challenge is missing.');
  if (params.get('code_challenge_method') !== 'S256')
    throw new OAuthFault('invalid_request', 'PKCE is required with S256: code_challenge_method must say so.');
  if (!/^[\w-]{43}$/.test(challenge))
    throw new OAuthFault('invalid_request', 'The code_challenge must be a SHA-256 digest: 43 characters of base64url.');
  return challenge;
}

/** The resource that tokens are requested for. Optional where the server has only one. */
export function readResource(params: URLSearchParams, authority: Authority): string {
  const named = params.getAll('resource');
  if (named.length > 1) throw new OAuthFault('invalid_target', 'A token is valid for one resource: name only one.');
  const [only, ...others] = authority.resources;
  const wanted = named[0];
  if (wanted === undefined) {
    if (only !== undefined && others.length === 0) return only;
    throw new OAuthFault('invalid_target', 'The parameter resource is missing: this server has several resources.');
  }
  const found = authority.resources.find((resource) => isSameResource(resource, wanted));
  if (found === undefined)
    throw new OAuthFault(
      'invalid_target',
      'This server issues no tokens for this resource: send the one of the protected-resource metadata.',
    );
  return found;
}
