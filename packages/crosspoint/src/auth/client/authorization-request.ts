import * as oauth from 'oauth4webapi';
import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '../oauth-types.ts';
import { openFault, type OutboundPolicy } from '../outbound/policy.ts';
import { scopeList, scopeUnion } from '../resource-identifier.ts';
import { requirePkce } from './discovery/discover-server.ts';
import { AuthFlowError } from './flow-error.ts';
import type { PendingAuthorization } from './pending-authorization.ts';

const OFFLINE = 'offline_access';

/** Sources of the scope to request, the first non-empty one wins: the challenge, the resource metadata, the configuration. */
export interface ScopeSources {
  readonly challenged?: string | undefined;
  readonly resourceMetadata?: OAuthProtectedResourceMetadata | undefined;
  readonly configured?: string | undefined;
  /** Scope requested earlier; added, so that a new login never removes rights. */
  readonly before?: string | undefined;
}

export function selectScope({ challenged, resourceMetadata, configured, before }: ScopeSources): string | undefined {
  const listed = resourceMetadata?.scopes_supported?.join(' ');
  const wanted = [challenged, listed, configured].find((scope) => scopeList(scope).length > 0);
  return scopeUnion(before, wanted);
}

/**
 * Adds `offline_access`, where the server lists it and the client wants refresh tokens. Not to nothing: without a scope the server grants its
 * default, and `offline_access` alone would replace that.
 */
export function withOfflineAccess(
  scope: string | undefined,
  metadata: AuthorizationServerMetadata,
  grantTypes: readonly string[] | undefined,
): string | undefined {
  const wantsRefresh = grantTypes === undefined || grantTypes.includes('refresh_token');
  return scope !== undefined && wantsRefresh && metadata.scopes_supported?.includes(OFFLINE) === true
    ? scopeUnion(scope, OFFLINE)
    : scope;
}

export interface AuthorizationQuestion {
  readonly metadata: AuthorizationServerMetadata;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly state: string | undefined;
  readonly resource: string | undefined;
  readonly policy?: OutboundPolicy | undefined;
  /** Thumbprint of the key that tokens are to be bound to. */
  readonly dpopJkt?: string | undefined;
}

/** Makes the address of the login page, and the record needed to use its answer. Throws when the server does not support PKCE with S256. */
export async function createAuthorizationRequest(
  question: AuthorizationQuestion,
): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }> {
  const { metadata, clientId, redirectUri, scope, resource } = question;
  requirePkce(metadata);
  const url = endpointOf(metadata, question.policy);
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const state = question.state ?? oauth.generateRandomState();
  const params: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
    resource,
    scope,
    dpop_jkt: question.dpopJkt,
    // OpenID Connect Core 11: without it, offline access is not granted.
    prompt: scopeList(scope).includes(OFFLINE) ? 'consent' : undefined,
  };
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
  const issuer = metadata.issuer;
  return {
    url,
    pending: { issuer, codeVerifier, state, redirectUri, clientId, resource: resource ?? '', scope, metadata },
  };
}

function endpointOf(metadata: AuthorizationServerMetadata, policy: OutboundPolicy | undefined): URL {
  const endpoint = metadata.authorization_endpoint;
  const { issuer } = metadata;
  if (endpoint === undefined || !URL.canParse(endpoint))
    throw new AuthFlowError(
      'server-metadata',
      `The authorization server ${issuer} names no authorization_endpoint, so there is no login page. Its operator has to add it.`,
      {
        issuer,
      },
    );
  const url = new URL(endpoint);
  const fault = openFault(url, policy);
  if (fault === undefined) return url;
  throw new AuthFlowError(
    'server-metadata',
    `The authorization server ${issuer} names a login page that is not opened. ${fault.message}`,
    { issuer },
    { cause: fault },
  );
}
