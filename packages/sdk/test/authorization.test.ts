import { createHash } from 'node:crypto';
import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { OAuthError as NewOAuthError } from 'crosspoint/auth';
import {
  exchangeAuthorization,
  isHttpsUrl,
  parseErrorResponse,
  prepareAuthorizationCodeRequest,
  refreshAuthorization,
} from '../src/client/auth.ts';
import {
  CustomOAuthError,
  InsufficientScopeError,
  InvalidClientError,
  InvalidGrantError,
  InvalidTokenError,
  OAUTH_ERRORS,
  OAuthError,
  ServerError,
} from '../src/server/auth/errors.ts';
import { authorizationHandler, redirectUriMatches } from '../src/server/auth/handlers/authorize.ts';
import { metadataHandler } from '../src/server/auth/handlers/metadata.ts';
import { clientRegistrationHandler } from '../src/server/auth/handlers/register.ts';
import { revocationHandler } from '../src/server/auth/handlers/revoke.ts';
import { tokenHandler } from '../src/server/auth/handlers/token.ts';
import { allowedMethods } from '../src/server/auth/middleware/allowedMethods.ts';
import { requireBearerAuth } from '../src/server/auth/middleware/bearerAuth.ts';
import { authenticateClient } from '../src/server/auth/middleware/clientAuth.ts';
import type { OAuthServerProvider } from '../src/server/auth/provider.ts';
import { ProxyOAuthServerProvider } from '../src/server/auth/providers/proxyProvider.ts';
import { mcpAuthRouter } from '../src/server/auth/router.ts';
import type { OAuthClientInformationFull } from '../src/shared/auth.ts';
import { listen, type Listening } from './listening.ts';

const open: Listening[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function serve(app: express.Express): Promise<string> {
  const listening = await listen(app);
  open.push(listening);
  return listening.url;
}

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const CALLBACK = 'http://localhost:5000/callback';
const CLIENT = {
  client_id: 'desk',
  client_secret: 'secret',
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: 'client_secret_post',
} satisfies OAuthClientInformationFull;
const soon = () => Math.floor(Date.now() / 1000) + 60;

/** A provider with one client, in the way that programs wrote it: the response is Express's. */
function makeProvider(): OAuthServerProvider & { revoked: string[]; clients: Map<string, OAuthClientInformationFull> } {
  const clients = new Map<string, OAuthClientInformationFull>([[CLIENT.client_id, CLIENT]]);
  const revoked: string[] = [];
  return {
    clients,
    revoked,
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (client) => {
        const named: OAuthClientInformationFull = { client_id: 'made-by-the-store', ...client };
        clients.set(named.client_id, named);
        return named;
      },
    },
    async authorize(_client, params, res) {
      const target = new URL(params.redirectUri);
      target.searchParams.set('code', 'the-code');
      if (params.state !== undefined) target.searchParams.set('state', params.state);
      res.redirect(target.href);
    },
    challengeForAuthorizationCode: async () => CHALLENGE,
    async exchangeAuthorizationCode(_client, code) {
      if (code !== 'the-code') throw new InvalidGrantError('The code is not known');
      return { access_token: 'token', token_type: 'bearer', refresh_token: 'again' };
    },
    exchangeRefreshToken: async () => ({ access_token: 'fresh', token_type: 'bearer' }),
    async verifyAccessToken(token) {
      if (token !== 'token') throw new InvalidTokenError('The token is not known');
      return { token, clientId: 'desk', scopes: ['read'], expiresAt: soon() };
    },
    revokeToken: async (_client, { token }) => void revoked.push(token),
  };
}

const authorizeQuery = new URLSearchParams({
  response_type: 'code',
  client_id: 'desk',
  redirect_uri: CALLBACK,
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  state: 'mine',
});
const form = (params: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(params) });
const exchange = (code: string) =>
  form({
    grant_type: 'authorization_code',
    code,
    code_verifier: VERIFIER,
    redirect_uri: CALLBACK,
    client_id: 'desk',
    client_secret: 'secret',
  });

describe('the errors of OAuth', () => {
  test('have a code and a body, and are known by their class whoever made them', () => {
    const error = new InvalidGrantError('Gone', 'https://errors.example/gone');
    expect(error).toMatchObject({ name: 'InvalidGrantError', message: 'Gone', errorCode: 'invalid_grant' });
    expect(error.toResponseObject()).toEqual({
      error: 'invalid_grant',
      error_description: 'Gone',
      error_uri: 'https://errors.example/gone',
    });
    expect(error).toBeInstanceOf(NewOAuthError);
    expect(error).not.toBeInstanceOf(InvalidClientError);
    const ours = new NewOAuthError('invalid_grant', 'Gone');
    expect(ours).toBeInstanceOf(InvalidGrantError);
    expect(ours).toBeInstanceOf(OAuthError);
    expect(new Error('invalid_grant')).not.toBeInstanceOf(OAuthError);
    class Mine extends InvalidGrantError {}
    expect(new Mine('mine')).toBeInstanceOf(InvalidGrantError);
    expect(error).not.toBeInstanceOf(Mine);
    expect(new CustomOAuthError('odd', 'Odd').toResponseObject()).toEqual({ error: 'odd', error_description: 'Odd' });
    expect(OAUTH_ERRORS['insufficient_scope']).toBe(InsufficientScopeError);
  });

  test('are read from an answer', async () => {
    const answer = (body: unknown) => new Response(JSON.stringify(body), { status: 400 });
    expect(await parseErrorResponse(answer({ error: 'invalid_client', error_description: 'Who?' }))).toMatchObject({
      name: 'InvalidClientError',
      message: 'Who?',
    });
    expect(await parseErrorResponse('{"error":"odd","error_description":"Odd"}')).toMatchObject({
      name: 'ServerError',
      message: 'Odd',
    });
    expect(await parseErrorResponse(new Response('<html>', { status: 502 }))).toBeInstanceOf(ServerError);
  });

  test('reach a client as such', async () => {
    const app = express();
    const issuer = await serve(app);
    app.use(mcpAuthRouter({ provider: makeProvider(), issuerUrl: new URL(issuer) }));
    const given = { clientInformation: CLIENT, codeVerifier: VERIFIER, redirectUri: CALLBACK, fetchFn: fetch };
    const tokens = await exchangeAuthorization(issuer, { ...given, authorizationCode: 'the-code' });
    expect(tokens.access_token).toBe('token');
    const refreshed = await refreshAuthorization(issuer, {
      clientInformation: CLIENT,
      refreshToken: 'again',
      fetchFn: fetch,
    });
    expect(refreshed).toMatchObject({ access_token: 'fresh', refresh_token: 'again' });
    await expect(exchangeAuthorization(issuer, { ...given, authorizationCode: 'other' })).rejects.toBeInstanceOf(
      InvalidGrantError,
    );
  });
});

describe('an authorization server of single handlers', () => {
  test('serves each of them where the program puts it', async () => {
    const provider = makeProvider();
    const app = express();
    app.use('/a', authorizationHandler({ provider }));
    app.use('/b/token', tokenHandler({ provider, rateLimit: { windowMs: 60_000, max: 2 } }));
    app.use('/c', revocationHandler({ provider, rateLimit: false }));
    app.use('/d', clientRegistrationHandler({ clientsStore: provider.clientsStore, clientSecretExpirySeconds: 60 }));
    app.use('/e', clientRegistrationHandler({ clientsStore: provider.clientsStore, clientIdGeneration: false }));
    app.use('/f', metadataHandler({ resource: 'https://mcp.example/' }));
    const url = await serve(app);
    const authorized = await fetch(`${url}/a?${authorizeQuery.toString()}`, { redirect: 'manual' });
    expect(authorized.headers.get('location')).toBe(`${CALLBACK}?code=the-code&state=mine`);
    expect(await (await fetch(`${url}/b/token`, exchange('the-code'))).json()).toMatchObject({ access_token: 'token' });
    const wrong = await fetch(`${url}/b/token`, exchange('other'));
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      { error: 'invalid_grant', error_description: 'The code is not known' },
    ]);
    expect((await fetch(`${url}/b/token`, exchange('the-code'))).status).toBe(429);
    const revoke = await fetch(`${url}/c`, form({ token: 'token', client_id: 'desk', client_secret: 'secret' }));
    expect([revoke.status, provider.revoked]).toEqual([200, ['token']]);
    const register = async (path: string) => {
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'client_secret_post' });
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
      return (await response.json()) as OAuthClientInformationFull;
    };
    const made = await register('/d');
    expect(made.client_secret_expires_at).toBe((made.client_id_issued_at ?? 0) + 60);
    expect((await register('/e')).client_id).toBe('made-by-the-store');
    expect(await (await fetch(`${url}/f`)).json()).toEqual({ resource: 'https://mcp.example/' });
    expect((await fetch(`${url}/f`, { method: 'DELETE' })).status).toBe(405);
  });

  test('cannot be made of a provider that lacks what it takes', () => {
    const provider = Object.fromEntries(
      Object.entries(makeProvider()).filter(([name]) => name !== 'revokeToken'),
    ) as object as OAuthServerProvider;
    expect(() => revocationHandler({ provider })).toThrow('does not support revoking tokens');
    expect(() => clientRegistrationHandler({ clientsStore: { getClient: () => undefined } })).toThrow(
      'does not support registering clients',
    );
  });

  test('compares redirect URIs byte by byte, but for the port on this machine', () => {
    expect(redirectUriMatches('https://a.example/cb', 'https://a.example/cb')).toBe(true);
    expect(redirectUriMatches('https://a.example:8080/cb', 'https://a.example/cb')).toBe(false);
    expect(redirectUriMatches('http://127.0.0.1:7/cb', 'http://127.0.0.1/cb')).toBe(true);
    expect(redirectUriMatches('http://localhost:7/other', 'http://localhost:8/cb')).toBe(false);
    expect(redirectUriMatches('http://localhost:7/cb', 'http://127.0.0.1:7/cb')).toBe(false);
    expect(redirectUriMatches('nonsense', 'http://localhost/cb')).toBe(false);
  });
});

describe('middleware of a protected server', () => {
  test('requireBearerAuth leaves what a token is good for, and refuses with a challenge', async () => {
    const app = express();
    const verifier = makeProvider();
    const endless = { verifyAccessToken: async (token: string) => ({ token, clientId: 'desk', scopes: [] }) };
    const elsewhere = new URL('https://mcp.example/');
    const resourceMetadataUrl = 'https://mcp.example/.well-known/oauth-protected-resource';
    app.get('/open', requireBearerAuth({ verifier, resourceMetadataUrl }), (req, res) => void res.json(req.auth));
    app.get('/scoped', requireBearerAuth({ verifier, requiredScopes: ['write'] }), (_req, res) => void res.end());
    app.get('/endless', requireBearerAuth({ verifier: endless }), (_req, res) => void res.end());
    app.get('/other', requireBearerAuth({ verifier, expectedResource: elsewhere }), (_req, res) => void res.end());
    const url = await serve(app);
    const get = (path: string, token = 'token') =>
      fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await (await get('/open')).json()).toMatchObject({ clientId: 'desk', scopes: ['read'] });
    const unknown = await get('/open', 'other');
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(unknown.headers.get('www-authenticate')).toContain(`resource_metadata="${resourceMetadataUrl}"`);
    expect((await get('/scoped')).status).toBe(403);
    expect((await get('/endless')).status).toBe(401);
    expect((await get('/other')).status).toBe(401);
    expect((await fetch(`${url}/open`)).status).toBe(401);
  });

  test('allowedMethods and authenticateClient', async () => {
    const app = express();
    const clientsStore = {
      getClient: (id: string) =>
        id === 'desk' ? CLIENT : id === 'late' ? { ...CLIENT, client_id: id, client_secret_expires_at: 1 } : undefined,
    };
    app.use(allowedMethods(['POST']), express.urlencoded(), authenticateClient({ clientsStore }), (req, res) => {
      res.json(req.client?.client_id);
    });
    const url = await serve(app);
    const ask = async (params: Record<string, string>) => {
      const response = await fetch(url, form(params));
      return [response.status, await response.json()];
    };
    expect(await ask({ client_id: 'desk', client_secret: 'secret' })).toEqual([200, 'desk']);
    for (const bad of [
      { client_id: 'desk' },
      { client_id: 'desk', client_secret: 'wrong!' },
      { client_id: 'desk', client_secret: '' },
      { client_id: 'who', client_secret: 'secret' },
      { client_id: 'late', client_secret: 'secret' },
    ])
      expect(await ask(bad)).toEqual([400, { error: 'invalid_client', error_description: expect.any(String) }]);
    expect(await ask({})).toMatchObject([400, { error: 'invalid_request' }]);
    const get = await fetch(url);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('ProxyOAuthServerProvider', () => {
  test('hands authorization, tokens, registration and revocation on', async () => {
    const behind = makeProvider();
    const upstream = express();
    const upstreamUrl = await serve(upstream);
    upstream.use(mcpAuthRouter({ provider: behind, issuerUrl: new URL(upstreamUrl) }));
    const provider = new ProxyOAuthServerProvider({
      endpoints: {
        authorizationUrl: `${upstreamUrl}/authorize`,
        tokenUrl: `${upstreamUrl}/token`,
        revocationUrl: `${upstreamUrl}/revoke`,
        registrationUrl: `${upstreamUrl}/register`,
      },
      verifyAccessToken: (token) => behind.verifyAccessToken(token),
      getClient: async (id) => behind.clients.get(id),
    });
    const app = express();
    const url = await serve(app);
    app.use(mcpAuthRouter({ provider, issuerUrl: new URL(url) }));
    const authorized = await fetch(`${url}/authorize?${authorizeQuery.toString()}`, { redirect: 'manual' });
    const next = authorized.headers.get('location') ?? '';
    expect(next.startsWith(`${upstreamUrl}/authorize?`)).toBe(true);
    const back = await fetch(next, { redirect: 'manual' });
    expect(back.headers.get('location')).toBe(`${CALLBACK}?code=the-code&state=mine`);
    expect(await (await fetch(`${url}/token`, exchange('the-code'))).json()).toMatchObject({ access_token: 'token' });
    const refused = await fetch(`${url}/token`, exchange('other'));
    expect([refused.status, await refused.json()]).toEqual([
      500,
      { error: 'server_error', error_description: 'Token exchange failed: 400' },
    ]);
    const refreshed = await provider.exchangeRefreshToken(CLIENT, 'again', ['read']);
    expect(refreshed.access_token).toBe('fresh');
    await provider.revokeToken?.(CLIENT, { token: 'token' });
    expect(behind.revoked).toEqual(['token']);
    const client = await provider.clientsStore.registerClient?.({ redirect_uris: [CALLBACK] });
    expect(behind.clients.has(client?.client_id ?? 'none')).toBe(true);
    expect((await provider.verifyAccessToken('token')).clientId).toBe('desk');
  });

  test('has no revocation and no registration where there is none behind, and passes on no page as a token', async () => {
    const provider = new ProxyOAuthServerProvider({
      endpoints: { authorizationUrl: 'https://as.example/authorize', tokenUrl: 'https://as.example/token' },
      verifyAccessToken: async () => Promise.reject(new InvalidTokenError('none')),
      getClient: async () => undefined,
      fetch: async () => new Response('{}'),
    });
    expect('revokeToken' in provider && provider.revokeToken !== undefined).toBe(false);
    expect('registerClient' in provider.clientsStore).toBe(false);
    await expect(provider.exchangeRefreshToken(CLIENT, 'again')).rejects.toThrow('access_token');
  });
});

describe('small parts of a login', () => {
  test('isHttpsUrl and prepareAuthorizationCodeRequest', () => {
    expect(
      ['https://a.example/client.json', 'https://a.example/', 'http://a.example/x', 'x', undefined].map(isHttpsUrl),
    ).toEqual([true, false, false, false, false]);
    expect(Object.fromEntries(prepareAuthorizationCodeRequest('c', 'v', new URL(CALLBACK)))).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      code_verifier: 'v',
      redirect_uri: CALLBACK,
    });
  });
});
