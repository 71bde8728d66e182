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
   * The URL of this MCP server. A token that was issued for anything else is refused. May be left out only with a `verifier` that answers
   * for it by itself; there are no metadata then.
   */
  readonly audience?: string | URL;
  /** Says what a token is good for. Absent: the token is a signed one of `issuer`. */
  readonly verifier?: OAuthTokenVerifier | ((token: string) => Promise<AuthInfo>);
  /** Who signs the tokens. */
  readonly issuer?: string | URL;
  /** The issuer's keys, or where they are; found in its metadata when absent. */
  readonly jwks?: string | URL | JSONWebKeySet | JWTVerifyGetKey;
  /** Scopes that every request needs. They are also what the challenge tells a client to ask for. */
  readonly scopes?: readonly string[];
  /** The same, as other libraries call it. */
  readonly requiredScopes?: readonly string[];
  /** Broader scopes and what each includes. */
  readonly scopeHierarchy?: ScopeHierarchy;
  /** The issuers that clients are sent to; `issuer` when absent. */
  readonly authorizationServers?: readonly (string | URL)[];
  /** The scopes of the metadata document; `scopes` when absent. */
  readonly scopesSupported?: readonly string[];
  /** What people call this server. */
  readonly resourceName?: string;
  readonly serviceDocumentationUrl?: string | URL;
  /** Where the metadata document is, when it is served elsewhere. */
  readonly resourceMetadataUrl?: string | URL;
  /** Accepts tokens that are bound to a key of the client. */
  readonly dpop?: DpopOptions;
  /** Told when a token could not be verified for a reason that is not the token's, such as keys that cannot be fetched. */
  readonly onproblem?: (problem: Error) => void;
  /** The time now, in milliseconds. */
  readonly now?: () => number;
}

type Next = (error?: unknown) => unknown;

/**
 * Lets in only who carries a token for this server. Give it to `createMcpHandler` as `auth`; or use it as a middleware of Express and its like,
 * which leaves what it found as `request.auth`; or ask `authorize` about a web `Request`.
 */
export interface BearerAuth extends HttpAuth {
  /** The same as `authorize`. */
  (request: Request): Promise<AuthInfo | Response>;
  (request: NodeRequest, response: NodeResponse, next: Next): void;
  /** What the token of a request is good for, or the answer to give instead. */
  authorize(request: Request, extras?: FetchExtras): Promise<AuthInfo | Response>;
}

/** The server that is protected in three lines. */
export function requireBearerAuth(options: BearerAuthOptions): BearerAuth {
  const gate = new BearerGate(options, verifierOf(options));
  /** Gives what a request may do; where it may do nothing, that has been answered. */
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
  if (issuer === undefined) throw new TypeError('Say whose tokens are accepted: give an issuer or a verifier.');
  if (audience === undefined) throw new TypeError('Give the URL of this server as audience: tokens are issued for it.');
  return jwtVerifier({ issuer, audience, ...(jwks !== undefined && { jwks }), ...(now && { now }) });
}
