export { createSecret } from '../../runtime/secret.ts';
export { applicationLogin } from './login/application-login.ts';
export { createAuthorizationServer, type AuthorizationServer } from './issuing/authorization-server.ts';
export type { AuthorizationServerOptions } from './issuing/authorization-server-options.ts';
export { JWT_BEARER, TOKEN_EXCHANGE } from './issuing/grant-types.ts';
export { assertionGrant, assertionIssuer } from './issuing/identity-assertion.ts';
export { introspectionVerifier } from './resource/introspection-verifier.ts';
export { jwtVerifier } from './resource/jwt-verifier.ts';
export type { Login, LoginStep, Person } from './login/login.ts';
export {
  buildOAuthProtectedResourceMetadata,
  mcpAuthMetadataRouter,
  oauthMetadataResponse,
  type AuthMetadataOptions,
  type AuthRouter,
} from './resource/metadata-router.ts';
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
export { InvalidTokenError } from './http/oauth-fault.ts';
export { passwordLogin } from './login/password-login.ts';
export { getOAuthProtectedResourceMetadataUrl } from './resource/protected-resource.ts';
export { requireBearerAuth, type BearerAuth, type BearerAuthOptions } from './resource/require-bearer-auth.ts';
export { hasScopes } from './resource/scopes.ts';
export { thirdParty, type ThirdParty } from './upstream/third-party.ts';
export type { GrantHandler } from './issuing/token-endpoint.ts';
export type { OAuthTokenVerifier } from './resource/token-verifier.ts';
export { unattendedLogin } from './login/unattended-login.ts';
export { upstreamLogin, type UpstreamLogin } from './upstream/upstream-login.ts';
export type { AuthInfo } from '../../transports/transport.ts';
