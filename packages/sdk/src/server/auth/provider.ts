import type { Response } from 'express';
import type { OAuthClientInformationFull, OAuthTokenRevocationRequest, OAuthTokens } from '../../shared/auth.ts';
import type { OAuthRegisteredClientsStore } from './clients.ts';
import type { AuthInfo } from './types.ts';

/** The parameters of an authorization request. */
export type AuthorizationParams = {
  state?: string;
  scopes?: string[];
  codeChallenge: string;
  redirectUri: string;
  resource?: URL;
};

/** The program's own authorization server. Client, redirect URI, PKCE and resource are checked before it is called. */
export interface OAuthServerProvider {
  get clientsStore(): OAuthRegisteredClientsStore;
  /** Begins an authorization; it ends with a redirect to `redirectUri`, with a `code` or an `error`. */
  authorize(client: OAuthClientInformationFull, params: AuthorizationParams, res: Response): Promise<void>;
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
  skipLocalPkceValidation?: boolean;
}

/** Verifies tokens, for a server that issues none. */
export interface OAuthTokenVerifier {
  verifyAccessToken(token: string): Promise<AuthInfo>;
}
