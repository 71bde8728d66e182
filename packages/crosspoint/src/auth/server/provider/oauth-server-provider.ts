import type { AuthInfo } from '../../../transports/transport.ts';
import type { OAuthClientInformationFull, OAuthTokenRevocationRequest, OAuthTokens } from '../../oauth-types.ts';
import type { OAuthTokenVerifier } from '../resource/token-verifier.ts';

/** The parameters of an authorization request. */
export interface AuthorizationParams {
  state?: string;
  scopes?: string[];
  codeChallenge: string;
  redirectUri: string;
  resource?: URL;
}

/** The response that a provider writes to. Under Express it is Express's own response. */
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
   * Stores a registration; without it there is no dynamic registration. Id and secret are already made.
   * @deprecated Dynamic client registration is deprecated by PR 2858, in favour of client ID metadata documents; the earliest revision
   * without it is the first on or after 2027-07-28.
   */
  registerClient?(client: OAuthClientInformationFull): OAuthClientInformationFull | Promise<OAuthClientInformationFull>;
}

/**
 * The program's own authorization server, in the official SDK's shape. `mcpAuthRouter` checks the client, the redirect URI, PKCE and the
 * resource before it calls the provider. New programs should use `createAuthorizationServer`.
 */
export interface OAuthServerProvider extends OAuthTokenVerifier {
  readonly clientsStore: OAuthRegisteredClientsStore;
  authorize(client: OAuthClientInformationFull, params: AuthorizationParams, reply: AuthorizationReply): Promise<void>;
  /** The `codeChallenge` that the authorization of this code began with. */
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
  /** Revokes a token; without it tokens cannot be revoked. */
  revokeToken?(client: OAuthClientInformationFull, request: OAuthTokenRevocationRequest): Promise<void>;
  /** Set when the server behind the provider checks the verifier itself. */
  readonly skipLocalPkceValidation?: boolean;
}
