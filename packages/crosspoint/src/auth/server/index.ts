export { applicationLogin, type ApplicationLoginOptions } from './login/application-login.ts';
export { createAuthorizationServer, type AuthorizationServer } from './issuing/authorization-server.ts';
export type { AuthorizationServerOptions } from './issuing/authorization-server-options.ts';
export type { ClientDocumentOptions } from './clients/client-id-document.ts';
export type { RegistrationOptions } from './clients/clients.ts';
export type { DpopOptions } from './resource/dpop-proof.ts';
export { JWT_BEARER, TOKEN_EXCHANGE } from './issuing/grant-types.ts';
export {
  assertionGrant,
  assertionIssuer,
  type AssertionGrantOptions,
  type AssertionIssuerOptions,
} from './issuing/identity-assertion.ts';
export { introspectionVerifier, type IntrospectionOptions } from './resource/introspection-verifier.ts';
export { jwtVerifier, type JwtVerifierOptions } from './resource/jwt-verifier.ts';
export type { Login, LoginStep, Person } from './login/login.ts';
export {
  buildOAuthProtectedResourceMetadata,
  createOAuthMetadata,
  mcpAuthMetadataRouter,
  mcpAuthRouter,
  oauthMetadataResponse,
  type AuthMetadataOptions,
  type AuthRouter,
  type AuthRouterOptions,
} from './provider/mcp-auth-router.ts';
export type {
  AuthorizationParams,
  AuthorizationReply,
  OAuthRegisteredClientsStore,
  OAuthServerProvider,
} from './provider/oauth-server-provider.ts';
export { OAuthError, OAuthErrorCode, type OAuthErrorResponse } from '../oauth-error.ts';
export {
  bearerAuthChallengeResponse,
  verifyBearerToken,
  type VerifyBearerTokenOptions,
} from './resource/bearer-token.ts';
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
export type { ClientAuthMethod, OAuthClient } from './clients/oauth-client.ts';
export { InsufficientScopeError, InvalidTokenError, OAuthFault } from './http/oauth-fault.ts';
export { passwordLogin, type PasswordLoginOptions } from './login/password-login.ts';
export {
  getOAuthProtectedResourceMetadataUrl,
  protectedResourceMetadata,
  type ProtectedResourceOptions,
} from './resource/protected-resource.ts';
export { requireBearerAuth, type BearerAuth, type BearerAuthOptions } from './resource/require-bearer-auth.ts';
export { hasScopes, type ScopeHierarchy } from './resource/scopes.ts';
export type { Served } from './http/routes.ts';
export { thirdParty, type ConnectContext, type ThirdParty, type ThirdPartyOptions } from './upstream/third-party.ts';
export type { GrantHandler, TokenRequest } from './issuing/token-endpoint.ts';
export type { OAuthTokenVerifier } from './resource/token-verifier.ts';
export { unattendedLogin } from './login/unattended-login.ts';
export type { UpstreamOptions, UpstreamTokens } from './upstream/upstream-client.ts';
export { upstreamLogin, type UpstreamLogin, type UpstreamLoginOptions } from './upstream/upstream-login.ts';
export type { AuthInfo } from '../../transports/transport.ts';
