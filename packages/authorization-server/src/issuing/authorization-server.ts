import { atOnce, isLoopbackName, report } from 'crosspoint/internal';
import { memoryStore, type HttpRequest } from 'crosspoint/server';
import {
  DpopProofs,
  issuerText,
  partyAt,
  requireResource,
  requireScopes,
  serveRoutes,
  type Served,
} from 'crosspoint/internal/auth-server';
import { createOutboundFetch, type AuthorizationServerMetadata } from 'crosspoint/auth';
import type { Authority } from './authority.ts';
import type { AuthorizationServerOptions } from './authorization-server-options.ts';
import { AuthorizationRoutes } from './authorization-routes.ts';
import { ClientDocuments } from '../clients/client-id-document.ts';
import { Clients } from '../clients/clients.ts';
import { Grants } from './grants.ts';
import { KeyedSecret } from '../http/keyed-secret.ts';
import type { Person } from '../login/login.ts';
import { InvalidTokenError, type OAuthTokenVerifier } from 'crosspoint/auth/server';

const MINUTE = 60;
const DAY = 86_400;

/** A small authorization server: people log in and approve programs, and tokens are issued for the configured resources. */
export interface AuthorizationServer extends Served {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** Verifier for `requireBearerAuth` in the same process; elsewhere use introspection. */
  readonly verifier: OAuthTokenVerifier;
  /** The person logged in in the browser that sent a request, where the login can tell. */
  identify(request: HttpRequest): Promise<Person | undefined>;
  /** Address of the login page, which returns to `returnTo` afterwards; `undefined` where the login has none. */
  loginUrl(returnTo: string): string | undefined;
}

export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const authority = makeAuthority(options);
  authority.login.start?.(authority);
  const routes = new AuthorizationRoutes(authority, options);
  return {
    ...serveRoutes(routes),
    issuer: authority.issuer,
    metadata: routes.metadata,
    verifier: { verifyAccessToken: (token) => verify(token, authority) },
    identify: async (request) => authority.login.identify?.(request, authority),
    loginUrl: (returnTo) => atOnce(authority.login.loginUrl?.(returnTo, authority), 'loginUrl'),
  };
}

function makeAuthority(options: AuthorizationServerOptions): Authority {
  const { now = Date.now, login, scopeHierarchy = {} } = options;
  const { issuer, isLocal } = readIssuer(options.issuer);
  const resources = [options.resource].flat().map(requireResource);
  if (resources.length === 0) throw new TypeError('The option resource must name at least one server.');
  const scopes = requireScopes(options.scopes ?? [], 'the authorization server');
  const store = options.store ?? memoryStore({ now });
  const outbound = createOutboundFetch({ maxBytes: 16_384, timeoutMs: 5000, maxRedirects: 0, ...options.outbound });
  const documents =
    options.clientDocuments === false ? undefined : new ClientDocuments(store, outbound, options.clientDocuments ?? {});
  const authority: Authority = {
    issuer,
    base: issuer.replace(/\/$/, ''),
    isLocal,
    resources,
    scopes,
    defaultScopes: requireScopes(options.defaultScopes ?? scopes, 'the authorization server'),
    openScopes: requireScopes(options.openScopes ?? scopes, 'the authorization server'),
    hierarchy: scopeHierarchy,
    store,
    secret: new KeyedSecret(options.secret, now),
    clients: new Clients(store, options.clients ?? [], documents, options.registration || undefined),
    grants: new Grants(
      store,
      {
        codeSeconds: options.codeSeconds ?? MINUTE,
        accessSeconds: options.accessTokenSeconds ?? 10 * MINUTE,
        refreshSeconds: options.refreshTokenSeconds ?? 30 * DAY,
      },
      now,
      async (grant) => login.ended?.(grant, authority),
    ),
    proofs: new DpopProofs({ store, now }),
    login,
    outbound,
    callerOf: (request) => partyAt(atOnce(options.callerOf?.(request), 'callerOf') ?? request.remoteAddress),
    now,
    onproblem: (problem) => report(options.onproblem, problem),
  };
  return authority;
}

/** Secrets pass through every endpoint, so the issuer must be https, or on this machine. */
function readIssuer(given: string | URL): { issuer: string; isLocal: boolean } {
  const issuer = issuerText(given);
  const url = new URL(issuer);
  if (url.search !== '' || issuer.includes('#') || url.username !== '' || url.password !== '')
    throw new TypeError(`The issuer must have neither query nor fragment nor credentials: ${issuer}.`);
  const isLocal = url.protocol === 'http:' && isLoopbackName(url.hostname);
  if (url.protocol !== 'https:' && !isLocal)
    throw new TypeError(`The issuer ${issuer} must be https; http is for loopback addresses alone.`);
  return { issuer, isLocal };
}

async function verify(token: string, authority: Authority): ReturnType<OAuthTokenVerifier['verifyAccessToken']> {
  const found = await authority.grants.find(token);
  if (found === undefined) throw new InvalidTokenError('The token has expired, was revoked, or is unknown.');
  const { grant, access } = found;
  if ((await authority.login.confirm?.(grant, authority)) === false) {
    await authority.grants.end(grant.id);
    throw new InvalidTokenError('The login behind this token has ended: log in again.');
  }
  return {
    token,
    clientId: grant.clientId,
    scopes: [...access.scopes],
    expiresAt: access.expiresAt,
    resource: new URL(grant.resource),
    extra: {
      iss: authority.issuer,
      ...(grant.sub !== undefined && { sub: grant.sub }),
      ...(grant.name !== undefined && { name: grant.name }),
      ...(access.jkt !== undefined && { cnf: { jkt: access.jkt } }),
    },
  };
}
