import type { ScopeHierarchy, Secret } from 'crosspoint/internal/auth-server';
import type { HttpRequest, Store } from 'crosspoint/server';
import type { OutboundPolicy } from 'crosspoint/auth';
import type { ClientDocumentOptions } from '../clients/client-id-document.ts';
import type { RegistrationOptions } from '../clients/clients.ts';
import type { Login } from '../login/login.ts';
import type { OAuthClient } from '../clients/oauth-client.ts';
import type { RateLimitOptions } from '../http/rate-limit.ts';
import type { GrantHandler } from './token-endpoint.ts';

export interface AuthorizationServerOptions {
  /** Address of the authorization server, as clients know it: https, or http on this machine for development. */
  readonly issuer: string | URL;
  /** MCP servers that tokens are issued for. With a single one, clients need not name it. */
  readonly resource: string | URL | readonly (string | URL)[];
  /** How people log in: `passwordLogin`, `applicationLogin`, `upstreamLogin`, or `unattendedLogin` for tests. */
  readonly login: Login;
  /** All scopes. */
  readonly scopes?: readonly string[];
  /** Scopes of a request that names none, limited to what the client may request; all when absent. */
  readonly defaultScopes?: readonly string[];
  /**
   * Scopes that self-registered clients and clients with a document may request; all when absent. The user has to approve them in any case.
   */
  readonly openScopes?: readonly string[];
  /** Broader scopes, with the scopes that each includes. */
  readonly scopeHierarchy?: ScopeHierarchy;
  /** Clients known in advance. Only these may use grants without a login, such as `client_credentials`. */
  readonly clients?: readonly OAuthClient[];
  /**
   * Whether programs may register themselves, and how many; allowed when absent.
   * @deprecated Dynamic client registration is deprecated by PR 2858, in favour of client ID metadata documents; the earliest revision
   * without it is the first on or after 2027-07-28.
   */
  readonly registration?: RegistrationOptions | false;
  /** Whether a client id may be the address of a metadata document; allowed when absent. */
  readonly clientDocuments?: ClientDocumentOptions | false;
  /** Storage; in memory when absent. Tokens are stored as digests. */
  readonly store?: Store;
  /**
   * A secret of at least 32 bytes, as text or bytes (`createSecret()` makes one), that binds pages to their viewer and encrypts upstream tokens. Must be the
   * same on every node; random per process when absent.
   */
  readonly secret?: Secret;
  /** Lifetime of a code; 60 seconds when absent. */
  readonly codeSeconds?: number;
  /** Lifetime of an access token; 10 minutes when absent. */
  readonly accessTokenSeconds?: number;
  /** Lifetime of a login that is not refreshed; 30 days when absent. */
  readonly refreshTokenSeconds?: number;
  /** How often one address may call each endpoint; 100 times a minute when absent. Registration has limits of its own. */
  readonly rateLimit?: RateLimitOptions;
  /** Source of a request, for rate limits; the address of the connection when absent. Behind a proxy, read its header here. */
  readonly callerOf?: (request: HttpRequest) => string | undefined;
  /** Rules for addresses that a client names; public addresses over https when absent. */
  readonly outbound?: OutboundPolicy;
  readonly serviceDocumentationUrl?: string | URL;
  /** Additional grants by `grant_type`. Only clients in `clients` whose `grant_types` list a grant may use it. */
  readonly grantHandlers?: ReadonlyMap<string, GrantHandler>;
  /** Called with failures that are hidden from the client. */
  readonly onproblem?: (problem: Error) => void;
  /** Current time in milliseconds. */
  readonly now?: () => number;
}
