import type { Server as HttpServer } from 'node:http';
import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import {
  InvalidTokenError,
  mcpAuthMetadataRouter,
  mcpAuthRouter,
  requireBearerAuth,
  type AuthorizationParams,
  type OAuthServerProvider,
} from '../../../src/auth/server/index.ts';
import type { OAuthClientInformationFull } from '../../../src/auth/index.ts';
import { createMcpHandler, memoryStore } from '../../../src/server/index.ts';
import { listen, makeServer, send, stateless } from '../../http/serving.ts';
import { Browser, CALLBACK, bearer, pkce, postForm } from './login-kit.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  for (const http of open.splice(0)) {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
});

/** The smallest provider that a program could have of its own. */
function makeProvider(): OAuthServerProvider & { seen: AuthorizationParams[]; revoked: string[] } {
  const clients = new Map<string, OAuthClientInformationFull>();
  const codes = new Map<string, AuthorizationParams>();
  const tokens = new Map<string, AuthorizationParams>();
  let serial = 0;
  const seen: AuthorizationParams[] = [];
  const revoked: string[] = [];
  const issue = (params: AuthorizationParams): { access_token: string; token_type: string; refresh_token: string } => {
    const token = `token-${(serial += 1)}`;
    tokens.set(token, params);
    return { access_token: token, token_type: 'Bearer', refresh_token: `refresh-${token}` };
  };
  return {
    seen,
    revoked,
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (client) => {
        clients.set(client.client_id, client);
        return client;
      },
    },
    async authorize(_client, params, reply) {
      seen.push(params);
      const code = `code-${(serial += 1)}`;
      codes.set(code, params);
      const url = new URL(params.redirectUri);
      url.searchParams.set('code', code);
      if (params.state !== undefined) url.searchParams.set('state', params.state);
      reply.redirect(url.href);
    },
    challengeForAuthorizationCode: async (_client, code) => codes.get(code)?.codeChallenge ?? '',
    async exchangeAuthorizationCode(_client, code) {
      const params = codes.get(code);
      if (params === undefined) throw new InvalidTokenError('no such code');
      codes.delete(code);
      return issue(params);
    },
    exchangeRefreshToken: async (_client, token) =>
      issue(tokens.get(token.replace('refresh-', '')) as AuthorizationParams),
    async verifyAccessToken(token) {
      const params = tokens.get(token);
      if (params === undefined) throw new InvalidTokenError('The token is unknown.');
      return {
        token,
        clientId: 'c',
        scopes: params.scopes ?? [],
        ...(params.resource && { resource: params.resource }),
      };
    },
    revokeToken: async (_client, { token }) => void revoked.push(token),
  };
}

/** An application of Express as such programs are written. */
async function startApp(provider: OAuthServerProvider): Promise<{ url: string; port: number; resource: string }> {
  const app = express();
  const { http, port } = await listen(app);
  open.push(http);
  const url = `http://127.0.0.1:${port}`;
  const resource = `${url}/mcp`;
  app.use(
    mcpAuthRouter({
      provider,
      issuerUrl: new URL(url),
      resourceServerUrl: new URL(resource),
      scopesSupported: ['read'],
    }),
  );
  const handler = createMcpHandler(makeServer());
  app.all(
    '/mcp',
    requireBearerAuth({ verifier: provider, audience: resource, requiredScopes: ['read'] }),
    (request, response) => void handler.node(request, response),
  );
  return { url, port, resource };
}

async function registered(url: string, metadata: object = {}): Promise<Partial<Record<string, string>>> {
  const response = await fetch(`${url}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [CALLBACK], ...metadata }),
  });
  return (await response.json()) as Partial<Record<string, string>>;
}

function authorizeAt(
  url: string,
  clientId: string | undefined,
  challenge: string,
  more: Record<string, string> = {},
): string {
  const params = {
    response_type: 'code',
    client_id: String(clientId),
    redirect_uri: CALLBACK,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 's',
    scope: 'read',
    ...more,
  };
  return `${url}/authorize?${new URLSearchParams(params).toString()}`;
}

describe('a provider of the program’s own', () => {
  test('is reached through the usual endpoints, and its tokens let in', async () => {
    const provider = makeProvider();
    const { url, port, resource } = await startApp(provider);
    const metadata = (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as Record<
      string,
      unknown
    >;
    expect(metadata).toMatchObject({
      issuer: url,
      registration_endpoint: `${url}/register`,
      code_challenge_methods_supported: ['S256'],
    });
    const prm = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`);
    expect(await prm.json()).toMatchObject({ resource, authorization_servers: [url], scopes_supported: ['read'] });
    const { client_id: id } = await registered(url);
    const secret = pkce();
    const browser = await new Browser().go(authorizeAt(url, id, secret.challenge, { resource }));
    expect([browser.url.startsWith(CALLBACK), browser.params.get('state')]).toEqual([true, 's']);
    const fields = {
      grant_type: 'authorization_code',
      client_id: id ?? '',
      code: browser.params.get('code') ?? '',
      code_verifier: secret.verifier,
    };
    const { body } = await postForm(`${url}/token`, fields);
    expect((await send({ port }, stateless('tools/list', {}, { headers: bearer(body['access_token']) }))).status).toBe(
      200,
    );
    expect((await send({ port }, stateless('tools/list'))).status).toBe(401);
    const refreshed = await postForm(`${url}/token`, {
      grant_type: 'refresh_token',
      client_id: id ?? '',
      refresh_token: body['refresh_token'] ?? '',
    });
    expect(refreshed.status).toBe(200);
    await postForm(`${url}/revoke`, { client_id: id ?? '', token: 'x' });
    expect(provider.revoked).toEqual(['x']);
  });

  test('is asked only about what was checked', async () => {
    const provider = makeProvider();
    const { url } = await startApp(provider);
    const { client_id: id, client_secret: none } = await registered(url);
    expect(none).toBeUndefined();
    const { challenge } = pkce();
    for (const more of [{ redirect_uri: 'https://evil.example.com' }, { client_id: 'unknown' }]) {
      const browser = await new Browser().go(authorizeAt(url, id, challenge, more));
      expect([browser.status >= 400, new URL(browser.url).origin]).toEqual([true, url]);
    }
    const told: [Record<string, string>, string][] = [
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    ];
    for (const [more, error] of told) {
      const browser = await new Browser().go(authorizeAt(url, id, challenge, more));
      // Anybody could have registered the address, so the person is asked to click.
      expect([browser.status, new URL(browser.url).origin], error).toEqual([400, url]);
      expect(browser.html).toContain(`href="${CALLBACK}?error=${error}&#38;`);
      expect(browser.html).toContain('state=s');
    }
    expect(provider.seen).toEqual([]);
    const browser = await new Browser().go(authorizeAt(url, id, challenge));
    const stolen = await postForm(`${url}/token`, {
      grant_type: 'authorization_code',
      client_id: id ?? '',
      code: browser.params.get('code') ?? '',
      code_verifier: pkce().verifier,
    });
    expect(stolen.body['error']).toBe('invalid_grant');
    const secretive = await registered(url, { token_endpoint_auth_method: 'client_secret_post' });
    const refused = await postForm(`${url}/token`, {
      grant_type: 'refresh_token',
      client_id: secretive['client_id'] ?? '',
      client_secret: 'wrong',
      refresh_token: 'x',
    });
    expect([refused.status, refused.body['error']]).toEqual([401, 'invalid_client']);
  });

  test('exchanges no code whose challenge it does not know, and refreshes no scope that is none', async () => {
    const scopes: unknown[] = [];
    const provider: OAuthServerProvider = {
      ...makeProvider(),
      challengeForAuthorizationCode: async () => undefined as never,
      exchangeAuthorizationCode: async () => ({ access_token: 'stolen', token_type: 'Bearer' }),
      exchangeRefreshToken: async (_client, _token, asked) => {
        scopes.push(asked);
        return { access_token: 'x', token_type: 'Bearer' };
      },
    };
    const { url } = await startApp(provider);
    const { client_id: id = '' } = await registered(url);
    const code = { grant_type: 'authorization_code', client_id: id, code: 'c', code_verifier: pkce().verifier };
    expect((await postForm(`${url}/token`, code)).body['error']).toBe('invalid_grant');
    const refresh = { grant_type: 'refresh_token', client_id: id, refresh_token: 'r' };
    expect((await postForm(`${url}/token`, { ...refresh, scope: 'read "' })).body['error']).toBe('invalid_scope');
    expect((await postForm(`${url}/token`, { ...refresh, scope: 'read' })).status).toBe(200);
    expect(scopes).toEqual([['read']]);
  });

  test('answers where there is no Express, too', async () => {
    const provider = makeProvider();
    const router = mcpAuthRouter({ provider, issuerUrl: 'https://as.example.com' });
    const body = JSON.stringify({ redirect_uris: [CALLBACK] });
    const made = await router.fetch(
      new Request('https://as.example.com/register', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      }),
    );
    const { client_id: id } = (await made.json()) as Record<string, string>;
    const answer = await router.fetch(new Request(authorizeAt('https://as.example.com', id, pkce().challenge)));
    expect([answer.status, answer.headers.get('location')?.startsWith(CALLBACK)]).toEqual([302, true]);
    expect(() => mcpAuthRouter({ provider, issuerUrl: 'http://as.example.com' })).toThrow('https');
  });

  test('counts the calls of all nodes that share its store', async () => {
    const options = { provider: makeProvider(), issuerUrl: 'https://as.example.com', store: memoryStore() };
    const rateLimit = { max: 2, windowMs: 3_600_000 };
    const [one, other] = [mcpAuthRouter({ ...options, rateLimit }), mcpAuthRouter({ ...options, rateLimit })];
    const ask = async (router: typeof one): Promise<number> =>
      (await router.fetch(new Request('https://as.example.com/token', { method: 'POST' }))).status;
    const statuses = [await ask(one), await ask(other), await ask(one), await ask(other)];
    expect(statuses).toEqual([400, 400, 429, 429]);
  });

  test('cannot be filled by registering over and over', async () => {
    const { url } = await startApp(makeProvider());
    const statuses: number[] = [];
    for (let turn = 0; turn < 21; turn += 1) {
      const response = await fetch(`${url}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [CALLBACK] }),
      });
      statuses.push(response.status);
    }
    expect([statuses.slice(0, 20).every((status) => status === 201), statuses[20]]).toEqual([true, 429]);
  });
});

test('a server that relies on another for its logins says where that is', async () => {
  const router = mcpAuthMetadataRouter({
    oauthMetadata: {
      issuer: 'https://as.example.com',
      authorization_endpoint: 'https://as.example.com/go',
      token_endpoint: 'https://as.example.com/t',
    },
    resourceServerUrl: 'https://mcp.example.com/mcp',
  });
  const read = async (path: string): Promise<unknown> =>
    (await router.fetch(new Request(`https://mcp.example.com${path}`))).json();
  expect(await read('/.well-known/oauth-protected-resource/mcp')).toMatchObject({
    authorization_servers: ['https://as.example.com'],
  });
  expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({
    token_endpoint: 'https://as.example.com/t',
  });
  expect(router.serves('/token')).toBe(false);
});
