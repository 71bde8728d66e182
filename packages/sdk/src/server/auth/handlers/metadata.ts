import type { OAuthMetadata, OAuthProtectedResourceMetadata } from 'crosspoint/auth';
import type { Handler } from '../../../internal/server/auth/endpoint-handler.ts';

/** Serves a public metadata document. */
export function metadataHandler(metadata: OAuthMetadata | OAuthProtectedResourceMetadata): Handler {
  const body = JSON.stringify(metadata);
  return (request, response) => {
    const headers = { 'Access-Control-Allow-Origin': '*' };
    if (request.method === 'GET' || request.method === 'HEAD') {
      response.writeHead(200, { ...headers, 'Content-Type': 'application/json' });
      response.end(request.method === 'HEAD' ? undefined : body);
    } else if (request.method === 'OPTIONS') {
      response.writeHead(204, { ...headers, 'Access-Control-Allow-Headers': 'MCP-Protocol-Version' });
      response.end();
    } else {
      response.writeHead(405, { ...headers, Allow: 'GET, HEAD, OPTIONS' });
      response.end();
    }
  };
}
