import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from '../../shared/auth.ts';

const RESPONSE_TYPE = 'code';
const CHALLENGE_METHOD = 'S256';

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

async function pkce(): Promise<{ verifier: string; challenge: string }> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url(new Uint8Array(digest)) };
}

/** Returns the login page to open, at `/authorize` where there is no metadata. Keep the verifier until the code comes. */
export async function startAuthorization(
  authorizationServerUrl: string | URL,
  options: {
    metadata?: AuthorizationServerMetadata | undefined;
    clientInformation: OAuthClientInformationMixed;
    redirectUrl: string | URL;
    scope?: string | undefined;
    state?: string | undefined;
    resource?: string | URL | undefined;
  },
): Promise<{ authorizationUrl: URL; codeVerifier: string }> {
  const { metadata, clientInformation, redirectUrl, scope, state, resource } = options;
  if (metadata?.response_types_supported.includes(RESPONSE_TYPE) === false)
    throw new Error(`Incompatible auth server: does not support response type ${RESPONSE_TYPE}`);
  if (metadata?.code_challenge_methods_supported?.includes(CHALLENGE_METHOD) === false)
    throw new Error(`Incompatible auth server: does not support code challenge method ${CHALLENGE_METHOD}`);
  const { verifier, challenge } = await pkce();
  const authorizationUrl = new URL(metadata?.authorization_endpoint ?? '/authorize', authorizationServerUrl);
  const params = {
    response_type: RESPONSE_TYPE,
    client_id: clientInformation.client_id,
    code_challenge: challenge,
    code_challenge_method: CHALLENGE_METHOD,
    redirect_uri: String(redirectUrl),
    ...(state && { state }),
    ...(scope && { scope }),
    // OpenID Connect gives offline access only to those who asked for consent.
    ...(scope?.includes('offline_access') === true && { prompt: 'consent' }),
    ...(resource !== undefined && { resource: String(resource) }),
  };
  for (const [name, value] of Object.entries(params)) authorizationUrl.searchParams.set(name, value);
  return { authorizationUrl, codeVerifier: verifier };
}
