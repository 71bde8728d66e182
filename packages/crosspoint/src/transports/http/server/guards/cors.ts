import type { HttpHeaders, HttpRequest } from '../adapters/exchange.ts';

export interface CorsOptions {
  /** How long a browser may remember the answer to its question, in seconds. */
  readonly maxAge?: number;
}

/** Every header of both families that a page may send. `Mcp-Param-*` are named by the page's own question. */
const REQUEST_HEADERS =
  'Content-Type, Accept, Authorization, DPoP, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const RESPONSE_HEADERS = 'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After, Allow';

/** The headers that let a page read an answer, also one that is an error. The guards have allowed its origin before. */
export function corsHeaders(request: HttpRequest): HttpHeaders {
  const origin = request.header('origin');
  return origin === undefined
    ? { Vary: 'Origin' }
    : { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': RESPONSE_HEADERS, Vary: 'Origin' };
}

/** The answer to a browser's question before the request itself. */
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
