import type { OAuthProtectedResourceMetadata } from '../../oauth-types.ts';
import { protectedResourceMetadataUrls } from '../../well-known.ts';
import { requireResource } from './resource-uri.ts';
import { requireScopes } from './scopes.ts';

export interface ProtectedResourceOptions {
  /** URL of the MCP server. */
  readonly resource: string | URL;
  /** Issuers of the accepted authorization servers; at least one. */
  readonly authorizationServers: readonly (string | URL)[];
  /** Scopes to request at first; more are requested when needed. */
  readonly scopesSupported?: readonly string[];
  readonly resourceName?: string;
  readonly serviceDocumentationUrl?: string | URL;
  readonly dpop?: { readonly required: boolean; readonly algorithms: readonly string[] } | undefined;
}

/** The protected-resource metadata, which tells clients where to log in. Throws for a document that no client could use. */
export function protectedResourceMetadata(options: ProtectedResourceOptions): OAuthProtectedResourceMetadata {
  const { resource, authorizationServers, scopesSupported, resourceName, serviceDocumentationUrl, dpop } = options;
  if (authorizationServers.length === 0)
    throw new TypeError('The option authorizationServers must name at least one: without it no client can log in.');
  if (scopesSupported?.includes('offline_access'))
    throw new TypeError(
      'The scopes must not contain offline_access, which concerns only the client and its authorization server.',
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

/** Issuers are compared exactly, so a string is kept as it is; `URL` would add a slash to a bare host. */
export function issuerText(issuer: string | URL): string {
  if (typeof issuer === 'string') return issuer;
  return issuer.pathname === '/' && issuer.search === '' ? issuer.href.slice(0, -1) : issuer.href;
}

/** Address of a resource's metadata document: the well-known path between its host and its path. */
export function getOAuthProtectedResourceMetadataUrl(resource: string | URL): string {
  return String(protectedResourceMetadataUrls(requireResource(resource))[0]);
}

/** Paths that serve the document: the resource's own, and the bare one, which some clients try first. */
export function metadataPaths(resource: string | URL): readonly string[] {
  return protectedResourceMetadataUrls(requireResource(resource)).map(({ pathname }) => pathname);
}
