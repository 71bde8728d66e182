import { InvalidGrantError, InvalidTokenError } from '../../src/server/auth/errors.ts';
import type { AuthorizationParams, OAuthServerProvider } from '../../src/server/auth/provider.ts';
import type { OAuthClientInformationFull, OAuthTokens } from '../../src/shared/auth.ts';

export interface MemoryProvider extends OAuthServerProvider {
  readonly seen: AuthorizationParams[];
  readonly revoked: string[];
}

/** The smallest authorization server that a program could have of its own: everybody is let in at once. */
export function makeProvider(): MemoryProvider {
  const clients = new Map<string, OAuthClientInformationFull>();
  const codes = new Map<string, AuthorizationParams>();
  const tokens = new Map<string, AuthorizationParams>();
  let serial = 0;
  const seen: AuthorizationParams[] = [];
  const revoked: string[] = [];
  const issue = (params: AuthorizationParams): OAuthTokens => {
    const token = `token-${(serial += 1)}`;
    tokens.set(token, params);
    return { access_token: token, token_type: 'Bearer', refresh_token: `refresh-${token}` };
  };
  return {
    seen,
    revoked,
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (given) => {
        const client = given as OAuthClientInformationFull;
        clients.set(client.client_id, client);
        return client;
      },
    },
    async authorize(_client, params, res) {
      seen.push(params);
      const code = `code-${(serial += 1)}`;
      codes.set(code, params);
      const url = new URL(params.redirectUri);
      url.searchParams.set('code', code);
      if (params.state !== undefined) url.searchParams.set('state', params.state);
      res.redirect(url.href);
    },
    challengeForAuthorizationCode: async (_client, code) => codes.get(code)?.codeChallenge ?? '',
    async exchangeAuthorizationCode(_client, code) {
      const params = codes.get(code);
      if (params === undefined) throw new InvalidGrantError('no such code');
      codes.delete(code);
      return issue(params);
    },
    exchangeRefreshToken: async (_client, token) =>
      issue(tokens.get(token.replace('refresh-', '')) as AuthorizationParams),
    async verifyAccessToken(token) {
      const params = tokens.get(token);
      if (params === undefined) throw new InvalidTokenError('The token is unknown.');
      const { scopes = [], resource } = params;
      const expiresAt = Math.floor(Date.now() / 1000) + 60;
      return { token, clientId: 'c', scopes, expiresAt, ...(resource && { resource }) };
    },
    revokeToken: async (_client, { token }) => void revoked.push(token),
  };
}
