import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthProtectedResourceMetadata,
  OAuthTokens,
} from '../../shared/auth.ts';

type Awaitable<T> = T | Promise<T>;

/** Adds the client's authentication to a token request. */
export type AddClientAuthentication = (
  headers: Headers,
  params: URLSearchParams,
  url: string | URL,
  metadata?: AuthorizationServerMetadata,
) => void | Promise<void>;

export interface OAuthServerInfo {
  authorizationServerUrl: string;
  /** Absent where the authorization server publishes none. */
  authorizationServerMetadata?: AuthorizationServerMetadata | undefined;
  /** Absent where the server publishes none. */
  resourceMetadata?: OAuthProtectedResourceMetadata | undefined;
}

/** Result of a discovery, for providers that keep it and spare the next one. */
export interface OAuthDiscoveryState extends OAuthServerInfo {
  resourceMetadataUrl?: string | undefined;
}

/** `REDIRECT`: the user was sent to a page, and its code is awaited. */
export type AuthResult = 'AUTHORIZED' | 'REDIRECT';

/** Keeps what a login needs, and sends the user to the login page. Saved values must be returned unchanged. */
export interface OAuthClientProvider {
  /** Redirect address; `undefined` for clients that act for themselves. */
  get redirectUrl(): string | URL | undefined;
  /** Address of the client's metadata document, which is its id where the authorization server supports that. */
  clientMetadataUrl?: string | undefined;
  get clientMetadata(): OAuthClientMetadata;
  /** Value that binds the answer to the request; none is sent when absent. */
  state?(): Awaitable<string>;
  clientInformation(): Awaitable<OAuthClientInformationMixed | undefined>;
  /** Absent for clients that were registered by hand. */
  saveClientInformation?(clientInformation: OAuthClientInformationMixed): Awaitable<void>;
  tokens(): Awaitable<OAuthTokens | undefined>;
  /** Called with the tokens as they came, and with the `issuer` that they belong to. */
  saveTokens(tokens: OAuthTokens): Awaitable<void>;
  redirectToAuthorization(authorizationUrl: URL): Awaitable<void>;
  saveCodeVerifier(codeVerifier: string): Awaitable<void>;
  codeVerifier(): Awaitable<string>;
  /** Replaces the client authentication of token requests. */
  addClientAuthentication?: AddClientAuthentication | undefined;
  /** Chooses the resource to request tokens for, and answers for it: nothing else is checked. */
  validateResourceURL?(serverUrl: string | URL, resource?: string): Promise<URL | undefined>;
  /** Deletes credentials that the authorization server no longer accepts. */
  invalidateCredentials?(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Awaitable<void>;
  /** Token request of a grant of the provider's own; `undefined` for the authorization code. */
  prepareTokenRequest?(scope?: string): Awaitable<URLSearchParams | undefined>;
  saveDiscoveryState?(state: OAuthDiscoveryState): Awaitable<void>;
  discoveryState?(): Awaitable<OAuthDiscoveryState | undefined>;
}
