import { OAuthError } from '../oauth-error.ts';
import { selectClientAuthMethod } from './client-authentication.ts';
import type { AuthorizationServerMetadata, OAuthClientInformationMixed, OAuthTokens } from '../oauth-types.ts';
import type { FetchLike, OutboundPolicy } from '../outbound/policy.ts';
import { scopeUnion } from '../resource-identifier.ts';
import { RULES } from './auth-step.ts';
import type { AuthOptions, AuthResult } from './auth.ts';
import { createAuthorizationRequest, selectScope, withOfflineAccess } from './authorization-request.ts';
import { readAuthorizationResponse } from './authorization-response.ts';
import { discover, type Discovery } from './discovery/discovery.ts';
import { DPOP_ALGORITHMS } from './tokens/dpop-proofs.ts';
import type { DpopSession } from './tokens/dpop-session.ts';
import { AuthFlowError } from './flow-error.ts';
import type { OAuthClientProvider, StoredOAuthTokens } from './oauth-client-provider.ts';
import { dropPending, findPending, keepPending, type PendingAuthorization } from './pending-authorization.ts';
import { checkRedirects, obtainClient } from './register-client.ts';
import { stampTokens, type AskedFor } from './tokens/stored-tokens.ts';
import { exchangeTokens } from './tokens/token-exchange.ts';

export interface RunOptions extends Omit<AuthOptions, 'serverUrl' | 'policy'> {
  readonly serverUrl: URL;
  readonly policy: OutboundPolicy;
  readonly fetch: FetchLike;
}

/** One attempt to get tokens. */
export class AuthRun {
  readonly #provider: OAuthClientProvider;
  readonly #options: RunOptions;

  constructor(provider: OAuthClientProvider, options: RunOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  async authorize(): Promise<AuthResult> {
    const provider = this.#provider;
    const recorded = await this.#recordedIssuer();
    const discovery = await this.#discover();
    const { metadata } = discovery;
    if (provider.prepareTokenRequest !== undefined && provider.redirectUrl === undefined)
      return this.#askForItself(discovery);
    const tokens = await provider.tokens({ issuer: metadata.issuer });
    const isOurs = (tokens?.issuer ?? recorded ?? metadata.issuer) === metadata.issuer;
    if (tokens !== undefined && isOurs && this.#options.forceReauthorization !== true) {
      if (await this.#renew(tokens, metadata)) return 'AUTHORIZED';
    }
    if (provider.redirectUrl === undefined) return this.#askForItself(discovery);
    await provider.beginLogin?.({ issuer: metadata.issuer });
    this.#options.onwaiting?.(true);
    try {
      return await this.#askUser(discovery, isOurs ? tokens : undefined);
    } finally {
      this.#options.onwaiting?.(false);
      await provider.endLogin?.();
    }
  }

  /** Completes a login. The code is used once, and only at the authorization server that the user was sent to. */
  async finish(callback: URLSearchParams, checkState: boolean): Promise<AuthResult> {
    const pending = (await findPending(this.#provider)) ?? (await this.#rebuildPending());
    const code = readAuthorizationResponse(callback, pending, checkState && pending.state !== '');
    const { metadata, issuer, redirectUri, codeVerifier, resource, scope } = pending;
    const known = await this.#provider.clientInformation({ issuer });
    const client =
      known?.client_id === pending.clientId || pending.clientId === '' ? known : { client_id: pending.clientId };
    if (client === undefined)
      throw new AuthFlowError(
        'callback',
        `The client that started this login at ${issuer} is no longer known. Log in again.`,
      );
    const params = new URLSearchParams({ code, redirect_uri: redirectUri, code_verifier: codeVerifier, resource });
    await dropPending(this.#provider);
    const tokens = await this.#exchange(metadata, client, 'authorization_code', params);
    await this.#save(tokens, metadata, client, { resource, requestedScope: scope });
    this.#options.onobtained?.('login');
    return 'AUTHORIZED';
  }

  async #discover(): Promise<Discovery> {
    const provider = this.#provider;
    const options = this.#options;
    const found = await discover(options.serverUrl, {
      fetch: options.fetch,
      trace: options.trace,
      resourceMetadataUrl: options.resourceMetadataUrl,
      overrides: options.overrides,
      policy: options.policy,
      choose: provider.chooseAuthorizationServer?.bind(provider) ?? ((issuers) => this.#known(issuers)),
    });
    const chosen = await provider.validateResourceURL?.(options.serverUrl, found.resourceMetadata?.resource);
    const discovery = chosen === undefined ? found : { ...found, resource: chosen.href };
    options.ondiscovered?.(discovery);
    const { metadata } = discovery;
    await provider.saveDiscoveryState?.({
      authorizationServerUrl: metadata.issuer,
      authorizationServerMetadata: metadata,
      resourceMetadata: discovery.resourceMetadata,
      resourceMetadataUrl: discovery.resourceMetadataUrl,
    });
    await provider.saveAuthorizationServerUrl?.(metadata.issuer);
    await provider.saveResourceUrl?.(discovery.resource);
    return discovery;
  }

  /** Issuer of tokens that were stored without one. */
  async #recordedIssuer(): Promise<string | undefined> {
    const state = await this.#provider.discoveryState?.();
    return state?.authorizationServerUrl ?? (await this.#provider.authorizationServerUrl?.());
  }

  /** The first of several authorization servers for which tokens are stored; the first of all when there is none. */
  async #known(issuers: readonly string[]): Promise<string> {
    for (const issuer of issuers) {
      const tokens = await this.#provider.tokens({ issuer });
      if (tokens?.issuer === issuer) return issuer;
    }
    return issuers[0] ?? '';
  }

  /** Refreshes tokens at the endpoint that issued them, without discovery. False when that endpoint is unknown. */
  async renewKnown(tokens: StoredOAuthTokens): Promise<boolean> {
    const { issuer, token_endpoint: endpoint } = tokens;
    if (issuer === undefined || endpoint === undefined) return false;
    return this.#renew(tokens, { issuer, token_endpoint: endpoint });
  }

  /** True when there are valid tokens afterwards; false when a login is needed. Rejects when the authorization server is unavailable. */
  async #renew(seen: StoredOAuthTokens, metadata: AuthorizationServerMetadata): Promise<boolean> {
    const provider = this.#provider;
    const refused = this.#options.refusedToken ?? seen.access_token;
    const work = async (): Promise<boolean> => {
      const tokens = await provider.tokens({ issuer: metadata.issuer });
      if (tokens === undefined) return false;
      // Another process has refreshed already. With rotating refresh tokens, a second attempt would revoke the whole family.
      if (tokens.access_token !== refused) {
        this.#options.onobtained?.('found');
        return true;
      }
      if (tokens.refresh_token === undefined) return false;
      return this.#refresh(tokens, tokens.refresh_token, metadata);
    };
    return provider.exclusive === undefined ? work() : provider.exclusive(work);
  }

  async #refresh(
    tokens: StoredOAuthTokens,
    refreshToken: string,
    found: AuthorizationServerMetadata,
  ): Promise<boolean> {
    const provider = this.#provider;
    const issuer = tokens.issuer ?? found.issuer;
    // Tokens are refreshed where they were issued, even if the metadata now names another place.
    const metadata = recordedServer(tokens, found);
    const client = await provider.clientInformation({ issuer });
    if (client === undefined) return false;
    const scope = await provider.scopeForRefresh?.(tokens);
    const params = new URLSearchParams({
      refresh_token: refreshToken,
      ...(tokens.resource !== undefined && { resource: tokens.resource }),
      ...(scope !== undefined && { scope }),
    });
    try {
      const fresh = await this.#exchange(metadata, client, 'refresh_token', params);
      // A server that does not rotate omits the refresh token; one that omits the scope has not changed it.
      const kept = {
        refresh_token: refreshToken,
        ...(tokens.scope !== undefined && { scope: tokens.scope }),
        ...fresh,
      };
      await this.#save(kept, metadata, client, { resource: tokens.resource, requestedScope: tokens.requested_scope });
      this.#note('The token was renewed.');
      this.#options.onobtained?.('renewed');
      return true;
    } catch (error) {
      if (!(error instanceof OAuthError) || error.code === 'invalid_client' || error.code === 'unauthorized_client')
        throw error;
      this.#note(`The token could not be renewed (${error.code}), so a login is needed.`);
      if (error.code === 'invalid_grant') await provider.invalidateCredentials?.('tokens');
      return false;
    }
  }

  async #askForItself(discovery: Discovery): Promise<AuthResult> {
    const provider = this.#provider;
    const { metadata, resource, resourceMetadata } = discovery;
    const context = { issuer: metadata.issuer, resource, metadata, fetch: this.#options.fetch };
    const configured = provider.clientMetadata.scope;
    const scope = selectScope({ challenged: this.#options.scope, resourceMetadata, configured });
    const client = await obtainClient(provider, metadata, this.#options);
    const prepared = await provider.prepareTokenRequest?.(scope, context);
    if (prepared === undefined)
      throw new AuthFlowError(
        'configuration',
        'The provider needs a redirectUrl, for a login by a user, or prepareTokenRequest, for a grant without one.',
      );
    const grantType = prepared.get('grant_type') ?? 'client_credentials';
    prepared.delete('grant_type');
    if (!prepared.has('resource')) prepared.set('resource', resource);
    const tokens = await this.#exchange(metadata, client, grantType, prepared);
    await this.#save(tokens, metadata, client, { resource, requestedScope: scope });
    this.#options.onobtained?.('granted');
    return 'AUTHORIZED';
  }

  async #askUser(discovery: Discovery, before: StoredOAuthTokens | undefined): Promise<AuthResult> {
    const provider = this.#provider;
    const { metadata, resource, resourceMetadata } = discovery;
    const client = await obtainClient(provider, metadata, this.#options);
    const redirectUri = String(provider.redirectUrl);
    checkRedirects([redirectUri]);
    const { grant_types: grants, scope: configured } = provider.clientMetadata;
    const scope = selectScope({
      challenged: this.#options.scope,
      resourceMetadata,
      configured,
      before: scopeUnion(before?.requested_scope, before?.scope),
    });
    const dpop = await this.#dpop(metadata);
    const { url, pending } = await createAuthorizationRequest({
      metadata,
      clientId: client.client_id,
      redirectUri,
      scope: withOfflineAccess(scope, metadata, grants),
      state: await provider.state?.(),
      resource,
      policy: this.#options.policy,
      dpopJkt: dpop?.thumbprint,
    });
    await keepPending(provider, pending);
    const answer = await provider.redirectToAuthorization(url);
    return answer instanceof URLSearchParams ? this.finish(answer, true) : 'REDIRECT';
  }

  async #exchange(
    metadata: AuthorizationServerMetadata,
    client: OAuthClientInformationMixed,
    grantType: string,
    params: URLSearchParams,
  ): Promise<OAuthTokens> {
    const { addClientAuthentication } = this.#provider;
    return exchangeTokens({
      metadata,
      client,
      grantType,
      params,
      addClientAuthentication: addClientAuthentication?.bind(this.#provider),
      dpop: await this.#dpop(metadata),
      fetch: this.#options.fetch,
    });
  }

  /** The provider's DPoP key; a new one where the server requires bound tokens. */
  async #dpop(metadata: AuthorizationServerMetadata): Promise<DpopSession | undefined> {
    const known = await this.#provider.dpop?.();
    const wanted = this.#options.dpopAlgorithms;
    if (known !== undefined || wanted === undefined) return known;
    const supported = metadata.dpop_signing_alg_values_supported ?? [];
    const usable = DPOP_ALGORITHMS.filter(
      (alg) => supported.includes(alg) && (wanted.length === 0 || wanted.includes(alg)),
    );
    return usable.length === 0 ? undefined : this.#provider.startDpop?.(usable);
  }

  async #save(
    tokens: OAuthTokens,
    metadata: AuthorizationServerMetadata,
    client: OAuthClientInformationMixed,
    asked: Omit<AskedFor, 'authMethod'>,
  ): Promise<void> {
    const authMethod =
      this.#provider.addClientAuthentication === undefined
        ? selectClientAuthMethod(client, metadata.token_endpoint_auth_methods_supported)
        : undefined;
    await this.#provider.saveTokens(stampTokens(tokens, metadata, { ...asked, authMethod }), {
      issuer: metadata.issuer,
    });
  }

  /** For programs that stored the verifier and the discovery state and restarted in between, such as web pages. */
  async #rebuildPending(): Promise<PendingAuthorization> {
    const provider = this.#provider;
    const state = await provider.discoveryState?.();
    const metadata = state?.authorizationServerMetadata ?? (await this.#discover()).metadata;
    const { issuer } = metadata;
    const client = await provider.clientInformation({ issuer });
    const redirectUri = String(provider.redirectUrl);
    const resource =
      (await provider.resourceUrl?.()) ?? state?.resourceMetadata?.resource ?? (await this.#discover()).resource;
    const codeVerifier = await provider.codeVerifier();
    return {
      issuer,
      codeVerifier,
      state: '',
      redirectUri,
      clientId: client?.client_id ?? '',
      resource,
      scope: undefined,
      metadata,
    };
  }

  #note(explanation: string): void {
    this.#options.trace?.({ step: 'tokens', verdict: 'note', explanation, rule: RULES.tokens });
  }
}

/** The authorization server as it was when it issued the tokens: endpoint and client authentication. */
function recordedServer(tokens: StoredOAuthTokens, found: AuthorizationServerMetadata): AuthorizationServerMetadata {
  const { issuer = found.issuer, token_endpoint: endpoint, token_endpoint_auth_method: method } = tokens;
  return {
    ...found,
    issuer,
    ...(endpoint !== undefined && { token_endpoint: endpoint }),
    ...(method !== undefined && { token_endpoint_auth_methods_supported: [method] }),
  };
}
