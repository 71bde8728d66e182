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

/** Puts the client's authentication into a token request. */
export type AddClientAuthentication = (
  headers: Headers,
  params: URLSearchParams,
  url: string | URL,
  metadata?: AuthorizationServerMetadata,
) => void | Promise<void>;

/** Client information with the authorization server that it belongs to. */
export type StoredOAuthClientInformation = OAuthClientInformationMixed & { issuer?: string };

/** Tokens with everything that is needed to use and renew them: one unit that is kept and dropped together. */
export interface StoredOAuthTokens extends OAuthTokens {
  /** Who issued them. */
  issuer?: string;
  /** Where they are renewed. */
  token_endpoint?: string;
  /** How the client showed who it is there. */
  token_endpoint_auth_method?: string;
  /** What they are for, byte for byte as it was asked for. */
  resource?: string;
  /** Milliseconds since the epoch. */
  expires_at?: number;
  /** What was asked for, where less may have been granted. */
  requested_scope?: string;
}

/** Whose credentials are asked for or kept. */
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
 * Where a login keeps what it needs and how it reaches the user. Programs written for other libraries have this; the members below the
 * line are additions that they need not have. Whatever is saved must be given back as it was.
 */
export interface OAuthClientProvider {
  /** Where the browser comes back to; absent for clients that act for themselves. */
  get redirectUrl(): string | URL | undefined;
  /** The address of this client's metadata document, which is its id wherever that is supported. */
  clientMetadataUrl?: string | undefined;
  get clientMetadata(): OAuthClientMetadata;
  /** Binds the answer to the question; made here when absent. */
  state?(): Awaitable<string>;
  clientInformation(context?: OAuthClientInformationContext): Awaitable<StoredOAuthClientInformation | undefined>;
  saveClientInformation?(
    information: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Awaitable<void>;
  tokens(context?: OAuthClientInformationContext): Awaitable<StoredOAuthTokens | undefined>;
  saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): Awaitable<void>;
  /** Sends the user to the page. One that waits for the answer itself resolves to what came back, and the login goes on. */
  redirectToAuthorization(authorizationUrl: URL): Awaitable<void | URLSearchParams>;
  saveCodeVerifier(codeVerifier: string): Awaitable<void>;
  codeVerifier(): Awaitable<string>;
  addClientAuthentication?: AddClientAuthentication;
  dpop?(): Awaitable<DpopSession | undefined>;
  /** Which resource to ask tokens for; what the metadata says when absent. */
  validateResourceURL?(serverUrl: string | URL, resource?: string): Promise<URL | undefined>;
  scopeForRefresh?(tokens: StoredOAuthTokens): Awaitable<string | undefined>;
  invalidateCredentials?(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Awaitable<void>;
  /** The token request of a grant without a user. */
  prepareTokenRequest?(scope?: string, context?: TokenRequestContext): Awaitable<URLSearchParams | undefined>;
  saveAuthorizationServerUrl?(authorizationServerUrl: string): Awaitable<void>;
  authorizationServerUrl?(): Awaitable<string | undefined>;
  saveResourceUrl?(resourceUrl: string): Awaitable<void>;
  resourceUrl?(): Awaitable<string | undefined>;
  saveDiscoveryState?(state: OAuthDiscoveryState): Awaitable<void>;
  discoveryState?(): Awaitable<OAuthDiscoveryState | undefined>;

  // ---- additions ----

  /** Keeps everything about a login that has begun as one record, instead of the verifier alone. */
  savePending?(pending: PendingAuthorization): Awaitable<void>;
  pending?(): Awaitable<PendingAuthorization | undefined>;
  /** A user is about to be sent to a page: from here on `redirectUrl` holds. */
  beginLogin?(context: OAuthClientInformationContext): Awaitable<void>;
  /** That is over, whatever came of it. */
  endLogin?(): Awaitable<void>;
  /** Runs `work` while nobody else who shares these credentials, in this process or another, runs theirs. */
  exclusive?<T>(work: () => Promise<T>): Promise<T>;
  /** Asks the user for the id of a client that was registered by hand. */
  askForClient?(context: OAuthClientInformationContext): Awaitable<OAuthClientInformationMixed | undefined>;
  /** The client was registered by hand: where it does not belong, that is an error and no reason to register another one. */
  readonly isClientGiven?: boolean;
  /** Chooses among several authorization servers. */
  chooseAuthorizationServer?(issuers: readonly string[]): Awaitable<string>;
  /** A key is to be made for tokens that are bound to one: the server wants that, and `dpop` gave none. */
  startDpop?(algorithms: readonly string[]): Awaitable<DpopSession | undefined>;
  /** The extensions of the protocol that this way of logging in belongs to. */
  readonly extensions?: readonly string[];
}

/** What is known when a token is asked for without a user. */
export interface TokenRequestContext {
  readonly issuer: string;
  readonly resource: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly fetch: FetchLike;
}
