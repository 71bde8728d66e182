import * as oauth from 'oauth4webapi';
import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '../oauth-types.ts';
import { openFault, type OutboundPolicy } from '../outbound/policy.ts';
import { scopeList, scopeUnion } from '../resource-identifier.ts';
import { requirePkce } from './discovery/discover-server.ts';
import { AuthFlowError } from './flow-error.ts';
import type { PendingAuthorization } from './pending-authorization.ts';

const OFFLINE = 'offline_access';

/** What a login may ask for, best first: what the server wants for this request, what it has, what the program wants; else nothing. */
export interface ScopeSources {
  readonly challenged?: string | undefined;
  readonly resourceMetadata?: OAuthProtectedResourceMetadata | undefined;
  readonly configured?: string | undefined;
  /** Asked for before: kept, so that a new login never takes rights away. */
  readonly before?: string | undefined;
}

export function selectScope({ challenged, resourceMetadata, configured, before }: ScopeSources): string | undefined {
  const listed = resourceMetadata?.scopes_supported?.join(' ');
  const wanted = [challenged, listed, configured].find((scope) => scopeList(scope).length > 0);
  return scopeUnion(before, wanted);
}

/** Adds what makes an OpenID server hand out a refresh token, where it says that it does and the client wants one. */
export function withOfflineAccess(
  scope: string | undefined,
  metadata: AuthorizationServerMetadata,
  grantTypes: readonly string[] | undefined,
): string | undefined {
  const wantsRefresh = grantTypes === undefined || grantTypes.includes('refresh_token');
  return wantsRefresh && metadata.scopes_supported?.includes(OFFLINE) === true ? scopeUnion(scope, OFFLINE) : scope;
}

export interface AuthorizationQuestion {
  readonly metadata: AuthorizationServerMetadata;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly state: string | undefined;
  readonly resource: string | undefined;
  readonly policy?: OutboundPolicy | undefined;
  /** The thumbprint of the key that tokens are to be bound to. */
  readonly dpopJkt?: string | undefined;
}

/** The page to send the user to, and the record without which its answer cannot be used. Throws where codes would not be protected. */
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
    throw new AuthFlowError('server-metadata', `The authorization server ${issuer} names no page to log in at.`, {
      issuer,
    });
  const url = new URL(endpoint);
  const fault = openFault(url, policy);
  if (fault === undefined) return url;
  throw new AuthFlowError(
    'server-metadata',
    `The authorization server ${issuer} names a page to log in at that is not opened. ${fault.message}`,
    { issuer },
    { cause: fault },
  );
}
