import type { Response as ExpressResponse } from 'express';
import {
  OAuthClientInformationFullSchema,
  OAuthTokensSchema,
  type OAuthClientInformationFull,
  type OAuthTokenRevocationRequest,
  type OAuthTokens,
} from '../../../shared/auth.ts';
import type { FetchLike } from '../../../shared/transport.ts';
import type { OAuthRegisteredClientsStore } from '../clients.ts';
import { ServerError } from '../errors.ts';
import type { AuthorizationParams, OAuthServerProvider } from '../provider.ts';
import type { AuthInfo } from '../types.ts';

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
    if (revocationUrl)
      this.revokeToken = async (client, { token, token_type_hint: hint }) => {
        const answer = await this.#post(revocationUrl, client, { token, token_type_hint: hint }, 'Token revocation');
        await answer.body?.cancel();
      };
  }

  get clientsStore(): OAuthRegisteredClientsStore {
    const { registrationUrl } = this._endpoints;
    return {
      getClient: this._getClient,
      ...(registrationUrl && {
        registerClient: async (client: Omit<OAuthClientInformationFull, 'client_id' | 'client_id_issued_at'>) => {
          const request = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(client) };
          const answer = await this.#send(registrationUrl, request, 'Client registration');
          return OAuthClientInformationFullSchema.parse(await answer.json());
        },
      }),
    };
  }

  async authorize(
    client: OAuthClientInformationFull,
    params: AuthorizationParams,
    res: ExpressResponse,
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
    res.redirect(target.href);
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
    const params = {
      grant_type: 'authorization_code',
      code: authorizationCode,
      code_verifier: codeVerifier,
      redirect_uri: redirectUri,
      resource: resource?.href,
    };
    return this.#tokens(client, params, 'Token exchange');
  }

  async exchangeRefreshToken(
    client: OAuthClientInformationFull,
    refreshToken: string,
    scopes?: string[],
    resource?: URL,
  ): Promise<OAuthTokens> {
    const params = {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      scope: scopes && scopes.length > 0 ? scopes.join(' ') : undefined,
      resource: resource?.href,
    };
    return this.#tokens(client, params, 'Token refresh');
  }

  async verifyAccessToken(token: string): Promise<AuthInfo> {
    return this._verifyAccessToken(token);
  }

  async #tokens(client: OAuthClientInformationFull, params: Params, step: string): Promise<OAuthTokens> {
    const answer = await this.#post(this._endpoints.tokenUrl, client, params, step);
    return OAuthTokensSchema.parse(await answer.json());
  }

  async #post(url: string, client: OAuthClientInformationFull, params: Params, step: string): Promise<Response> {
    const { client_id, client_secret } = client;
    const body = new URLSearchParams(present({ ...params, client_id, client_secret }));
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return this.#send(url, { headers, body: body.toString() }, step);
  }

  /** A refusal of the upstream server is an error of this one. */
  async #send(url: string, request: RequestInit, step: string): Promise<Response> {
    const response = await (this._fetch ?? fetch)(url, { method: 'POST', ...request });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new ServerError(`${step} failed: ${response.status}`);
  }
}

type Params = Record<string, string | undefined>;

const present = (params: Params): [string, string][] =>
  Object.entries(params).flatMap(([name, value]) => (value ? [[name, value]] : []));
