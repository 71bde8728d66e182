import type { FetchLike, OAuthClientInformationFull, OAuthTokens } from 'crosspoint/auth';
import type {
  AuthorizationParams,
  AuthorizationReply,
  OAuthRegisteredClientsStore,
  OAuthServerProvider,
  OAuthTokenRevocationRequest,
} from 'crosspoint/auth/server';
import type { AuthInfo } from 'crosspoint';
import { parseErrorResponse } from '../../../internal/client/parse-error-response.ts';
import { ServerError } from '../errors.ts';

export type ProxyEndpoints = {
  authorizationUrl: string;
  tokenUrl: string;
  revocationUrl?: string;
  registrationUrl?: string;
};

export type ProxyOptions = {
  endpoints: ProxyEndpoints;
  /** Verifies a token of the upstream server. */
  verifyAccessToken: (token: string) => Promise<AuthInfo>;
  getClient: (clientId: string) => Promise<OAuthClientInformationFull | undefined>;
  fetch?: FetchLike;
};

/**
 * Forwards everything to an upstream authorization server, whose tokens the clients then hold. For an authorization server that issues its
 * own tokens and logs people in elsewhere, use `createAuthorizationServer` with `upstreamLogin`.
 */
export class ProxyOAuthServerProvider implements OAuthServerProvider {
  protected readonly _endpoints: ProxyEndpoints;
  protected readonly _verifyAccessToken: ProxyOptions['verifyAccessToken'];
  protected readonly _getClient: ProxyOptions['getClient'];
  protected readonly _fetch: FetchLike | undefined;
  /** The upstream server has the challenge. */
  skipLocalPkceValidation: boolean = true;
  revokeToken?: (client: OAuthClientInformationFull, request: OAuthTokenRevocationRequest) => Promise<void>;

  constructor(options: ProxyOptions) {
    this._endpoints = options.endpoints;
    this._verifyAccessToken = options.verifyAccessToken;
    this._getClient = options.getClient;
    this._fetch = options.fetch;
    const { revocationUrl } = options.endpoints;
    if (revocationUrl !== undefined)
      this.revokeToken = async (client, { token, token_type_hint: hint }) => {
        await this.#post(revocationUrl, client, { token, token_type_hint: hint });
      };
  }

  get clientsStore(): OAuthRegisteredClientsStore {
    const { registrationUrl } = this._endpoints;
    return {
      getClient: this._getClient,
      ...(registrationUrl !== undefined && {
        registerClient: async (client: OAuthClientInformationFull) => {
          const request = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(client) };
          return (await this.#send(registrationUrl, request)).json() as Promise<OAuthClientInformationFull>;
        },
      }),
    };
  }

  async authorize(
    client: OAuthClientInformationFull,
    params: AuthorizationParams,
    reply: AuthorizationReply,
  ): Promise<void> {
    const target = new URL(this._endpoints.authorizationUrl);
    const { redirectUri, codeChallenge, state, scopes, resource } = params;
    const query = {
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: redirectUri,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
      state,
      scope: scopes && scopes.length > 0 ? scopes.join(' ') : undefined,
      resource: resource?.href,
    };
    for (const [name, value] of present(query)) target.searchParams.set(name, value);
    reply.redirect(target.href);
  }

  async challengeForAuthorizationCode(_client: OAuthClientInformationFull, _code: string): Promise<string> {
    return '';
  }

  // oxlint-disable-next-line max-params -- the shape is given
  async exchangeAuthorizationCode(
    client: OAuthClientInformationFull,
    authorizationCode: string,
    codeVerifier?: string,
    redirectUri?: string,
    resource?: URL,
  ): Promise<OAuthTokens> {
    return this.#tokens(client, {
      grant_type: 'authorization_code',
      code: authorizationCode,
      code_verifier: codeVerifier,
      redirect_uri: redirectUri,
      resource: resource?.href,
    });
  }

  async exchangeRefreshToken(
    client: OAuthClientInformationFull,
    refreshToken: string,
    scopes?: string[],
    resource?: URL,
  ): Promise<OAuthTokens> {
    return this.#tokens(client, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      scope: scopes && scopes.length > 0 ? scopes.join(' ') : undefined,
      resource: resource?.href,
    });
  }

  async verifyAccessToken(token: string): Promise<AuthInfo> {
    return this._verifyAccessToken(token);
  }

  async #tokens(client: OAuthClientInformationFull, params: Params): Promise<OAuthTokens> {
    const tokens = (await (await this.#post(this._endpoints.tokenUrl, client, params)).json()) as Partial<OAuthTokens>;
    if (typeof tokens.access_token !== 'string' || typeof tokens.token_type !== 'string')
      throw new ServerError('The answer of the authorization server holds no token');
    return tokens as OAuthTokens;
  }

  async #post(url: string, client: OAuthClientInformationFull, params: Params): Promise<Response> {
    const body = new URLSearchParams(
      present({ ...params, client_id: client.client_id, client_secret: client.client_secret }),
    );
    return this.#send(url, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
      body: body.toString(),
    });
  }

  /** A refusal of the upstream server is passed on as the same OAuth error. */
  async #send(url: string, request: RequestInit): Promise<Response> {
    const response = await (this._fetch ?? fetch)(url, { method: 'POST', ...request });
    if (!response.ok) throw await parseErrorResponse(response);
    return response;
  }
}

type Params = Record<string, string | undefined>;

const present = (params: Params): [string, string][] =>
  Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
