import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthProtectedResourceMetadata,
  OAuthTokens,
} from '../oauth-types.ts';
import type { FetchLike } from '../outbound/policy.ts';
import type { DpopSession } from './tokens/dpop-session.ts';
import type { PendingAuthorization } from './pending-authorization.ts';
import type { Awaitable } from '../../runtime/awaitable.ts';

/** Adds the client's authentication to a token request. */
export type AddClientAuthentication = (
  headers: Headers,
  params: URLSearchParams,
  url: string | URL,
  metadata?: AuthorizationServerMetadata,
) => void | Promise<void>;

/** Client information, with the authorization server that it belongs to. */
export type StoredOAuthClientInformation = OAuthClientInformationMixed & { issuer?: string };

/** Tokens with everything needed to use and refresh them, stored and deleted together. */
export interface StoredOAuthTokens extends OAuthTokens {
  /** Issuer of the tokens. */
  issuer?: string;
  /** Endpoint that refreshes them. */
  token_endpoint?: string;
  /** Client authentication used there. */
  token_endpoint_auth_method?: string;
  /** Resource they were requested for, spelled as in the request. */
  resource?: string;
  /** Expiry in milliseconds since the epoch. */
  expires_at?: number;
  /** Scope that was requested; fewer may have been granted. */
  requested_scope?: string;
}

/** The authorization server whose credentials are meant. */
export interface OAuthClientInformationContext {
  issuer: string;
}

export interface OAuthServerInfo {
  authorizationServerUrl: string;
  authorizationServerMetadata?: AuthorizationServerMetadata | undefined;
  resourceMetadata?: OAuthProtectedResourceMetadata | undefined;
}

export interface OAuthDiscoveryState extends OAuthServerInfo {
  resourceMetadataUrl?: string | undefined;
}

/**
 * Stores what a login needs, and sends the user to the login page. Compatible with providers written for the official SDK; the members
 * under "additions" are optional. Saved values must be returned unchanged.
 */
export interface OAuthClientProvider {
  /** Redirect address; `undefined` for clients that act for themselves. */
  get redirectUrl(): string | URL | undefined;
  /** Address of this client's metadata document, which is its id where the server supports that. */
  clientMetadataUrl?: string | undefined;
  get clientMetadata(): OAuthClientMetadata;
  /** Value that binds the answer to the request; generated when absent. */
  state?(): Awaitable<string>;
  clientInformation(context?: OAuthClientInformationContext): Awaitable<StoredOAuthClientInformation | undefined>;
  saveClientInformation?(
    information: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Awaitable<void>;
  tokens(context?: OAuthClientInformationContext): Awaitable<StoredOAuthTokens | undefined>;
  saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): Awaitable<void>;
  /** Sends the user to the login page. A provider that waits for the answer itself resolves with it, and the login continues. */
  redirectToAuthorization(authorizationUrl: URL): Awaitable<void | URLSearchParams>;
  saveCodeVerifier(codeVerifier: string): Awaitable<void>;
  codeVerifier(): Awaitable<string>;
  addClientAuthentication?: AddClientAuthentication;
  dpop?(): Awaitable<DpopSession | undefined>;
  /** Chooses the resource to request tokens for; the one in the metadata when absent. */
  validateResourceURL?(serverUrl: string | URL, resource?: string): Promise<URL | undefined>;
  scopeForRefresh?(tokens: StoredOAuthTokens): Awaitable<string | undefined>;
  invalidateCredentials?(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Awaitable<void>;
  /** Token request parameters of a grant without a user. */
  prepareTokenRequest?(scope?: string, context?: TokenRequestContext): Awaitable<URLSearchParams | undefined>;
  saveAuthorizationServerUrl?(authorizationServerUrl: string): Awaitable<void>;
  authorizationServerUrl?(): Awaitable<string | undefined>;
  saveResourceUrl?(resourceUrl: string): Awaitable<void>;
  resourceUrl?(): Awaitable<string | undefined>;
  saveDiscoveryState?(state: OAuthDiscoveryState): Awaitable<void>;
  discoveryState?(): Awaitable<OAuthDiscoveryState | undefined>;

  // ---- additions ----

  /** Stores the whole record of a pending login, instead of the verifier alone. */
  savePending?(pending: PendingAuthorization): Awaitable<void>;
  pending?(): Awaitable<PendingAuthorization | undefined>;
  /** Called before the user is sent to the login page; `redirectUrl` must be final from here on. */
  beginLogin?(context: OAuthClientInformationContext): Awaitable<void>;
  /** Called when that login has ended, successfully or not. */
  endLogin?(): Awaitable<void>;
  /** Runs `work` while no other process or request that shares these credentials runs its own. */
  exclusive?<T>(work: () => Promise<T>): Promise<T>;
  /** Asks the user for a client that was registered by hand. */
  askForClient?(context: OAuthClientInformationContext): Awaitable<OAuthClientInformationMixed | undefined>;
  /** Whether the client was registered by hand. If it belongs to another server, that is an error and no other is registered. */
  readonly isClientGiven?: boolean;
  /** Chooses among several authorization servers. */
  chooseAuthorizationServer?(issuers: readonly string[]): Awaitable<string>;
  /** Creates a DPoP key. Called when the server requires bound tokens and `dpop` returned none. */
  startDpop?(algorithms: readonly string[]): Awaitable<DpopSession | undefined>;
  /** Protocol extensions that this kind of login belongs to. */
  readonly extensions?: readonly string[];
}

/** Context of a token request without a user. */
export interface TokenRequestContext {
  readonly issuer: string;
  readonly resource: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly fetch: FetchLike;
}
