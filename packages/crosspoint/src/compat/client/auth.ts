export { UnauthorizedError } from '../../client/index.ts';
export {
  auth,
  buildDiscoveryUrls,
  discoverAuthorizationServerMetadata,
  discoverOAuthMetadata,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractResourceMetadataUrl,
  extractWWWAuthenticateParams,
  fetchToken,
  refreshAuthorization,
  registerClient,
  selectClientAuthMethod,
  selectResourceURL,
  startAuthorization,
  type AddClientAuthentication,
  type AuthResult,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthServerInfo,
} from '../../auth/index.ts';
export { parseErrorResponse } from './parse-error-response.ts';

/** Whether a text is the address of a document over https, as the id of a client is that names itself by one. */
export function isHttpsUrl(value?: string): boolean {
  if (value === undefined || !URL.canParse(value)) return false;
  const { protocol, pathname } = new URL(value);
  return protocol === 'https:' && pathname !== '/';
}

/** The parameters that turn a code into tokens. */
export function prepareAuthorizationCodeRequest(
  authorizationCode: string,
  codeVerifier: string,
  redirectUri: string | URL,
): URLSearchParams {
  return new URLSearchParams({
    grant_type: 'authorization_code',
    code: authorizationCode,
    code_verifier: codeVerifier,
    redirect_uri: String(redirectUri),
  });
}
