import type { HttpHeaders, HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import { FetchHttpRequest } from '../../../transports/http/server/adapters/fetch-exchange.ts';
import type { NodeRequest, NodeResponse } from '../../../transports/http/server/adapters/node-exchange.ts';
import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '../../oauth-types.ts';
import { authorizationServerMetadataUrls } from '../../well-known.ts';
import { jsonAnswer, type Answer } from '../http/answer.ts';
import { serveRoutes, type Served } from '../http/routes.ts';
import { metadataPaths, protectedResourceMetadata } from './protected-resource.ts';

export interface AuthMetadataOptions {
  /** Metadata of the authorization server that this server relies on. */
  readonly oauthMetadata: AuthorizationServerMetadata;
  /** URL of the MCP server. */
  readonly resourceServerUrl: string | URL;
  readonly serviceDocumentationUrl?: string | URL;
  readonly scopesSupported?: readonly string[];
  readonly resourceName?: string;
}

/** A middleware for the root of an Express application, usable in the other forms as well. */
export interface AuthRouter extends Served {
  (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void): void;
}

const PUBLIC: HttpHeaders = { 'Access-Control-Allow-Origin': '*' };
const PREFLIGHT: HttpHeaders = {
  ...PUBLIC,
  'Access-Control-Allow-Methods': 'GET, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Authorization, MCP-Protocol-Version',
};

/** Serves the metadata of a protected server and of its authorization server, for clients that look for the latter here. */
export function mcpAuthMetadataRouter(options: AuthMetadataOptions): AuthRouter {
  const documents = documentsOf(options);
  const served = serveRoutes({
    serves: (path) => documents.has(path),
    answer: async (request) => answerDocument(request, documents) ?? jsonAnswer(404, {}),
  });
  const router: Served['router'] = (request, response, next) => served.router(request, response, next);
  return Object.assign(router, served);
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
