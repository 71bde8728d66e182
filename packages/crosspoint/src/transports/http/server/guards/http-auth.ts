import type { AuthInfo, MessageExtraInfo } from '../../../transport.ts';
import type { HttpReply, HttpRequest } from '../adapters/exchange.ts';
import type { HttpRefusal } from '../adapters/refuse.ts';

/** What stands before an endpoint and says who may come in. Looks at one request alone: a session is no credential. */
export interface HttpAuth {
  /** Answers requests for its own documents; false for every other request. */
  answer(request: HttpRequest, reply: HttpReply): boolean;
  /** Who is calling, or why nobody is let in. Never rejects. */
  check(request: HttpRequest): Promise<{ readonly authInfo: AuthInfo } | { readonly refused: HttpRefusal }>;
  /** What to answer a caller whose token does not cover all of these; `undefined` when it does. */
  refuseScopes(authInfo: AuthInfo | undefined, needed: readonly string[]): HttpRefusal | undefined;
}

const gates = new WeakMap<AuthInfo, HttpAuth>();

/** Remembers who let a caller in, so that an endpoint behind a middleware can refuse in the same words. */
export function rememberGate(authInfo: AuthInfo, gate: HttpAuth): void {
  gates.set(authInfo, gate);
}

export function gateOf(authInfo: AuthInfo | undefined): HttpAuth | undefined {
  return authInfo && gates.get(authInfo);
}

/** What a handler may want to see of the HTTP request. */
export function extraOf(request: HttpRequest): MessageExtraInfo {
  return {
    authInfo: request.authInfo,
    principal: request.principal,
    address: request.address ?? '',
    requestInfo: { headers: visibleHeaders(request) },
    closeSSEStream: undefined,
  };
}

/** The headers that handlers may see: without what the gate has verified, so that nobody passes it on by passing on the headers. */
function visibleHeaders(request: HttpRequest): ReturnType<HttpRequest['allHeaders']> {
  const headers = request.allHeaders();
  if (request.authInfo === undefined || !gates.has(request.authInfo)) return headers;
  const { authorization: _token, dpop: _proof, ...visible } = headers;
  return visible;
}
