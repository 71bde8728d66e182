/** Single exchanges under the names that programs written for other libraries use. */
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationFull,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '../../oauth-types.ts';
import { createOutboundFetch } from '../../outbound/outbound-fetch.ts';
import { policyFor, type FetchLike, type OutboundPolicy } from '../../outbound/policy.ts';
import { createAuthorizationRequest } from '../authorization-request.ts';
import { readAuthorizationResponse } from '../authorization-response.ts';
import { assumedServerMetadata } from '../discovery/discover-server.ts';
import type { DpopSession } from '../tokens/dpop-session.ts';
import { AuthFlowError } from '../flow-error.ts';
import { OAuthAuthorizer } from '../oauth-authorizer.ts';
import type { AddClientAuthentication, OAuthClientProvider } from '../oauth-client-provider.ts';
import { register } from '../register-client.ts';
import { exchangeTokens } from '../tokens/token-exchange.ts';

interface ExchangeOptions {
  metadata?: AuthorizationServerMetadata | undefined;
  clientInformation: OAuthClientInformationMixed;
  resource?: string | URL | undefined;
  addClientAuthentication?: AddClientAuthentication | undefined;
  dpop?: DpopSession | undefined;
  fetchFn?: FetchLike | undefined;
}

const policyOf = (server: string | URL, fetchFn: FetchLike | undefined): OutboundPolicy =>
  policyFor(server, fetchFn && { fetch: fetchFn });
const metadataOf = (
  server: string | URL,
  metadata: AuthorizationServerMetadata | undefined,
): AuthorizationServerMetadata => metadata ?? assumedServerMetadata(new URL(server).origin);
const resourceOf = (resource: string | URL | undefined): { resource?: string } =>
  resource === undefined ? {} : { resource: String(resource) };

/** @deprecated Dynamic client registration is deprecated by PR 2858, in favour of client ID metadata documents; the earliest revision without it is the first on or after 2027-07-28. */
export async function registerClient(
  authorizationServerUrl: string | URL,
  options: {
    metadata?: AuthorizationServerMetadata;
    clientMetadata: OAuthClientMetadata;
    scope?: string;
    fetchFn?: FetchLike;
  },
): Promise<OAuthClientInformationFull> {
  const { metadata, clientMetadata, scope, fetchFn } = options;
  const fetch = createOutboundFetch(policyOf(authorizationServerUrl, fetchFn));
  const wanted = scope === undefined ? clientMetadata : { ...clientMetadata, scope };
  return register(metadataOf(authorizationServerUrl, metadata), wanted, { fetch });
}

/** Returns the login page to open. Keep the verifier, and the state in the page's query, until the answer comes. */
export async function startAuthorization(
  authorizationServerUrl: string | URL,
  options: {
    metadata?: AuthorizationServerMetadata;
    clientInformation: OAuthClientInformationMixed;
    redirectUrl: string | URL;
    scope?: string;
    state?: string;
    resource?: string | URL;
  },
): Promise<{ authorizationUrl: URL; codeVerifier: string }> {
  const { clientInformation, redirectUrl, scope, state, resource } = options;
  const { url, pending } = await createAuthorizationRequest({
    metadata: metadataOf(authorizationServerUrl, options.metadata),
    clientId: clientInformation.client_id,
    redirectUri: String(redirectUrl),
    scope,
    state,
    resource: resource === undefined ? undefined : String(resource),
  });
  return { authorizationUrl: url, codeVerifier: pending.codeVerifier };
}

export async function exchangeAuthorization(
  authorizationServerUrl: string | URL,
  options: ExchangeOptions & {
    authorizationCode: string;
    iss?: string | undefined;
    codeVerifier: string;
    redirectUri: string | URL;
  },
): Promise<OAuthTokens> {
  const metadata = metadataOf(authorizationServerUrl, options.metadata);
  const { authorizationCode, iss, codeVerifier, redirectUri } = options;
  const callback = new URLSearchParams({ code: authorizationCode, ...(iss !== undefined && { iss }) });
  const code = readAuthorizationResponse(callback, { issuer: metadata.issuer, state: '', metadata }, false);
  const params = new URLSearchParams({
    code,
    code_verifier: codeVerifier,
    redirect_uri: String(redirectUri),
    ...resourceOf(options.resource),
  });
  return exchange(authorizationServerUrl, options, 'authorization_code', params);
}

/** Refreshes tokens. A refresh token that is not replaced is returned again. */
export async function refreshAuthorization(
  authorizationServerUrl: string | URL,
  options: ExchangeOptions & { refreshToken: string; scope?: string | undefined },
): Promise<OAuthTokens> {
  const { refreshToken, scope, resource } = options;
  const params = new URLSearchParams({
    refresh_token: refreshToken,
    ...(scope !== undefined && { scope }),
    ...resourceOf(resource),
  });
  const tokens = await exchange(authorizationServerUrl, options, 'refresh_token', params);
  return { refresh_token: refreshToken, ...tokens };
}

/** Sends the token request of a provider that acts for itself. */
export async function fetchToken(
  provider: OAuthClientProvider,
  authorizationServerUrl: string | URL,
  options: {
    metadata?: AuthorizationServerMetadata;
    resource?: string | URL;
    scope?: string;
    fetchFn?: FetchLike;
  } = {},
): Promise<OAuthTokens> {
  const metadata = metadataOf(authorizationServerUrl, options.metadata);
  const { issuer } = metadata;
  const fetch = createOutboundFetch(policyOf(authorizationServerUrl, options.fetchFn));
  const resource = String(options.resource ?? issuer);
  const prepared = await provider.prepareTokenRequest?.(options.scope, { issuer, resource, metadata, fetch });
  const clientInformation = await provider.clientInformation({ issuer });
  if (prepared === undefined || clientInformation === undefined)
    throw new AuthFlowError(
      'configuration',
      `fetchToken() needs a provider with ${prepared === undefined ? 'prepareTokenRequest()' : `a client for ${issuer}: clientInformation() returned none`}.`,
    );
  const grantType = prepared.get('grant_type') ?? 'client_credentials';
  prepared.delete('grant_type');
  if (options.resource !== undefined) prepared.set('resource', resource);
  const { addClientAuthentication } = provider;
  const add = addClientAuthentication?.bind(provider);
  return exchange(
    authorizationServerUrl,
    { ...options, clientInformation, addClientAuthentication: add },
    grantType,
    prepared,
  );
}

async function exchange(
  server: string | URL,
  options: ExchangeOptions,
  grantType: string,
  params: URLSearchParams,
): Promise<OAuthTokens> {
  const { clientInformation: client, addClientAuthentication, dpop, fetchFn } = options;
  const fetch = createOutboundFetch(policyOf(server, fetchFn));
  const metadata = metadataOf(server, options.metadata);
  return exchangeTokens({ metadata, client, grantType, params, addClientAuthentication, dpop, fetch });
}

/** A `fetch` that logs in when it is refused, for programs that call a server without a transport. */
export const withOAuth =
  (provider: OAuthClientProvider, baseUrl?: string | URL) =>
  (next: FetchLike): FetchLike => {
    let authorizer: OAuthAuthorizer | undefined;
    return async (given, init = {}) => {
      const url = new URL(given, baseUrl);
      const current = (authorizer ??= new OAuthAuthorizer(provider, { serverUrl: baseUrl ?? url }));
      const request = {};
      for (;;) {
        const headers = new Headers(init.headers);
        const added = await current.authorize({ method: init.method ?? 'GET', url });
        for (const [name, value] of Object.entries(added)) headers.set(name, value);
        const response = await next(url, { ...init, headers });
        if (response.status !== 401 && response.status !== 403) return response;
        const authorization = headers.get('authorization') ?? undefined;
        const verdict = await current.onRefused({ response, url, authorization, request });
        if (verdict === 'give-up') return response;
        if (verdict === 'redirected')
          throw new AuthFlowError(
            'needs-user',
            'The user was sent to a page to log in. Hand its answer over, then try again.',
          );
        await response.body?.cancel();
      }
    };
  };
