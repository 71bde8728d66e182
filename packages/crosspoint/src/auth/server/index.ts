export { applicationLogin, type ApplicationLoginOptions } from './application-login.ts';
export { createAuthorizationServer, type AuthorizationServer } from './authorization-server.ts';
export type { AuthorizationServerOptions } from './authorization-server-options.ts';
export type { ClientDocumentOptions } from './client-id-document.ts';
export type { RegistrationOptions } from './clients.ts';
export type { DpopOptions } from './dpop-proof.ts';
export { JWT_BEARER, TOKEN_EXCHANGE } from './grant-types.ts';
export {
  assertionGrant,
  assertionIssuer,
  type AssertionGrantOptions,
  type AssertionIssuerOptions,
} from './identity-assertion.ts';
export { introspectionVerifier, type IntrospectionOptions } from './introspection-verifier.ts';
export { jwtVerifier, type JwtVerifierOptions } from './jwt-verifier.ts';
export type { Login, LoginStep, Person } from './login.ts';
export {
  buildOAuthProtectedResourceMetadata,
  createOAuthMetadata,
  mcpAuthMetadataRouter,
  mcpAuthRouter,
  oauthMetadataResponse,
  type AuthMetadataOptions,
  type AuthRouter,
  type AuthRouterOptions,
} from './mcp-auth-router.ts';
export type {
  AuthorizationParams,
  AuthorizationReply,
  OAuthRegisteredClientsStore,
  OAuthServerProvider,
} from './oauth-server-provider.ts';
export { OAuthError, OAuthErrorCode, type OAuthErrorResponse } from '../oauth-error.ts';
export { bearerAuthChallengeResponse, verifyBearerToken, type VerifyBearerTokenOptions } from './bearer-token.ts';
export type { StoredOAuthClientInformation, StoredOAuthTokens } from '../index.ts';
export { checkResourceAllowed, resourceUrlFromServerUrl } from '../resource-identifier.ts';
export type {
  AuthorizationServerMetadata,
  IdJagTokenExchangeResponse,
  OAuthClientInformation,
  OAuthClientInformationFull,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientRegistrationError,
  OAuthMetadata,
  OAuthProtectedResourceMetadata,
  OAuthTokenRevocationRequest,
  OAuthTokens,
  OpenIdProviderDiscoveryMetadata,
  OpenIdProviderMetadata,
} from '../oauth-types.ts';
export type { ClientAuthMethod, OAuthClient } from './oauth-client.ts';
export { InsufficientScopeError, InvalidTokenError, OAuthFault } from './oauth-fault.ts';
export { passwordLogin, type PasswordLoginOptions } from './password-login.ts';
export {
  getOAuthProtectedResourceMetadataUrl,
  protectedResourceMetadata,
  type ProtectedResourceOptions,
} from './protected-resource.ts';
export { requireBearerAuth, type BearerAuth, type BearerAuthOptions } from './require-bearer-auth.ts';
export { hasScopes, type ScopeHierarchy } from './scopes.ts';
export type { Served } from './served.ts';
export { thirdParty, type ConnectContext, type ThirdParty, type ThirdPartyOptions } from './third-party.ts';
export type { GrantHandler, TokenRequest } from './token-endpoint.ts';
export type { OAuthTokenVerifier } from './token-verifier.ts';
export { unattendedLogin } from './unattended-login.ts';
export type { UpstreamOptions, UpstreamTokens } from './upstream-client.ts';
export { upstreamLogin, type UpstreamLogin, type UpstreamLoginOptions } from './upstream-login.ts';
export type { AuthInfo } from '../../transports/transport.ts';
