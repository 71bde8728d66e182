/** Token requests: for a code, by a refresh token, and by a grant of the provider's own. */
import { prepareAuthorizationCodeRequest } from 'crosspoint/auth';
import {
  OAuthTokensSchema,
  type AuthorizationServerMetadata,
  type OAuthClientInformationMixed,
  type OAuthTokens,
} from '../../shared/auth.ts';
import type { FetchLike } from '../../shared/transport.ts';
import { authenticateClient } from './client-authentication.ts';
import { clientBoundTo } from './credential-binding.ts';
import { parseErrorResponse } from './error-answer.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { AddClientAuthentication, OAuthClientProvider } from './provider.ts';

interface TokenOptions {
  /** Metadata of the authorization server; without it, the token endpoint is `/token`. */
  metadata?: AuthorizationServerMetadata | undefined;
  /** Resource that the tokens are for; a text is sent as it is. */
  resource?: string | URL | undefined;
  addClientAuthentication?: AddClientAuthentication | undefined;
  fetchFn?: FetchLike | undefined;
}

/** An issuer in the answer is dropped: the client notes itself where tokens came from. */
const Answer = OAuthTokensSchema.omit({ issuer: true });

async function requestTokens(
  server: string | URL,
  params: URLSearchParams,
  options: TokenOptions & { clientInformation?: OAuthClientInformationMixed | undefined },
): Promise<OAuthTokens> {
  const { metadata, clientInformation: client, addClientAuthentication, resource } = options;
  const url = new URL(metadata?.token_endpoint ?? '/token', server);
  const headers = new Headers({ 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' });
  if (resource !== undefined) params.set('resource', String(resource));
  if (addClientAuthentication !== undefined) await addClientAuthentication(headers, params, url, metadata);
  else if (client !== undefined)
    authenticateClient(client, metadata?.token_endpoint_auth_methods_supported ?? [], headers, params);
  const response = await guardedFetch(server, options.fetchFn)(url, { method: 'POST', headers, body: params });
  if (!response.ok) throw await parseErrorResponse(response);
  return Answer.parse(await response.json());
}

/** Exchanges a code for tokens. Rejects with the `OAuthError` of the authorization server. */
export async function exchangeAuthorization(
  authorizationServerUrl: string | URL,
  options: TokenOptions & {
    clientInformation: OAuthClientInformationMixed;
    authorizationCode: string;
    codeVerifier: string;
    redirectUri: string | URL;
  },
): Promise<OAuthTokens> {
  const { authorizationCode, codeVerifier, redirectUri } = options;
  const params = prepareAuthorizationCodeRequest(authorizationCode, codeVerifier, redirectUri);
  return requestTokens(authorizationServerUrl, params, options);
}

/** Refreshes tokens. A refresh token that is not replaced is returned again. */
export async function refreshAuthorization(
  authorizationServerUrl: string | URL,
  options: TokenOptions & { clientInformation: OAuthClientInformationMixed; refreshToken: string },
): Promise<OAuthTokens> {
  const { refreshToken } = options;
  const params = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
  return { refresh_token: refreshToken, ...(await requestTokens(authorizationServerUrl, params, options)) };
}

/** Sends the token request that the provider prepares, else the one for the authorization code. */
export async function fetchToken(
  provider: OAuthClientProvider,
  authorizationServerUrl: string | URL,
  options: Omit<TokenOptions, 'addClientAuthentication'> & { authorizationCode?: string | undefined } = {},
): Promise<OAuthTokens> {
  const client = async (): Promise<OAuthClientInformationMixed | undefined> =>
    clientBoundTo(await provider.clientInformation(), String(authorizationServerUrl));
  const known = await client();
  const prepared =
    (await provider.prepareTokenRequest?.(provider.clientMetadata.scope)) ??
    (await codeRequest(provider, options.authorizationCode));
  return requestTokens(authorizationServerUrl, prepared, {
    ...options,
    // A provider may know its client only after it has prepared the request.
    clientInformation: known ?? (await client()),
    addClientAuthentication: provider.addClientAuthentication?.bind(provider),
  });
}

async function codeRequest(provider: OAuthClientProvider, code: string | undefined): Promise<URLSearchParams> {
  if (!code) throw new Error('Either provider.prepareTokenRequest() or authorizationCode is required');
  if (!provider.redirectUrl) throw new Error('redirectUrl is required for authorization_code flow');
  return prepareAuthorizationCodeRequest(code, await provider.codeVerifier(), provider.redirectUrl);
}
