import express, { type RequestHandler, type Router } from 'express';
import type { OAuthMetadata, OAuthProtectedResourceMetadata } from '../../shared/auth.ts';
import { authorizationHandler, type AuthorizationHandlerOptions } from './handlers/authorize.ts';
import { metadataHandler } from './handlers/metadata.ts';
import { clientRegistrationHandler, type ClientRegistrationHandlerOptions } from './handlers/register.ts';
import { revocationHandler, type RevocationHandlerOptions } from './handlers/revoke.ts';
import { tokenHandler, type TokenHandlerOptions } from './handlers/token.ts';
import type { OAuthServerProvider } from './provider.ts';

export type AuthRouterOptions = {
  provider: OAuthServerProvider;
  /** The issuer: https, or http on this machine, without query and fragment. */
  issuerUrl: URL;
  /** Base of the endpoints; the issuer when absent. */
  baseUrl?: URL;
  serviceDocumentationUrl?: URL;
  scopesSupported?: string[];
  resourceName?: string;
  /** URL of the MCP server; the base when absent. When given, tokens are issued for it alone. */
  resourceServerUrl?: URL;
  authorizationOptions?: Omit<AuthorizationHandlerOptions, 'provider'>;
  clientRegistrationOptions?: Omit<ClientRegistrationHandlerOptions, 'clientsStore'>;
  revocationOptions?: Omit<RevocationHandlerOptions, 'provider'>;
  tokenOptions?: Omit<TokenHandlerOptions, 'provider'>;
};

export type AuthMetadataOptions = {
  /** Metadata of the authorization server that this server relies on. */
  oauthMetadata: OAuthMetadata;
  /** URL of the MCP server. */
  resourceServerUrl: URL;
  serviceDocumentationUrl?: URL;
  scopesSupported?: string[];
  resourceName?: string;
};

const SERVER_PATH = '/.well-known/oauth-authorization-server';
const RESOURCE_PATH = '/.well-known/oauth-protected-resource';
const OWN_MACHINE: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const INSECURE = 'MCP_DANGEROUSLY_ALLOW_INSECURE_ISSUER_URL';

/** A path for Express that matches itself alone: in a pattern, some of its characters would mean something. */
function literal(path: string): string {
  return path.replaceAll(/[{}()[\]+?!:*\\]/g, String.raw`\$&`);
}

function checkIssuerUrl(issuer: URL): void {
  if (issuer.protocol !== 'https:' && !OWN_MACHINE.includes(issuer.hostname)) {
    if (!['true', '1'].includes(process.env[INSECURE] ?? '')) throw new Error('Issuer URL must be HTTPS');
    console.warn(`${INSECURE} lets the issuer ${issuer.href} be without TLS. Do not use it in production.`);
  }
  if (issuer.hash) throw new Error(`Issuer URL must not have a fragment: ${issuer.href}`);
  if (issuer.search) throw new Error(`Issuer URL must not have a query string: ${issuer.href}`);
}

/** Metadata of an authorization server with the endpoints that the provider supports, at the root of the base. */
export function createOAuthMetadata(
  options: Pick<
    AuthRouterOptions,
    'provider' | 'issuerUrl' | 'baseUrl' | 'serviceDocumentationUrl' | 'scopesSupported'
  >,
): OAuthMetadata {
  const { provider, issuerUrl, baseUrl = issuerUrl, serviceDocumentationUrl, scopesSupported } = options;
  checkIssuerUrl(issuerUrl);
  const at = (path: string): string => new URL(path, baseUrl).href;
  return {
    issuer: issuerUrl.href,
    service_documentation: serviceDocumentationUrl?.href,
    authorization_endpoint: at('/authorize'),
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint: at('/token'),
    token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    scopes_supported: scopesSupported,
    revocation_endpoint: provider.revokeToken ? at('/revoke') : undefined,
    revocation_endpoint_auth_methods_supported: provider.revokeToken ? ['client_secret_post'] : undefined,
    registration_endpoint: provider.clientsStore.registerClient ? at('/register') : undefined,
  };
}

/** Serves the endpoints of an authorization server around the program's own provider, at the root of the application. */
export function mcpAuthRouter(options: AuthRouterOptions): RequestHandler {
  const { provider, issuerUrl, baseUrl = issuerUrl, resourceServerUrl } = options;
  const metadata = createOAuthMetadata(options);
  const router = express.Router();
  const mount = (address: string | undefined, handler: () => RequestHandler): void => {
    if (address !== undefined) router.use(new URL(address).pathname, handler());
  };
  mount(metadata.authorization_endpoint, () =>
    authorizationHandler({ provider, resourceServerUrl, ...options.authorizationOptions }),
  );
  mount(metadata.token_endpoint, () => tokenHandler({ provider, resourceServerUrl, ...options.tokenOptions }));
  router.use(
    mcpAuthMetadataRouter({ ...options, oauthMetadata: metadata, resourceServerUrl: resourceServerUrl ?? baseUrl }),
  );
  const { clientsStore } = provider;
  mount(metadata.registration_endpoint, () =>
    clientRegistrationHandler({ clientsStore, ...options.clientRegistrationOptions }),
  );
  mount(metadata.revocation_endpoint, () => revocationHandler({ provider, ...options.revocationOptions }));
  return router;
}

/** Serves the metadata of a protected server and of its authorization server, for clients that look for the latter here. */
export function mcpAuthMetadataRouter(options: AuthMetadataOptions): Router {
  const { oauthMetadata, resourceServerUrl, scopesSupported, resourceName, serviceDocumentationUrl } = options;
  const issuer = new URL(oauthMetadata.issuer);
  checkIssuerUrl(issuer);
  const resource: OAuthProtectedResourceMetadata = {
    resource: resourceServerUrl.href,
    authorization_servers: [oauthMetadata.issuer],
    scopes_supported: scopesSupported,
    resource_name: resourceName,
    resource_documentation: serviceDocumentationUrl?.href,
  };
  const router = express.Router();
  const { pathname } = new URL(getOAuthProtectedResourceMetadataUrl(resourceServerUrl));
  router.use(literal(pathname), metadataHandler(resource));
  // RFC 8414 puts the path of an issuer behind the well-known one; older clients look without it.
  if (issuer.pathname !== '/') router.use(literal(`${SERVER_PATH}${issuer.pathname}`), metadataHandler(oauthMetadata));
  router.use(SERVER_PATH, metadataHandler(oauthMetadata));
  return router;
}

/** Address of a resource's metadata document: the well-known path between its host and its path. */
export function getOAuthProtectedResourceMetadataUrl(serverUrl: URL): string {
  const { href, pathname } = new URL(serverUrl.href);
  return new URL(`${RESOURCE_PATH}${pathname === '/' ? '' : pathname}`, href).href;
}
