import { memoryStore } from '../../../stores/memory.ts';
import type { Store } from '../../../stores/store.ts';
import type { HttpHeaders, HttpReply, HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import { partyAt } from '../../../transports/http/server/guards/party.ts';
import {
  NodeHttpRequest,
  type NodeRequest,
  type NodeResponse,
} from '../../../transports/http/server/adapters/node-exchange.ts';
import { serveNode } from '../../../transports/http/server/adapters/http-service.ts';
import { OAuthError } from '../../oauth-error.ts';
import { FetchHttpRequest } from '../../../transports/http/server/adapters/fetch-exchange.ts';
import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '../../oauth-types.ts';
import { authorizationServerMetadataUrls } from '../../well-known.ts';
import { errorAnswer, jsonAnswer, type Answer } from '../http/answer.ts';
import type { AuthorizationReply, OAuthServerProvider } from './oauth-server-provider.ts';
import { issuerText, metadataPaths, protectedResourceMetadata } from '../resource/protected-resource.ts';
import { ProviderEndpoints, type EndpointName, type ProviderRegistrationOptions } from './provider-endpoints.ts';
import { RateLimit, type RateLimitOptions } from '../http/rate-limit.ts';
import { serveRoutes, type Routes, type Served } from '../http/routes.ts';
import { isLoopbackName } from '../../../runtime/loopback.ts';

export interface AuthMetadataOptions {
  /** Metadata of the authorization server that this server relies on. */
  readonly oauthMetadata: AuthorizationServerMetadata;
  /** URL of the MCP server. */
  readonly resourceServerUrl: string | URL;
  readonly serviceDocumentationUrl?: string | URL;
  readonly scopesSupported?: readonly string[];
  readonly resourceName?: string;
}

export interface AuthRouterOptions {
  readonly provider: OAuthServerProvider;
  readonly issuerUrl: string | URL;
  /** Base of the endpoints; the issuer when absent. */
  readonly baseUrl?: string | URL;
  readonly serviceDocumentationUrl?: string | URL;
  readonly scopesSupported?: readonly string[];
  readonly resourceName?: string;
  /** URL of the MCP server; the base when absent. When given, tokens are issued for it alone. */
  readonly resourceServerUrl?: string | URL;
  /** How often one address may call each endpoint; 100 times a minute when absent, and 20 registrations an hour. */
  readonly rateLimit?: RateLimitOptions;
  /** Limits for single endpoints, replacing both; `false` for no limit. */
  readonly rateLimits?: Partial<Record<EndpointName, RateLimitOptions | false>>;
  /** Secret lifetime and id generation of registrations. */
  readonly registration?: ProviderRegistrationOptions;
  /** Storage for the counts, shared by all nodes; in memory when absent. */
  readonly store?: Store;
  readonly onproblem?: (problem: Error) => void;
}

/** A middleware for the root of an Express application, usable in the other forms as well. */
export interface AuthRouter extends Served {
  (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void): void;
}

const PUBLIC: HttpHeaders = { 'Access-Control-Allow-Origin': '*' };
const PREFLIGHT: HttpHeaders = {
  ...PUBLIC,
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Authorization, MCP-Protocol-Version',
};

/** Authorization-server metadata for the endpoints that the provider supports. */
export function createOAuthMetadata(options: AuthRouterOptions): AuthorizationServerMetadata {
  const { provider, issuerUrl, baseUrl = issuerUrl, scopesSupported, serviceDocumentationUrl } = options;
  const issuer = issuerText(issuerUrl);
  const { protocol, hostname, search } = new URL(issuer);
  if (protocol !== 'https:' && !isLoopbackName(hostname)) throw new TypeError(`The issuer ${issuer} must be https.`);
  if (search !== '' || issuer.includes('#'))
    throw new TypeError(`The issuer ${issuer} must have neither query nor fragment.`);
  const base = String(baseUrl).replace(/\/$/, '');
  const methods = ['client_secret_post', 'client_secret_basic', 'none'];
  return {
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    ...(provider.clientsStore.registerClient && { registration_endpoint: `${base}/register` }),
    ...(provider.revokeToken && {
      revocation_endpoint: `${base}/revoke`,
      revocation_endpoint_auth_methods_supported: methods,
    }),
    ...(scopesSupported && { scopes_supported: [...scopesSupported] }),
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    ...(serviceDocumentationUrl !== undefined && { service_documentation: String(serviceDocumentationUrl) }),
  };
}

/** Serves the metadata of a protected server and of its authorization server, for clients that look for the latter here. */
export function mcpAuthMetadataRouter(options: AuthMetadataOptions): AuthRouter {
  const documents = documentsOf(options);
  return asRouter({
    serves: (path) => documents.has(path),
    answer: async (request) => answerDocument(request, documents) ?? jsonAnswer(404, {}),
  });
}

/** Serves the endpoints of an authorization server around the program's own provider, at the root of the application. */
export function mcpAuthRouter(options: AuthRouterOptions): AuthRouter {
  const { baseUrl = options.issuerUrl, resourceServerUrl = baseUrl, onproblem } = options;
  const metadata = createOAuthMetadata(options);
  const documents = documentsOf({ ...options, oauthMetadata: metadata, resourceServerUrl });
  const { provider, registration } = options;
  const endpoints = new ProviderEndpoints(provider, metadata, options.resourceServerUrl, registration);
  const admit = admission(options, endpoints);
  const answer = async (request: HttpRequest, native?: AuthorizationReply): Promise<Answer | undefined> => {
    const document = answerDocument(request, documents);
    if (document) return document;
    const headers = endpoints.isForPrograms(request.path) ? PUBLIC : {};
    if (request.method === 'OPTIONS') return { status: 204, headers: PREFLIGHT };
    try {
      await admit(request);
      const made = await endpoints.answer(request, native);
      return made && { ...made, headers: { ...made.headers, ...headers } };
    } catch (error) {
      if (error instanceof OAuthError) return errorAnswer(error, headers);
      throw error;
    }
  };
  return asRouter(
    {
      serves: (path) => documents.has(path) || endpoints.serves(path),
      answer: async (request) => (await answer(request)) ?? jsonAnswer(500, { error: 'server_error' }),
      onproblem,
    },
    // Under Express, the provider gets Express's own response, which offers more.
    (path) => endpoints.isAuthorization(path),
    answer,
  );
}

/** Throws when an address has called an endpoint too often. */
function admission(options: AuthRouterOptions, endpoints: ProviderEndpoints): (request: HttpRequest) => Promise<void> {
  const { rateLimit = { max: 100, windowMs: 60_000 }, rateLimits = {}, store = memoryStore() } = options;
  const limit = new RateLimit(store, 'endpoint', rateLimit, Date.now);
  const registrations = new RateLimit(store, 'register', { max: 20, windowMs: 3_600_000 }, Date.now);
  const own = new Map(
    Object.entries(rateLimits).map(([name, one]) => [name, one && new RateLimit(store, name, one, Date.now)]),
  );
  return async (request) => {
    const address = partyAt(request.remoteAddress);
    const ownLimit = own.get(endpoints.nameOf(request.path) ?? '');
    if (ownLimit !== undefined) return ownLimit === false ? undefined : ownLimit.admit(address);
    await limit.admit(`${request.path} ${address}`);
    if (endpoints.isRegistration(request.path)) await registrations.admit(address);
  };
}

/** The protected-resource metadata, which tells clients where to log in. */
export function buildOAuthProtectedResourceMetadata(options: AuthMetadataOptions): OAuthProtectedResourceMetadata {
  const { oauthMetadata, resourceServerUrl, serviceDocumentationUrl, scopesSupported, resourceName } = options;
  return protectedResourceMetadata({
    resource: resourceServerUrl,
    authorizationServers: [oauthMetadata.issuer],
    ...(scopesSupported && { scopesSupported }),
    ...(resourceName !== undefined && { resourceName }),
    ...(serviceDocumentationUrl !== undefined && { serviceDocumentationUrl }),
  });
}

/** The response to a request for metadata; `undefined` for any other request. */
export function oauthMetadataResponse(request: Request, options: AuthMetadataOptions): Response | undefined {
  const answer = answerDocument(new FetchHttpRequest(request, {}), documentsOf(options));
  return answer && new Response(answer.body ?? null, { status: answer.status, headers: { ...answer.headers } });
}

function documentsOf(options: AuthMetadataOptions): ReadonlyMap<string, object> {
  const { oauthMetadata, resourceServerUrl } = options;
  const [location] = authorizationServerMetadataUrls(oauthMetadata.issuer);
  return new Map<string, object>([
    ...metadataPaths(resourceServerUrl).map((path): [string, object] => [
      path,
      buildOAuthProtectedResourceMetadata(options),
    ]),
    [location?.url.pathname ?? '', oauthMetadata],
  ]);
}

function answerDocument(request: HttpRequest, documents: ReadonlyMap<string, object>): Answer | undefined {
  const document = documents.get(request.path);
  if (document === undefined) return undefined;
  if (request.method === 'OPTIONS') return { status: 204, headers: PREFLIGHT };
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return jsonAnswer(405, { error: 'method_not_allowed' }, { ...PUBLIC, Allow: 'GET, HEAD, OPTIONS' });
  return jsonAnswer(200, document, { ...PUBLIC, 'Cache-Control': 'public, max-age=300' });
}

type NativeAnswer = (request: HttpRequest, native?: AuthorizationReply) => Promise<Answer | undefined>;

function asRouter(routes: Routes, isNative?: (path: string) => boolean, answer?: NativeAnswer): AuthRouter {
  const served = serveRoutes(routes);
  const router = (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void): void => {
    const asked = new NodeHttpRequest(request, undefined);
    const native = response as object as Partial<AuthorizationReply>;
    if (answer === undefined || isNative?.(asked.path) !== true || typeof native.redirect !== 'function')
      return served.router(request, response, next);
    const { onproblem } = routes;
    const serve = async (_request: HttpRequest, reply: HttpReply): Promise<void> => {
      const made = await answer(asked, native as AuthorizationReply);
      if (made) reply.send(made.status, made.headers, made.body);
    };
    void serveNode({ onproblem, serve }, request, response);
  };
  return Object.assign(router, { ...served, router });
}
