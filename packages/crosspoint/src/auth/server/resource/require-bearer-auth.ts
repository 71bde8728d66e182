import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import type { HttpReply, HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import {
  FetchHttpReply,
  FetchHttpRequest,
  type FetchExtras,
} from '../../../transports/http/server/adapters/fetch-exchange.ts';
import type { HttpAuth } from '../../../transports/http/server/guards/http-auth.ts';
import type { NodeRequest, NodeResponse } from '../../../transports/http/server/adapters/node-exchange.ts';
import { serveNode } from '../../../transports/http/server/adapters/http-service.ts';
import type { AuthInfo } from '../../../transports/transport.ts';
import { BearerGate } from './bearer-gate.ts';
import type { DpopOptions } from './dpop-proof.ts';
import { jwtVerifier } from './jwt-verifier.ts';
import type { ScopeHierarchy } from './scopes.ts';
import type { OAuthTokenVerifier } from './token-verifier.ts';

export interface BearerAuthOptions {
  /**
   * URL of this MCP server; tokens issued for another one are refused. May be omitted only with a `verifier` that checks the audience
   * itself; no metadata is served then.
   */
  readonly audience?: string | URL;
  /** Verifies tokens. When absent, tokens are signed by `issuer`. */
  readonly verifier?: OAuthTokenVerifier | ((token: string) => Promise<AuthInfo>);
  /** Issuer that signs the tokens. */
  readonly issuer?: string | URL;
  /** The issuer's keys, or their address; found in its metadata when absent. */
  readonly jwks?: string | URL | JSONWebKeySet | JWTVerifyGetKey;
  /** Scopes that every request needs; also named in the challenge. */
  readonly scopes?: readonly string[];
  /** The official SDK's name for `scopes`. */
  readonly requiredScopes?: readonly string[];
  /** Broader scopes, with the scopes that each includes. */
  readonly scopeHierarchy?: ScopeHierarchy;
  /** Issuers that clients are sent to; `issuer` when absent. */
  readonly authorizationServers?: readonly (string | URL)[];
  /** Scopes in the metadata document; `scopes` when absent. */
  readonly scopesSupported?: readonly string[];
  /** Name of this server for people. */
  readonly resourceName?: string;
  readonly serviceDocumentationUrl?: string | URL;
  /** Address of the metadata document, when it is served elsewhere. */
  readonly resourceMetadataUrl?: string | URL;
  /** Accept tokens that are bound to a key of the client (DPoP). */
  readonly dpop?: DpopOptions;
  /** Called when a token could not be verified for a reason other than the token, such as unreachable keys. */
  readonly onproblem?: (problem: Error) => void;
  /** Current time in milliseconds. */
  readonly now?: () => number;
}

type Next = (error?: unknown) => unknown;

/**
 * Admits only requests with a token for this server. Pass it to `createMcpHandler` as `auth`; use it as an Express middleware, which sets
 * `request.auth`; or call `authorize` with a web `Request`.
 */
export interface BearerAuth extends HttpAuth {
  /** Like `authorize`. */
  (request: Request): Promise<AuthInfo | Response>;
  (request: NodeRequest, response: NodeResponse, next: Next): void;
  /** The verified identity of a request, or the response to send instead. */
  authorize(request: Request, extras?: FetchExtras): Promise<AuthInfo | Response>;
}

/** Protects a server with bearer tokens. */
export function requireBearerAuth(options: BearerAuthOptions): BearerAuth {
  const gate = new BearerGate(options, verifierOf(options));
  /** Returns the verified identity; `undefined` when the request has been answered. */
  const admit = async (request: HttpRequest, reply: HttpReply): Promise<AuthInfo | undefined> => {
    if (gate.answer(request, reply)) return undefined;
    const checked = await gate.check(request);
    if ('authInfo' in checked) return checked.authInfo;
    gate.refuse(reply, checked.refused);
    return undefined;
  };
  const authorize: BearerAuth['authorize'] = async (request, extras = {}) => {
    const reply = new FetchHttpReply(request.signal);
    return (await admit(new FetchHttpRequest(request, extras), reply)) ?? reply.response;
  };
  const pass = (request: NodeRequest, response: NodeResponse, next: Next): Promise<void> =>
    serveNode(
      {
        onproblem: options.onproblem,
        async serve(asked, reply) {
          const authInfo = await admit(asked, reply);
          if (authInfo === undefined) return;
          asked.authInfo = authInfo;
          await next();
        },
      },
      request,
      response,
    );
  const middleware = (request: NodeRequest | Request, response?: NodeResponse, next?: Next): unknown =>
    response && next ? void pass(request as NodeRequest, response, next) : authorize(request as Request);
  return Object.assign(middleware as object as BearerAuth, {
    authorize,
    answer: (request: HttpRequest, reply: HttpReply) => gate.answer(request, reply),
    check: (request: HttpRequest) => gate.check(request),
    refuseScopes: (authInfo: AuthInfo | undefined, needed: readonly string[]) => gate.refuseScopes(authInfo, needed),
  });
}

function verifierOf({ verifier, issuer, jwks, audience, now }: BearerAuthOptions): OAuthTokenVerifier {
  if (typeof verifier === 'function') return { verifyAccessToken: verifier };
  if (verifier !== undefined) return verifier;
  if (issuer === undefined) throw new TypeError('The tokens need an issuer or a verifier: pass one of them.');
  if (audience === undefined) throw new TypeError('The option audience must be the URL of this server.');
  return jwtVerifier({ issuer, audience, ...(jwks !== undefined && { jwks }), ...(now && { now }) });
}
