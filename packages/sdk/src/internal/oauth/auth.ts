/** The login of v1, in its order of steps: what its providers are called with, and what is sent. */
import {
  IssuerMismatchError,
  auth as newAuth,
  isHttpsUrl,
  validateAuthorizationResponseIssuer,
  type AuthOptions as NewAuthOptions,
  type OAuthClientProvider as NewOAuthClientProvider,
} from 'crosspoint/auth';
import {
  InvalidClientError,
  InvalidClientMetadataError,
  InvalidGrantError,
  OAuthError,
  ServerError,
  UnauthorizedClientError,
} from '../../server/auth/errors.ts';
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthProtectedResourceMetadata,
} from '../../shared/auth.ts';
import { checkResourceAllowed, resourceUrlFromServerUrl } from '../../shared/auth-utils.ts';
import type { FetchLike } from '../../shared/transport.ts';
import { startAuthorization } from './authorization-request.ts';
import { boundTo, clientBoundTo, isSameIssuer } from './credential-binding.ts';
import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  orNone,
} from './discovery.ts';
import { checkPage, guardedFetch } from './guarded-fetch.ts';
import type { AuthResult, OAuthClientProvider, OAuthDiscoveryState } from './provider.ts';
import { registerClient } from './registration.ts';
import { fetchToken, refreshAuthorization } from './token-requests.ts';

interface AuthOptions extends Pick<NewAuthOptions, 'policy' | 'overrides' | 'onwaiting'> {
  serverUrl: string | URL;
  /** Code that the login page has given. */
  authorizationCode?: string | undefined;
  /** The `iss` that came with the code. Where it is given, it must be the issuer of the authorization server. */
  iss?: string | undefined;
  scope?: string | undefined;
  resourceMetadataUrl?: URL | undefined;
  fetchFn?: FetchLike | undefined;
  /** Settings of a transport's requests, for those of its login; headers at the server's own origin alone. */
  requestInit?: RequestInit | undefined;
}

/** Whether the login of `crosspoint/auth` is meant: by its corrections, or by a provider that keeps its record of a login. */
function isForNewLogin(
  provider: OAuthClientProvider | NewOAuthClientProvider,
  { overrides }: AuthOptions,
): provider is NewOAuthClientProvider {
  return overrides !== undefined || 'savePending' in provider;
}

/**
 * Obtains tokens for a server and gives them to the provider: for a code, by a grant of the provider's own, or by refreshing; else sends the
 * user to the login page. Credentials that the authorization server no longer accepts are deleted, and it is tried once more.
 */
export async function auth(
  provider: OAuthClientProvider | NewOAuthClientProvider,
  options: AuthOptions,
): Promise<AuthResult> {
  if (isForNewLogin(provider, options)) return newAuth(provider, options);
  const fetchFn = guardedFetch(options.serverUrl, options.fetchFn, options);
  const run = (): Promise<AuthResult> => logIn(provider, { ...options, fetchFn });
  try {
    return await run();
  } catch (error) {
    if (error instanceof InvalidClientError || error instanceof UnauthorizedClientError)
      await provider.invalidateCredentials?.('all');
    else if (error instanceof InvalidGrantError) await provider.invalidateCredentials?.('tokens');
    else throw error;
    return run();
  }
}

/** A login with what was found and chosen for it. */
interface Login {
  readonly provider: OAuthClientProvider;
  readonly options: AuthOptions;
  /** Authorization server that the credentials belong to. */
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  readonly resource: string | URL | undefined;
  readonly scope: string | undefined;
}

async function logIn(provider: OAuthClientProvider, options: AuthOptions): Promise<AuthResult> {
  const found = await findServer(provider, options);
  const { authorizationServerUrl: issuer, authorizationServerMetadata: metadata, resourceMetadata } = found;
  const expectedIssuer = metadata?.issuer ?? issuer;
  validateAuthorizationResponseIssuer({ iss: options.iss, expectedIssuer, issParameterSupported: false });
  const login: Login = {
    provider,
    options,
    issuer,
    metadata,
    resource: await chooseResource(provider, options.serverUrl, resourceMetadata),
    scope: options.scope || resourceMetadata?.scopes_supported?.join(' ') || provider.clientMetadata.scope,
  };
  const client = await obtainClient(login);
  const isWithoutUser = !provider.redirectUrl;
  if (options.authorizationCode !== undefined || isWithoutUser) {
    const { authorizationCode, fetchFn } = options;
    const tokens = await fetchToken(provider, issuer, {
      metadata,
      resource: login.resource,
      authorizationCode,
      fetchFn,
    });
    await bindClient(login, client);
    await provider.saveTokens({ ...tokens, issuer });
    return 'AUTHORIZED';
  }
  return (await refresh(login, client)) ? 'AUTHORIZED' : sendUser(login, client);
}

/** Discovers the authorization server, unless the provider has kept what was found before. */
async function findServer(provider: OAuthClientProvider, options: AuthOptions): Promise<OAuthDiscoveryState> {
  const { serverUrl, fetchFn } = options;
  const kept = await provider.discoveryState?.();
  const resourceMetadataUrl =
    options.resourceMetadataUrl ?? (kept?.resourceMetadataUrl ? new URL(kept.resourceMetadataUrl) : undefined);
  const state: OAuthDiscoveryState = kept?.authorizationServerUrl
    ? {
        authorizationServerUrl: kept.authorizationServerUrl,
        authorizationServerMetadata:
          kept.authorizationServerMetadata ??
          (await discoverAuthorizationServerMetadata(kept.authorizationServerUrl, { fetchFn })),
        resourceMetadata:
          kept.resourceMetadata ??
          (await discoverOAuthProtectedResourceMetadata(serverUrl, { resourceMetadataUrl }, fetchFn).catch(orNone)),
      }
    : await discoverOAuthServerInfo(serverUrl, { resourceMetadataUrl, fetchFn });
  const isNew =
    !kept?.authorizationServerUrl ||
    state.authorizationServerMetadata !== kept.authorizationServerMetadata ||
    state.resourceMetadata !== kept.resourceMetadata;
  checkIssuer(state);
  if (isNew) await provider.saveDiscoveryState?.({ ...state, resourceMetadataUrl: resourceMetadataUrl?.href });
  return state;
}

/**
 * RFC 8414, section 3.3: metadata that names another issuer than the one that led to it is not used. At the server's own origin, where nobody
 * has named an issuer, any is taken.
 */
function checkIssuer(found: OAuthDiscoveryState): void {
  const { authorizationServerUrl: url, authorizationServerMetadata: metadata, resourceMetadata } = found;
  const isNamed = resourceMetadata?.authorization_servers?.includes(url) === true;
  if (isNamed && metadata !== undefined && !isSameIssuer(metadata.issuer, url))
    throw new IssuerMismatchError('metadata', url, metadata.issuer);
}

/** The resource to request tokens for: the provider's choice, else the one in the metadata, which must cover the server. */
export async function selectResourceURL(
  serverUrl: string | URL,
  provider: OAuthClientProvider,
  resourceMetadata?: OAuthProtectedResourceMetadata,
): Promise<URL | undefined> {
  const server = resourceUrlFromServerUrl(serverUrl);
  if (provider.validateResourceURL !== undefined)
    return provider.validateResourceURL(server, resourceMetadata?.resource);
  if (resourceMetadata === undefined) return undefined;
  const { resource } = resourceMetadata;
  if (!checkResourceAllowed({ requestedResource: server, configuredResource: resource }))
    throw new Error(`Protected resource ${resource} does not match expected ${server.href} (or origin)`);
  return new URL(resource);
}

/** As `selectResourceURL`, but as the metadata spells it: authorization servers compare it as text. */
async function chooseResource(
  provider: OAuthClientProvider,
  serverUrl: string | URL,
  resourceMetadata: OAuthProtectedResourceMetadata | undefined,
): Promise<string | URL | undefined> {
  const chosen = await selectResourceURL(serverUrl, provider, resourceMetadata);
  return provider.validateResourceURL === undefined ? resourceMetadata?.resource : chosen;
}

/** The client that the provider knows for this issuer; else its metadata document, where that is accepted; else a new registration. */
async function obtainClient({
  provider,
  options,
  issuer,
  metadata,
  scope,
}: Login): Promise<OAuthClientInformationMixed> {
  const { authorizationCode, fetchFn } = options;
  const stored = await provider.clientInformation();
  const mayRegister = provider.saveClientInformation !== undefined && Boolean(provider.redirectUrl);
  const known = mayRegister ? boundTo(stored, issuer) : clientBoundTo(stored, issuer);
  if (known !== undefined) return known;
  if (authorizationCode !== undefined)
    throw new Error('Existing OAuth client information is required when exchanging an authorization code');
  const { clientMetadataUrl } = provider;
  if (clientMetadataUrl && !isHttpsUrl(clientMetadataUrl))
    throw new InvalidClientMetadataError(
      `clientMetadataUrl must be a valid HTTPS URL with a non-root pathname, got: ${clientMetadataUrl}`,
    );
  if (clientMetadataUrl && metadata?.client_id_metadata_document_supported === true) {
    const client = { client_id: clientMetadataUrl, issuer };
    await provider.saveClientInformation?.(client);
    return client;
  }
  if (provider.saveClientInformation === undefined)
    throw new Error('OAuth client information must be saveable for dynamic registration');
  const { clientMetadata } = provider;
  const client = { ...(await registerClient(issuer, { metadata, clientMetadata, scope, fetchFn })), issuer };
  await provider.saveClientInformation(client);
  return client;
}

/** Notes in a client that was saved without an issuer that this one has accepted it. */
async function bindClient({ provider, issuer }: Login, client: OAuthClientInformationMixed): Promise<void> {
  if (typeof client.issuer === 'string') return;
  try {
    await provider.saveClientInformation?.({ ...client, issuer });
  } catch {
    // A provider that expects this call only after a registration keeps its client as it is.
  }
}

/** True when there are new tokens; false when a login is needed, because there is no refresh token or the authorization server is down. */
async function refresh(login: Login, client: OAuthClientInformationMixed): Promise<boolean> {
  const { provider, options, issuer, metadata, resource } = login;
  const tokens = boundTo(await provider.tokens(), issuer);
  if (!tokens?.refresh_token) return false;
  try {
    const fresh = await refreshAuthorization(issuer, {
      metadata,
      resource,
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      addClientAuthentication: provider.addClientAuthentication?.bind(provider),
      fetchFn: options.fetchFn,
    });
    await bindClient(login, client);
    await provider.saveTokens({ ...fresh, issuer });
    return true;
  } catch (error) {
    if (error instanceof OAuthError && !(error instanceof ServerError)) throw error;
    return false;
  }
}

async function sendUser(login: Login, client: OAuthClientInformationMixed): Promise<AuthResult> {
  const { provider, options, issuer, metadata, resource, scope } = login;
  if (metadata !== undefined && metadata.code_challenge_methods_supported === undefined)
    throw new Error(
      `Incompatible auth server: ${issuer} does not say that it supports PKCE with S256 (code_challenge_methods_supported), so a stolen code could be used`,
    );
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata,
    clientInformation: client,
    state: await provider.state?.(),
    redirectUrl: provider.redirectUrl ?? '',
    scope,
    resource,
  });
  checkPage(options.serverUrl, authorizationUrl, options.policy);
  await provider.saveCodeVerifier(codeVerifier);
  await provider.redirectToAuthorization(authorizationUrl);
  return 'REDIRECT';
}
