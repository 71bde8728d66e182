/** Finds the metadata of a server and of its authorization server. */
import {
  OAuthMetadataSchema,
  OAuthProtectedResourceMetadataSchema,
  OpenIdProviderDiscoveryMetadataSchema,
  type AuthorizationServerMetadata,
  type OAuthMetadata,
  type OAuthProtectedResourceMetadata,
} from '../../shared/auth.ts';
import type { FetchLike } from '../../shared/transport.ts';
import { LATEST_PROTOCOL_VERSION } from '../types/versions.ts';
import { guardedFetch, isRefusedAddress } from './guarded-fetch.ts';
import type { OAuthServerInfo } from './provider.ts';

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/**
 * Loads a document. A browser rejects with a `TypeError` where a server does not allow the header that is added here, so the request is
 * repeated without. `undefined` when that fails as well.
 */
async function load(url: URL, headers: Record<string, string>, fetchFn: FetchLike): Promise<Response | undefined> {
  for (const init of [{ headers }, {}]) {
    try {
      return await fetchFn(url, init);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return undefined;
}

interface Places {
  readonly server: URL;
  readonly type: 'oauth-authorization-server' | 'oauth-protected-resource';
  /** The address that the server named; the only one that is tried. */
  readonly named?: string | URL | undefined;
  readonly protocolVersion?: string | undefined;
}

/** Loads the document of a server from the well-known address with its path, else from that at the root. */
async function loadWellKnown(places: Places, fetchFn: FetchLike): Promise<Response | undefined> {
  const { server, type, named, protocolVersion = LATEST_PROTOCOL_VERSION } = places;
  const headers = { 'MCP-Protocol-Version': protocolVersion };
  if (named !== undefined) return load(new URL(named), headers, fetchFn);
  const first = new URL(`/.well-known/${type}${withoutSlash(server.pathname)}`, server);
  first.search = server.search;
  const response = await load(first, headers, fetchFn);
  const isElsewhere = response === undefined || (!response.ok && response.status < 500 && server.pathname !== '/');
  if (!isElsewhere) return response;
  await response?.body?.cancel();
  return load(new URL(`/.well-known/${type}`, server), headers, fetchFn);
}

/** Metadata of a protected resource (RFC 9728). Rejects where the server has none. */
export async function discoverOAuthProtectedResourceMetadata(
  serverUrl: string | URL,
  opts: { protocolVersion?: string | undefined; resourceMetadataUrl?: string | URL | undefined } = {},
  fetchFn?: FetchLike,
): Promise<OAuthProtectedResourceMetadata> {
  const { protocolVersion, resourceMetadataUrl: named } = opts;
  const server = new URL(serverUrl);
  const places = { server, type: 'oauth-protected-resource', named, protocolVersion } as const;
  const response = await loadWellKnown(places, guardedFetch(server, fetchFn));
  if (response?.ok === true) return OAuthProtectedResourceMetadataSchema.parse(await response.json());
  await response?.body?.cancel();
  throw new Error(
    response === undefined || response.status === 404
      ? 'Resource server does not implement OAuth 2.0 Protected Resource Metadata.'
      : `HTTP ${response.status} trying to load well-known OAuth protected resource metadata.`,
  );
}

/**
 * Metadata of an authorization server (RFC 8414); `undefined` where it has none.
 * @deprecated `discoverAuthorizationServerMetadata` finds that of OpenID providers as well.
 */
export async function discoverOAuthMetadata(
  issuer: string | URL,
  options: { authorizationServerUrl?: string | URL | undefined; protocolVersion?: string | undefined } = {},
  fetchFn?: FetchLike,
): Promise<OAuthMetadata | undefined> {
  const { authorizationServerUrl = issuer, protocolVersion } = options;
  const server = new URL(authorizationServerUrl);
  const places = { server, type: 'oauth-authorization-server', protocolVersion } as const;
  const response = await loadWellKnown(places, guardedFetch(server, fetchFn));
  if (response?.ok === true) return OAuthMetadataSchema.parse(await response.json());
  await response?.body?.cancel();
  if (response === undefined || response.status === 404) return undefined;
  throw new Error(`HTTP ${response.status} trying to load well-known OAuth metadata`);
}

/** Addresses at which an authorization server may publish its metadata, in the order in which they are tried. */
export function buildDiscoveryUrls(authorizationServerUrl: string | URL): { url: URL; type: 'oauth' | 'oidc' }[] {
  const { origin, pathname } = new URL(authorizationServerUrl);
  const path = withoutSlash(pathname);
  const at = (type: 'oauth' | 'oidc', place: string): { url: URL; type: 'oauth' | 'oidc' } => ({
    url: new URL(place, origin),
    type,
  });
  return [
    at('oauth', `/.well-known/oauth-authorization-server${path}`),
    at('oidc', `/.well-known/openid-configuration${path}`),
    ...(path === '' ? [] : [at('oidc', `${path}/.well-known/openid-configuration`)]),
  ];
}

/** Metadata of an authorization server or OpenID provider; `undefined` where there is none. */
export async function discoverAuthorizationServerMetadata(
  authorizationServerUrl: string | URL,
  options: { fetchFn?: FetchLike | undefined; protocolVersion?: string | undefined } = {},
): Promise<AuthorizationServerMetadata | undefined> {
  const fetchFn = guardedFetch(authorizationServerUrl, options.fetchFn);
  const headers = {
    'MCP-Protocol-Version': options.protocolVersion ?? LATEST_PROTOCOL_VERSION,
    Accept: 'application/json',
  };
  for (const { url, type } of buildDiscoveryUrls(authorizationServerUrl)) {
    const response = await load(url, headers, fetchFn);
    if (response?.ok === true) {
      const document: unknown = await response.json();
      return type === 'oauth'
        ? OAuthMetadataSchema.parse(document)
        : OpenIdProviderDiscoveryMetadataSchema.parse(document);
    }
    await response?.body?.cancel();
    if (response !== undefined && response.status >= 500)
      throw new Error(
        `HTTP ${response.status} trying to load ${type === 'oauth' ? 'OAuth' : 'OpenID provider'} metadata from ${url.href}`,
      );
  }
  return undefined;
}

/** The authorization server of a server: the first that its metadata names, else the server's own origin, as in the first revision. */
export async function discoverOAuthServerInfo(
  serverUrl: string | URL,
  opts: { resourceMetadataUrl?: URL | undefined; fetchFn?: FetchLike | undefined } = {},
): Promise<OAuthServerInfo> {
  const fetchFn = guardedFetch(serverUrl, opts.fetchFn);
  const resourceMetadata = await discoverOAuthProtectedResourceMetadata(serverUrl, opts, fetchFn).catch(orNone);
  const authorizationServerUrl = resourceMetadata?.authorization_servers?.[0] ?? String(new URL('/', serverUrl));
  const authorizationServerMetadata = await discoverAuthorizationServerMetadata(authorizationServerUrl, { fetchFn });
  return { authorizationServerUrl, authorizationServerMetadata, resourceMetadata };
}

/** Servers of the first revision have no such metadata. An address that is not allowed is an error all the same. */
export function orNone(error: unknown): undefined {
  if (isRefusedAddress(error)) throw error;
  return undefined;
}
