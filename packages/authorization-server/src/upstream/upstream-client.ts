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
import { isLoopbackName } from 'crosspoint/internal';

/** An authorization server at which this program is a client. */
export interface UpstreamOptions {
  /** Name for people. */
  readonly name: string;
  /** Issuer; its endpoints are then read from its metadata. */
  readonly issuer?: string;
  /** Endpoints, for a server without metadata. */
  readonly endpoints?: {
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly revocationUrl?: string;
    readonly introspectionUrl?: string;
  };
  /** Id of this program there. */
  readonly clientId: string;
  /** Secret of this program; without one it is a public client. */
  readonly clientSecret?: string;
  /** How the secret is sent; `client_secret_basic` when absent. */
  readonly clientAuth?: 'client_secret_basic' | 'client_secret_post';
  readonly scopes: readonly string[];
  /** API that the tokens are for, where the server requires it. */
  readonly resource?: string;
  /** Additional parameters of the authorization request, such as `access_type`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/** Upstream tokens. They leave this program only towards the API they are for. */
export interface UpstreamTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Expiry in milliseconds since the epoch. */
  readonly expiresAt?: number;
  readonly scope?: string;
  /** Claims of an ID token, if one was issued. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The upstream login has ended: the user has to log in again. */
export class UpstreamLoginGone extends Error {
  override readonly name: string = 'UpstreamLoginGone';
}

/** State of an upstream login while the browser is away. */
export interface UpstreamAttempt {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Requests to one upstream server. */
export class UpstreamClient {
  readonly options: UpstreamOptions;
  readonly #auth: ClientAuth;
  readonly #now: () => number;
  #server: Promise<AuthorizationServer> | undefined;

  constructor(options: UpstreamOptions, now: () => number) {
    const { clientSecret, clientAuth } = options;
    if (options.issuer === undefined && options.endpoints === undefined)
      throw new TypeError(`${options.name} needs an issuer, or endpoints.`);
    this.options = options;
    this.#now = now;
    this.#auth =
      clientSecret === undefined
        ? None()
        : clientAuth === 'client_secret_post'
          ? ClientSecretPost(clientSecret)
          : ClientSecretBasic(clientSecret);
  }

  /** The address to send the browser to. */
  async begin({ state, verifier, redirectUri }: UpstreamAttempt): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.#find();
    if (endpoint === undefined)
      throw new Error(`${this.options.name} names no authorization_endpoint: give its endpoints.`);
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

  /** Exchanges the code of the redirect. Rejects when the state or the issuer is not the expected one. */
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

  /** Rejects with `UpstreamLoginGone` when the login has ended, and with any other error when that is unknown. */
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

  /** Whether a token is still active; `undefined` where the server has no introspection. */
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
      // Plain http is allowed on this machine only.
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
