export { UnauthorizedError } from 'crosspoint/client';
export { isHttpsUrl, prepareAuthorizationCodeRequest } from 'crosspoint/auth';
export { auth, selectResourceURL } from '../internal/oauth/auth.ts';
export { startAuthorization } from '../internal/oauth/authorization-request.ts';
export { extractResourceMetadataUrl, extractWWWAuthenticateParams } from '../internal/oauth/challenge.ts';
export { selectClientAuthMethod } from '../internal/oauth/client-authentication.ts';
export {
  buildDiscoveryUrls,
  discoverAuthorizationServerMetadata,
  discoverOAuthMetadata,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
} from '../internal/oauth/discovery.ts';
export { parseErrorResponse } from '../internal/oauth/error-answer.ts';
export type {
  AddClientAuthentication,
  AuthResult,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthServerInfo,
} from '../internal/oauth/provider.ts';
export { registerClient } from '../internal/oauth/registration.ts';
export { exchangeAuthorization, fetchToken, refreshAuthorization } from '../internal/oauth/token-requests.ts';
