export { OutboundError } from './outbound/outbound-error.ts';
export { createOutboundFetch } from './outbound/outbound-fetch.ts';
export type { FetchLike, OutboundPolicy } from './outbound/policy.ts';
export { OAuthError, OAuthErrorCode, type OAuthErrorResponse } from './oauth-error.ts';
export type {
  AuthorizationServerMetadata,
  OAuthClientInformation,
  OAuthClientInformationFull,
  OAuthClientInformationMixed,
  IdJagTokenExchangeResponse,
  OAuthClientMetadata,
  OAuthClientRegistrationError,
  OAuthMetadata,
  OAuthProtectedResourceMetadata,
  OAuthTokenRevocationRequest,
  OAuthTokens,
  OpenIdProviderDiscoveryMetadata,
  OpenIdProviderMetadata,
} from './oauth-types.ts';
export { checkResourceAllowed, resourceUrlFromServerUrl } from './resource-identifier.ts';
export { auth, type AuthOptions, type AuthResult } from './client/auth.ts';
export { selectClientAuthMethod, type ClientAuthMethod } from './client/client-authentication.ts';
export { isDpopNonceChallenge } from './client/tokens/dpop-proofs.ts';
export { DpopSession, type DpopProofRequest } from './client/tokens/dpop-session.ts';
export {
  AuthFlowError,
  AuthFlowError as OAuthClientFlowError,
  AuthorizationServerMismatchError,
  InsufficientScopeError,
  IssuerMismatchError,
  RegistrationRejectedError,
} from './client/flow-error.ts';
export {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  StaticPrivateKeyJwtProvider,
  type ClientCredentialsProviderOptions,
  type PrivateKeyJwtProviderOptions,
  type StaticPrivateKeyJwtProviderOptions,
} from './client/grants/client-credentials.ts';
export {
  discoverAndRequestJwtAuthGrant,
  requestJwtAuthorizationGrant,
  type DiscoverAndRequestJwtAuthGrantOptions,
  type JwtAuthGrantResult,
  type RequestJwtAuthGrantOptions,
} from './client/grants/identity-assertion.ts';
export {
  CrossAppAccessProvider,
  WorkloadIdentityProvider,
  type AssertionCallback,
  type CrossAppAccessContext,
  type CrossAppAccessProviderOptions,
} from './client/grants/jwt-bearer.ts';
export { createPrivateKeyJwtAuth } from './client/grants/private-key-jwt.ts';
export type {
  AddClientAuthentication,
  OAuthClientInformationContext,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthServerInfo,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from './client/oauth-client-provider.ts';
export { clientMetadataDocument, validateClientMetadataUrl } from './client/register-client.ts';
export { StoredProvider, type StoredProviderOptions, type UserAgent } from './client/tokens/stored-provider.ts';
export type { CredentialKey, Credentials, CredentialStore } from './client/credentials/credential-store.ts';
export { MemoryCredentials } from './client/credentials/memory-credentials.ts';
export { StoreCredentials } from './client/credentials/store-credentials.ts';
export { readPastedCallback } from './client/login/read-callback.ts';
export { explainAuth, type AuthExplanation } from './client/explain-auth.ts';
export {
  InsecureTokenEndpointError,
  assertSecureTokenEndpoint,
  isHttpsUrl,
  isStrictScopeSuperset,
  parseErrorResponse,
  prepareAuthorizationCodeRequest,
  resolveClientMetadata,
  validateAuthorizationResponseIssuer,
} from './client/single-steps/checks.ts';
export {
  buildDiscoveryUrls,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthMetadata,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  extractResourceMetadataUrl,
  extractWWWAuthenticateParams,
  selectResourceURL,
} from './client/single-steps/discovery.ts';
export {
  exchangeAuthorization,
  fetchToken,
  refreshAuthorization,
  registerClient,
  startAuthorization,
  withOAuth,
} from './client/single-steps/exchanges.ts';
