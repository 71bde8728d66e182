import type { Store } from '../../../stores/store.ts';
import type { HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import type { OutboundPolicy } from '../../outbound/policy.ts';
import type { ClientDocumentOptions } from '../clients/client-id-document.ts';
import type { RegistrationOptions } from '../clients/clients.ts';
import type { Login } from '../login/login.ts';
import type { OAuthClient } from '../clients/oauth-client.ts';
import type { RateLimitOptions } from '../http/rate-limit.ts';
import type { ScopeHierarchy } from '../resource/scopes.ts';
import type { GrantHandler } from './token-endpoint.ts';

export interface AuthorizationServerOptions {
  /** Its own address, under which clients know it: https, or http on this machine for development. */
  readonly issuer: string | URL;
  /** The MCP servers that tokens are issued for. Where there is one, clients need not name it. */
  readonly resource: string | URL | readonly (string | URL)[];
  /** How people log in: `passwordLogin`, `applicationLogin`, `upstreamLogin`, or `unattendedLogin` for tests. */
  readonly login: Login;
  /** Every scope there is. */
  readonly scopes?: readonly string[];
  /** The scopes of a request that names none, limited to what the client may ask for; all of them when absent. */
  readonly defaultScopes?: readonly string[];
  /** The scopes that self-registered clients and clients with a document may ask for; all of them when absent. The user is asked in any case. */
  readonly openScopes?: readonly string[];
  /** Broader scopes and what each includes. */
  readonly scopeHierarchy?: ScopeHierarchy;
  /** Clients that are known in advance. Only these may use grants that issue tokens without a login, such as `client_credentials`. */
  readonly clients?: readonly OAuthClient[];
  /**
   * Whether programs may register by themselves, and how many; yes when absent.
   * @deprecated Dynamic client registration is deprecated by PR 2858, in favour of client ID metadata documents; the earliest revision without it is the first on or after 2027-07-28.
   */
  readonly registration?: RegistrationOptions | false;
  /** Whether programs may be named by the address of a document of theirs; yes when absent. */
  readonly clientDocuments?: ClientDocumentOptions | false;
  /** Where everything is kept; in memory when absent. Tokens are kept as digests. */
  readonly store?: Store;
  /** 32 random bytes with which pages are bound to who sees them, and upstream tokens sealed. The same on every node; new for each process when absent. */
  readonly secret?: Uint8Array;
  /** How long a code is good. 60 seconds when absent. */
  readonly codeSeconds?: number;
  /** How long an access token is good. 10 minutes when absent. */
  readonly accessTokenSeconds?: number;
  /** How long a login lasts that is not refreshed. 30 days when absent. */
  readonly refreshTokenSeconds?: number;
  /** How often one address may call each endpoint; 100 times in a minute when absent. Registration has limits of its own. */
  readonly rateLimit?: RateLimitOptions;
  /** Where a request comes from, for the limits; the address of the connection when absent. Behind a proxy, read its header here. */
  readonly callerOf?: (request: HttpRequest) => string | undefined;
  /** What may be loaded from addresses that a client named. Public addresses over https when absent. */
  readonly outbound?: OutboundPolicy;
  readonly serviceDocumentationUrl?: string | URL;
  /** Further grants, by `grant_type`. Only clients in `clients` whose `grant_types` list a grant may use it. */
  readonly grantHandlers?: ReadonlyMap<string, GrantHandler>;
  /** Told of failures that the peer learns nothing of. */
  readonly onproblem?: (problem: Error) => void;
  /** The time now, in milliseconds. */
  readonly now?: () => number;
}
