import {
  ClientSecretBasic,
  ClientSecretPost,
  None,
  ResponseBodyError,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  customFetch,
  discoveryRequest,
  getValidatedIdTokenClaims,
  introspectionRequest,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processIntrospectionResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  validateAuthResponse,
  type AuthorizationServer,
  type ClientAuth,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { isLoopbackName } from '../../../runtime/loopback.ts';

/** An authorization server at which this program is a client. */
export interface UpstreamOptions {
  /** What people call it. */
  readonly name: string;
  /** Its issuer; its endpoints are then found in its metadata. */
  readonly issuer?: string;
  /** Its endpoints, where it has no metadata. */
  readonly endpoints?: {
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly revocationUrl?: string;
    readonly introspectionUrl?: string;
  };
  /** What it knows this program by. */
  readonly clientId: string;
  /** Without one this program is a public client there. */
  readonly clientSecret?: string;
  /** How the secret is shown. `client_secret_basic` when absent. */
  readonly clientAuth?: 'client_secret_basic' | 'client_secret_post';
  readonly scopes: readonly string[];
  /** The API that the tokens are for, where the server wants to know. */
  readonly resource?: string;
  /** Further parameters of the authorization request, such as `access_type`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/** What was given upstream. Never leaves this program, except towards the API it is for. */
export interface UpstreamTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  readonly scope?: string;
  /** The claims of an ID token that came along. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The refresh token is no more: somebody has to log in again. */
export class UpstreamLoginGone extends Error {
  override readonly name: string = 'UpstreamLoginGone';
}

/** What is kept of a login upstream while the browser is away. */
export interface UpstreamAttempt {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** The exchanges with one upstream server. */
export class UpstreamClient {
  readonly options: UpstreamOptions;
  readonly #auth: ClientAuth;
  readonly #now: () => number;
  #server: Promise<AuthorizationServer> | undefined;

  constructor(options: UpstreamOptions, now: () => number) {
    const { clientSecret, clientAuth } = options;
    if (options.issuer === undefined && options.endpoints === undefined)
      throw new TypeError(`Say where ${options.name} is: give its issuer, or its endpoints.`);
    this.options = options;
    this.#now = now;
    this.#auth =
      clientSecret === undefined
        ? None()
        : clientAuth === 'client_secret_post'
          ? ClientSecretPost(clientSecret)
          : ClientSecretBasic(clientSecret);
  }

  /** Where the browser goes. */
  async begin({ state, verifier, redirectUri }: UpstreamAttempt): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.#find();
    if (endpoint === undefined) throw new Error(`${this.options.name} has no authorization endpoint.`);
    const { clientId, scopes, resource, params = {} } = this.options;
    const url = new URL(endpoint);
    const all: Record<string, string> = {
      ...params,
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      ...(resource !== undefined && { resource }),
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Exchanges what the browser came back with. Rejects when the state or the issuer is not the one that was sent away. */
  async finish(params: URLSearchParams, { state, verifier, redirectUri }: UpstreamAttempt): Promise<UpstreamTokens> {
    const server = await this.#find();
    const client = this.#client();
    const checked = validateAuthResponse(server, client, params, state);
    const response = await authorizationCodeGrantRequest(server, client, this.#auth, checked, redirectUri, verifier, {
      ...this.#requestOptions(server.token_endpoint),
      ...this.#resourceParameter(),
    });
    return this.#toTokens(await processAuthorizationCodeResponse(server, client, response));
  }

  /** Rejects with `UpstreamLoginGone` when the grant has ended, and with anything else when it could not be found out. */
  async refresh(tokens: UpstreamTokens): Promise<UpstreamTokens> {
    if (tokens.refreshToken === undefined)
      throw new UpstreamLoginGone(`The login at ${this.options.name} has expired.`);
    const server = await this.#find();
    const client = this.#client();
    const response = await refreshTokenGrantRequest(server, client, this.#auth, tokens.refreshToken, {
      ...this.#requestOptions(server.token_endpoint),
      ...this.#resourceParameter(),
    });
    try {
      const renewed = this.#toTokens(await processRefreshTokenResponse(server, client, response));
      return { refreshToken: tokens.refreshToken, ...(tokens.claims && { claims: tokens.claims }), ...renewed };
    } catch (error) {
      if (error instanceof ResponseBodyError && error.error === 'invalid_grant')
        throw new UpstreamLoginGone(`The login at ${this.options.name} has ended.`, { cause: error });
      throw error;
    }
  }

  /** Whether a token is still good; `undefined` where that cannot be asked. */
  async isActive(tokens: UpstreamTokens): Promise<boolean | undefined> {
    const server = await this.#find();
    if (server.introspection_endpoint === undefined) return undefined;
    const client = this.#client();
    const options = this.#requestOptions(server.introspection_endpoint);
    const response = await introspectionRequest(server, client, this.#auth, tokens.accessToken, options);
    return (await processIntrospectionResponse(server, client, response)).active;
  }

  async revoke(tokens: UpstreamTokens): Promise<void> {
    const server = await this.#find();
    if (server.revocation_endpoint === undefined) return;
    const options = this.#requestOptions(server.revocation_endpoint);
    await revocationRequest(server, this.#client(), this.#auth, tokens.refreshToken ?? tokens.accessToken, options);
  }

  #client(): { client_id: string } {
    return { client_id: this.options.clientId };
  }

  #find(): Promise<AuthorizationServer> {
    this.#server ??= this.#discover().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  async #discover(): Promise<AuthorizationServer> {
    const { issuer, endpoints } = this.options;
    if (endpoints)
      return {
        issuer: issuer ?? new URL(endpoints.authorizationUrl).origin,
        authorization_endpoint: endpoints.authorizationUrl,
        token_endpoint: endpoints.tokenUrl,
        ...(endpoints.revocationUrl !== undefined && { revocation_endpoint: endpoints.revocationUrl }),
        ...(endpoints.introspectionUrl !== undefined && { introspection_endpoint: endpoints.introspectionUrl }),
      };
    const url = new URL(issuer ?? '');
    const options = this.#requestOptions(issuer);
    const first = await discoveryRequest(url, { ...options, algorithm: 'oauth2' });
    if (first.ok) return processDiscoveryResponse(url, first);
    return processDiscoveryResponse(url, await discoveryRequest(url, { ...options, algorithm: 'oidc' }));
  }

  #requestOptions(endpoint: string | undefined): {
    signal: AbortSignal;
    [allowInsecureRequests]: boolean;
    [customFetch]: (url: string, options: object) => Promise<Response>;
  } {
    const fetcher = this.options.fetch ?? fetch;
    const isLocal = endpoint !== undefined && isLoopbackName(new URL(endpoint).hostname);
    return {
      signal: AbortSignal.timeout(10_000),
      // Plain http is for this machine alone.
      [allowInsecureRequests]: isLocal,
      [customFetch]: (url, options) => fetcher(url, options),
    };
  }

  #resourceParameter(): { additionalParameters?: Record<string, string> } {
    const { resource } = this.options;
    return resource === undefined ? {} : { additionalParameters: { resource } };
  }

  #toTokens(answer: TokenEndpointResponse): UpstreamTokens {
    const claims = getValidatedIdTokenClaims(answer);
    return {
      accessToken: answer.access_token,
      ...(answer.refresh_token !== undefined && { refreshToken: answer.refresh_token }),
      ...(answer.expires_in !== undefined && { expiresAt: this.#now() + answer.expires_in * 1000 }),
      ...(answer.scope !== undefined && { scope: answer.scope }),
      ...(claims && { claims: { ...claims } }),
    };
  }
}
