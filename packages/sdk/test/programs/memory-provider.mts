import { randomUUID } from 'node:crypto';
import type { Response } from 'express';
import type { OAuthRegisteredClientsStore } from '@modelcontextprotocol/sdk/server/auth/clients.js';
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { AuthorizationParams, OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type {
  OAuthClientInformationFull,
  OAuthTokenRevocationRequest,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

/** Says yes to everybody at once, and remembers it. */
export class MemoryProvider implements OAuthServerProvider {
  readonly clients = new Map<string, OAuthClientInformationFull>();
  readonly codes = new Map<string, { client: string; params: AuthorizationParams }>();
  readonly grants = new Map<string, AuthInfo>();
  /** How long access tokens are good for. */
  lifetimeSeconds = 3600;
  readonly asked: string[] = [];

  readonly clientsStore: OAuthRegisteredClientsStore = {
    getClient: (id) => this.clients.get(id),
    registerClient: (client) => {
      const registered = { ...client, client_id: randomUUID(), client_id_issued_at: 1 } as OAuthClientInformationFull;
      this.clients.set(registered.client_id, registered);
      return registered;
    },
  };

  async authorize(client: OAuthClientInformationFull, params: AuthorizationParams, res: Response): Promise<void> {
    const code = randomUUID();
    this.codes.set(code, { client: client.client_id, params });
    const target = new URL(params.redirectUri);
    target.searchParams.set('code', code);
    if (params.state !== undefined) target.searchParams.set('state', params.state);
    res.redirect(target.href);
  }

  async challengeForAuthorizationCode(_client: OAuthClientInformationFull, code: string): Promise<string> {
    const known = this.codes.get(code);
    if (!known) throw new InvalidGrantError('There is no such code');
    return known.params.codeChallenge;
  }

  async exchangeAuthorizationCode(client: OAuthClientInformationFull, code: string): Promise<OAuthTokens> {
    const known = this.codes.get(code);
    if (known?.client !== client.client_id) throw new InvalidGrantError('There is no such code');
    this.codes.delete(code);
    this.asked.push('authorization_code');
    return this.issued(client.client_id, known.params.scopes ?? []);
  }

  async exchangeRefreshToken(
    client: OAuthClientInformationFull,
    refreshToken: string,
    scopes?: string[],
  ): Promise<OAuthTokens> {
    const before = this.grants.get(refreshToken);
    if (before?.clientId !== client.client_id) throw new InvalidGrantError('There is no such token');
    this.asked.push('refresh_token');
    return this.issued(client.client_id, scopes ?? before.scopes);
  }

  async verifyAccessToken(token: string): Promise<AuthInfo> {
    const known = this.grants.get(token);
    if (!known) throw new InvalidTokenError('There is no such token');
    return known;
  }

  async revokeToken(_client: OAuthClientInformationFull, { token }: OAuthTokenRevocationRequest): Promise<void> {
    this.asked.push('revoke');
    this.grants.delete(token);
  }

  private issued(clientId: string, scopes: string[]): OAuthTokens {
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    const expiresAt = Math.floor(Date.now() / 1000) + this.lifetimeSeconds;
    this.grants.set(access_token, { token: access_token, clientId, scopes, expiresAt });
    this.grants.set(refresh_token, { token: refresh_token, clientId, scopes });
    return {
      access_token,
      refresh_token,
      token_type: 'Bearer',
      expires_in: this.lifetimeSeconds,
      scope: scopes.join(' '),
    };
  }
}
