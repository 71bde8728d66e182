import type { HttpHeaders, HttpRequest } from '../adapters/exchange.ts';

export interface CorsOptions {
  /** How long a browser may cache the preflight response, in seconds; 600 when absent. */
  readonly maxAge?: number;
}

/** All request headers of both families. `Mcp-Param-*` headers are taken from the preflight request. */
const REQUEST_HEADERS =
  'Content-Type, Accept, Authorization, DPoP, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const RESPONSE_HEADERS = 'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After, Allow';

/** Headers that let a page read the response, errors included. The guards have already checked its origin. */
export function corsHeaders(request: HttpRequest): HttpHeaders {
  const origin = request.header('origin');
  return origin === undefined
    ? { Vary: 'Origin' }
    : { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': RESPONSE_HEADERS, Vary: 'Origin' };
}

/** Headers of the preflight response. */
export function preflightHeaders(request: HttpRequest, { maxAge = 600 }: CorsOptions): HttpHeaders {
  const asked = request.header('access-control-request-headers') ?? '';
  const params = asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[!#$%&'*+.^_`|~0-9A-Za-z-]+$/i.test(name));
  return {
    ...corsHeaders(request),
    'Access-Control-Allow-Methods': 'POST, GET, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': [REQUEST_HEADERS, ...params].join(', '),
    'Access-Control-Max-Age': String(maxAge),
  };
}
