export { classifyAddress, type AddressClass } from './outbound/address-class.ts';
export { OutboundError, type OutboundFault } from './outbound/outbound-error.ts';
export { createOutboundFetch } from './outbound/outbound-fetch.ts';
export {
  addressFault,
  openFault,
  OUTBOUND_LIMITS,
  policyFor,
  urlFault,
  type FetchLike,
  type OutboundPolicy,
} from './outbound/policy.ts';
export { parseChallenges, writeChallenge, type Challenge } from './challenge.ts';
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
export {
  canonicalResource,
  checkResourceAllowed,
  resourceCovers,
  resourceUrlFromServerUrl,
  scopeCovers,
  scopeList,
  scopeUnion,
} from './resource-identifier.ts';
export { authorizationServerMetadataUrls, protectedResourceMetadataUrls, type MetadataLocation } from './well-known.ts';
export { auth, type AuthOptions, type AuthResult, type ObtainedBy } from './client/auth.ts';
export type { AuthStep, Trace } from './client/auth-step.ts';
export { createAuthorizationRequest, selectScope, type AuthorizationQuestion } from './client/authorization-request.ts';
export { readAuthorizationResponse } from './client/authorization-response.ts';
export { selectClientAuthMethod, type ClientAuthMethod } from './client/client-authentication.ts';
export { discover, type Discovery, type DiscoverOptions, type ServerOverrides } from './client/discovery/discovery.ts';
export { isDpopNonceChallenge, type DpopAlgorithm } from './client/tokens/dpop-proofs.ts';
export { DpopSession, type DpopProofRequest } from './client/tokens/dpop-session.ts';
export {
  AuthFlowError,
  AuthFlowError as OAuthClientFlowError,
  AuthorizationServerMismatchError,
  InsufficientScopeError,
  IssuerMismatchError,
  RegistrationRejectedError,
  type AuthFault,
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
  type AssertionContext,
  type CrossAppAccessContext,
  type CrossAppAccessProviderOptions,
  type WorkloadIdentityProviderOptions,
} from './client/grants/jwt-bearer.ts';
export {
  createPrivateKeyJwtAuth,
  type PrivateKeyInput,
  type PrivateKeyJwtAuthOptions,
} from './client/grants/private-key-jwt.ts';
export {
  OAuthAuthorizer,
  type AuthorizerOptions,
  type RefusedRequest,
  type Refusal,
} from './client/oauth-authorizer.ts';
export type {
  AddClientAuthentication,
  OAuthClientInformationContext,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthServerInfo,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
  TokenRequestContext,
} from './client/oauth-client-provider.ts';
export type { PendingAuthorization } from './client/pending-authorization.ts';
export { clientMetadataDocument, validateClientMetadataUrl } from './client/register-client.ts';
export {
  exchangeTokens,
  readTokenAnswer,
  sendTokenRequest,
  type TokenRequest,
} from './client/tokens/token-exchange.ts';
export { StoredProvider, type StoredProviderOptions, type UserAgent } from './client/tokens/stored-provider.ts';
export {
  ShelvedCredentials,
  type CredentialKey,
  type Credentials,
  type CredentialStore,
  type Shelf,
} from './client/credentials/credential-store.ts';
export { MemoryCredentials } from './client/credentials/memory-credentials.ts';
export { StoreCredentials, type StoreCredentialsOptions } from './client/credentials/store-credentials.ts';
export { readPastedCallback } from './client/login/read-callback.ts';
export { explainAuth, type AuthExplanation, type ExplainOptions } from './client/explain-auth.ts';
export {
  InsecureTokenEndpointError,
  assertSecureTokenEndpoint,
  isHttpsUrl,
  isStrictScopeSuperset,
  parseErrorResponse,
  prepareAuthorizationCodeRequest,
  resolveClientMetadata,
  validateAuthorizationResponseIssuer,
} from './client/familiar-checks.ts';
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
} from './client/familiar-discovery.ts';
export {
  exchangeAuthorization,
  fetchToken,
  refreshAuthorization,
  registerClient,
  startAuthorization,
  withOAuth,
} from './client/familiar-exchanges.ts';
