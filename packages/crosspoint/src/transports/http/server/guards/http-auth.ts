import type { AuthInfo, MessageExtraInfo } from '../../../transport.ts';
import type { HttpReply, HttpRequest } from '../adapters/exchange.ts';
import type { HttpRefusal } from '../adapters/refuse.ts';

/** Authenticates the requests of an endpoint. Every request is checked by itself: a session is no credential. */
export interface HttpAuth {
  /** Serves the gate's own documents; returns false for every other request. */
  answer(request: HttpRequest, reply: HttpReply): boolean;
  /** The verified identity, or the refusal. Never rejects. */
  check(request: HttpRequest): Promise<{ readonly authInfo: AuthInfo } | { readonly refused: HttpRefusal }>;
  /** The refusal for a token without all of these scopes; `undefined` when it has them. */
  refuseScopes(authInfo: AuthInfo | undefined, needed: readonly string[]): HttpRefusal | undefined;
}

const gates = new WeakMap<AuthInfo, HttpAuth>();

/** Remembers which gate admitted a caller, so that an endpoint behind a middleware can refuse missing scopes in the same way. */
export function rememberGate(authInfo: AuthInfo, gate: HttpAuth): void {
  gates.set(authInfo, gate);
}

export function gateOf(authInfo: AuthInfo | undefined): HttpAuth | undefined {
  return authInfo && gates.get(authInfo);
}

/** The part of an HTTP request that handlers may see. */
export function extraOf(request: HttpRequest): MessageExtraInfo {
  return {
    authInfo: request.authInfo,
    principal: request.principal,
    address: request.address ?? '',
    requestInfo: new RequestFacts(visibleHeaders(request), request),
    closeSSEStream: undefined,
  };
}

/** The request as handlers see it. Its address is made when a handler asks for it. */
class RequestFacts {
  readonly headers: ReturnType<HttpRequest['allHeaders']>;
  readonly #request: HttpRequest;

  constructor(headers: ReturnType<HttpRequest['allHeaders']>, request: HttpRequest) {
    this.headers = headers;
    this.#request = request;
  }

  get url(): URL | undefined {
    return this.#request.url;
  }
}

/** Headers for handlers, without the credentials that the gate has verified: a handler that forwards its headers must not forward them. */
function visibleHeaders(request: HttpRequest): ReturnType<HttpRequest['allHeaders']> {
  const headers = request.allHeaders();
  if (request.authInfo === undefined || !gates.has(request.authInfo)) return headers;
  const { authorization: _token, dpop: _proof, ...visible } = headers;
  return visible;
}
