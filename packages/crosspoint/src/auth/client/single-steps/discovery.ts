/** Discovery under the names that programs written for other libraries use. */
import { parseChallenges } from '../../challenge.ts';
import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '../../oauth-types.ts';
import { createOutboundFetch } from '../../outbound/outbound-fetch.ts';
import { policyFor, type FetchLike } from '../../outbound/policy.ts';
import { scopeUnion } from '../../resource-identifier.ts';
import { authorizationServerMetadataUrls } from '../../well-known.ts';
import { checkedResource, discoverResource } from '../discovery/discover-resource.ts';
import { discoverServer } from '../discovery/discover-server.ts';
import { discover } from '../discovery/discovery.ts';
import { AuthFlowError } from '../flow-error.ts';
import type { OAuthClientProvider, OAuthServerInfo } from '../oauth-client-provider.ts';

const guarded = (url: string | URL, fetchFn: FetchLike | undefined): FetchLike =>
  createOutboundFetch(policyFor(url, fetchFn && { fetch: fetchFn }));

/** An issuer as text, without the slash that `new URL` adds to a bare origin. */
const issuerText = (url: string | URL): string => {
  if (typeof url === 'string') return url;
  return url.pathname === '/' && url.search === '' ? url.origin : url.href;
};

export async function discoverOAuthProtectedResourceMetadata(
  serverUrl: string | URL,
  options: { resourceMetadataUrl?: string | URL; protocolVersion?: string } = {},
  fetchFn?: FetchLike,
): Promise<OAuthProtectedResourceMetadata> {
  const named = options.resourceMetadataUrl;
  const found = await discoverResource(new URL(serverUrl), named === undefined ? undefined : new URL(named), {
    fetch: guarded(serverUrl, fetchFn),
  });
  if (found === undefined)
    throw new AuthFlowError(
      'resource-metadata',
      `${String(serverUrl)} has no protected-resource metadata: its operator has to publish it under /.well-known/oauth-protected-resource.`,
    );
  return found.metadata;
}

/** `undefined` where there is no metadata. */
export async function discoverAuthorizationServerMetadata(
  authorizationServerUrl: string | URL,
  options: { fetchFn?: FetchLike; protocolVersion?: string } = {},
): Promise<AuthorizationServerMetadata | undefined> {
  const issuer = issuerText(authorizationServerUrl);
  const found = await discoverServer(issuer, issuer, { fetch: guarded(authorizationServerUrl, options.fetchFn) });
  return found?.metadata;
}

export async function discoverOAuthMetadata(
  issuer: string | URL,
  options: { authorizationServerUrl?: string | URL; protocolVersion?: string } = {},
  fetchFn?: FetchLike,
): Promise<AuthorizationServerMetadata | undefined> {
  return discoverAuthorizationServerMetadata(options.authorizationServerUrl ?? issuer, fetchFn && { fetchFn });
}

export async function discoverOAuthServerInfo(
  serverUrl: string | URL,
  options: { resourceMetadataUrl?: URL; fetchFn?: FetchLike } = {},
): Promise<OAuthServerInfo> {
  const policy = policyFor(serverUrl, options.fetchFn && { fetch: options.fetchFn });
  const { resourceMetadataUrl } = options;
  const found = await discover(new URL(serverUrl), { fetch: createOutboundFetch(policy), policy, resourceMetadataUrl });
  return {
    authorizationServerUrl: found.metadata.issuer,
    authorizationServerMetadata: found.metadata,
    resourceMetadata: found.resourceMetadata,
  };
}

export function buildDiscoveryUrls(authorizationServerUrl: string | URL): { url: URL; type: 'oauth' | 'oidc' }[] {
  return authorizationServerMetadataUrls(authorizationServerUrl);
}

export function extractWWWAuthenticateParams(response: Response): {
  resourceMetadataUrl?: URL;
  scope?: string;
  error?: string;
  errorDescription?: string;
} {
  const all = parseChallenges(response.headers.get('www-authenticate'));
  const params = all.find(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')?.params ?? {};
  const { resource_metadata: named, scope, error, error_description: errorDescription } = params;
  return {
    ...(named !== undefined && URL.canParse(named) && { resourceMetadataUrl: new URL(named) }),
    ...(scope !== undefined && { scope }),
    ...(error !== undefined && { error }),
    ...(errorDescription !== undefined && { errorDescription }),
  };
}

export function extractResourceMetadataUrl(response: Response): URL | undefined {
  return extractWWWAuthenticateParams(response).resourceMetadataUrl;
}

export async function selectResourceURL(
  serverUrl: string | URL,
  provider: OAuthClientProvider,
  resourceMetadata?: OAuthProtectedResourceMetadata,
): Promise<URL | undefined> {
  if (provider.validateResourceURL !== undefined)
    return provider.validateResourceURL(serverUrl, resourceMetadata?.resource);
  if (resourceMetadata === undefined) return undefined;
  return new URL(checkedResource(resourceMetadata, new URL(serverUrl), undefined));
}

export function computeScopeUnion(...scopes: readonly (string | undefined)[]): string | undefined {
  return scopeUnion(...scopes);
}
