export { createSecret } from '../../runtime/secret.ts';
export { introspectionVerifier } from './resource/introspection-verifier.ts';
export { jwtVerifier } from './resource/jwt-verifier.ts';
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
export { InvalidTokenError } from './http/oauth-fault.ts';
export { getOAuthProtectedResourceMetadataUrl } from './resource/protected-resource.ts';
export { requireBearerAuth, type BearerAuth, type BearerAuthOptions } from './resource/require-bearer-auth.ts';
export { hasScopes } from './resource/scopes.ts';
export type { OAuthTokenVerifier } from './resource/token-verifier.ts';
export type { AuthInfo } from '../../transports/transport.ts';
