import type { OAuthProtectedResourceMetadata } from '../../oauth-types.ts';
import { protectedResourceMetadataUrls } from '../../well-known.ts';
import { requireResource } from './resource-uri.ts';
import { requireScopes } from './scopes.ts';

export interface ProtectedResourceOptions {
  /** The URL of the MCP server. */
  readonly resource: string | URL;
  /** The issuers of the authorization servers whose tokens are accepted; at least one. */
  readonly authorizationServers: readonly (string | URL)[];
  /** The scopes that are enough for a start; more are asked for when they are needed. */
  readonly scopesSupported?: readonly string[];
  readonly resourceName?: string;
  readonly serviceDocumentationUrl?: string | URL;
  readonly dpop?: { readonly required: boolean; readonly algorithms: readonly string[] } | undefined;
}

/** The document that tells clients where to log in. Throws for one that no client could use. */
export function protectedResourceMetadata(options: ProtectedResourceOptions): OAuthProtectedResourceMetadata {
  const { resource, authorizationServers, scopesSupported, resourceName, serviceDocumentationUrl, dpop } = options;
  if (authorizationServers.length === 0)
    throw new TypeError('Name at least one authorization server: without one no client can log in.');
  if (scopesSupported?.includes('offline_access'))
    throw new TypeError(
      'offline_access is between the client and its authorization server: take it out of the scopes.',
    );
  return {
    resource: requireResource(resource),
    authorization_servers: authorizationServers.map(issuerText),
    ...(scopesSupported && { scopes_supported: [...requireScopes(scopesSupported, 'the resource')] }),
    bearer_methods_supported: ['header'],
    ...(resourceName !== undefined && { resource_name: resourceName }),
    ...(serviceDocumentationUrl !== undefined && { resource_documentation: String(serviceDocumentationUrl) }),
    ...(dpop && { dpop_signing_alg_values_supported: [...dpop.algorithms] }),
    ...(dpop?.required && { dpop_bound_access_tokens_required: true }),
  };
}

/** An issuer is compared byte for byte, so a text stays as it is; a `URL` puts a slash behind a bare host that nobody wrote. */
export function issuerText(issuer: string | URL): string {
  if (typeof issuer === 'string') return issuer;
  return issuer.pathname === '/' && issuer.search === '' ? issuer.href.slice(0, -1) : issuer.href;
}

/** Where the document of a resource is: between its host and its path. */
export function getOAuthProtectedResourceMetadataUrl(resource: string | URL): string {
  return String(protectedResourceMetadataUrls(requireResource(resource))[0]);
}

/** The paths under which the document is served: the resource's own, and the bare one, which some clients try first. */
export function metadataPaths(resource: string | URL): readonly string[] {
  return protectedResourceMetadataUrls(requireResource(resource)).map(({ pathname }) => pathname);
}
