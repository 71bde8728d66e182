import type { AuthInfo } from '../../../transports/transport.ts';
import type { OAuthClientInformationFull, OAuthTokenRevocationRequest, OAuthTokens } from '../../oauth-types.ts';
import type { OAuthTokenVerifier } from '../resource/token-verifier.ts';

/** What a client asks for at the authorization endpoint. */
export interface AuthorizationParams {
  state?: string;
  scopes?: string[];
  codeChallenge: string;
  redirectUri: string;
  resource?: URL;
}

/** What a provider writes its answer to. Under Express it is Express's own response, with everything that has. */
export interface AuthorizationReply {
  redirect(url: string): unknown;
  redirect(status: number, url: string): unknown;
  setHeader(name: string, value: string): unknown;
  status(code: number): this;
  send(body: string): unknown;
}

export interface OAuthRegisteredClientsStore {
  getClient(clientId: string): OAuthClientInformationFull | undefined | Promise<OAuthClientInformationFull | undefined>;
  /**
   * Without it there is no dynamic registration. The id and the secret are made already.
   * @deprecated Dynamic client registration is deprecated by PR 2858, in favour of client ID metadata documents; the earliest revision without it is the first on or after 2027-07-28.
   */
  registerClient?(client: OAuthClientInformationFull): OAuthClientInformationFull | Promise<OAuthClientInformationFull>;
}

/**
 * An authorization server of the program's own, in the shape that existing programs have. `mcpAuthRouter` checks what comes before it: the client, the
 * redirect URI, PKCE, the resource. New programs are better off with `createAuthorizationServer`, which does all of it.
 */
export interface OAuthServerProvider extends OAuthTokenVerifier {
  readonly clientsStore: OAuthRegisteredClientsStore;
  authorize(client: OAuthClientInformationFull, params: AuthorizationParams, reply: AuthorizationReply): Promise<void>;
  /** The `codeChallenge` that an authorization began with. */
  challengeForAuthorizationCode(client: OAuthClientInformationFull, authorizationCode: string): Promise<string>;
  // oxlint-disable-next-line max-params -- the shape is given
  exchangeAuthorizationCode(
    client: OAuthClientInformationFull,
    authorizationCode: string,
    codeVerifier?: string,
    redirectUri?: string,
    resource?: URL,
  ): Promise<OAuthTokens>;
  exchangeRefreshToken(
    client: OAuthClientInformationFull,
    refreshToken: string,
    scopes?: string[],
    resource?: URL,
  ): Promise<OAuthTokens>;
  verifyAccessToken(token: string): Promise<AuthInfo>;
  /** Without it tokens cannot be revoked. */
  revokeToken?(client: OAuthClientInformationFull, request: OAuthTokenRevocationRequest): Promise<void>;
  /** Whoever is behind the provider checks the verifier itself. */
  readonly skipLocalPkceValidation?: boolean;
}
