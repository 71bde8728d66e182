import express from 'express';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  Browser,
  CALLBACK,
  CLIENT,
  bearer,
  closeStarted,
  pkce,
  postForm,
  start,
} from '../../../authorization-server/test/login-kit.ts';
import { ProxyOAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/providers/proxyProvider.js';
import { requireBearerAuth } from '../../src/server/auth/middleware/bearerAuth.ts';
import type { OAuthServerProvider } from '../../src/server/auth/provider.ts';
import { mcpAuthMetadataRouter, mcpAuthRouter, type AuthRouterOptions } from '../../src/server/auth/router.ts';
import type { OAuthClientInformationFull } from '../../src/shared/auth.ts';
import { listen, type Listening } from '../listening.ts';
import { makeProvider } from './memory-provider.ts';

const open: Listening[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  await closeStarted();
});

async function serve(app: express.Express): Promise<string> {
  const listening = await listen(app);
  open.push(listening);
  return listening.url;
}

/** An application of Express as such programs are written. */
async function startApp(
  provider: OAuthServerProvider,
  more: Partial<AuthRouterOptions> = {},
): Promise<{ url: string; resource: string }> {
  const app = express();
  const url = await serve(app);
  const resource = `${url}/mcp`;
  const resourceServerUrl = new URL(resource);
  app.use(mcpAuthRouter({ provider, issuerUrl: new URL(url), resourceServerUrl, scopesSupported: ['read'], ...more }));
  const auth = requireBearerAuth({ verifier: provider, expectedResource: resourceServerUrl, requiredScopes: ['read'] });
  app.get('/mcp', auth, (request, response) => void response.json(request.auth));
  return { url, resource };
}

async function registered(url: string, metadata: object = { token_endpoint_auth_method: 'none' }) {
  const response = await fetch(`${url}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [CALLBACK], ...metadata }),
  });
  return { status: response.status, body: (await response.json()) as OAuthClientInformationFull & { error?: string } };
}

function authorizeAt(url: string, clientId: string, challenge: string, more: Record<string, string> = {}): string {
  const params = {
    response_type: 'code',
    client_id: clientId,
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
    const { url, resource } = await startApp(provider);
    const metadata = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      issuer: `${url}/`,
      registration_endpoint: `${url}/register`,
      code_challenge_methods_supported: ['S256'],
    });
    const prm = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`);
    expect(await prm.json()).toEqual({ resource, authorization_servers: [`${url}/`], scopes_supported: ['read'] });
    const { client_id } = (await registered(url)).body;
    const secret = pkce();
    const browser = await new Browser().go(authorizeAt(url, client_id, secret.challenge, { resource }));
    expect([browser.url.startsWith(CALLBACK), browser.params.get('state')]).toEqual([true, 's']);
    const code = browser.params.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', client_id, code, code_verifier: secret.verifier };
    const { body } = await postForm(`${url}/token`, fields);
    const admitted = await fetch(resource, { headers: bearer(body['access_token']) });
    expect([admitted.status, (await fetch(resource)).status]).toEqual([200, 401]);
    const refresh_token = body['refresh_token'] ?? '';
    const refreshed = await postForm(`${url}/token`, { grant_type: 'refresh_token', client_id, refresh_token });
    expect(refreshed.status).toBe(200);
    await postForm(`${url}/revoke`, { client_id, token: 'x' });
    expect(provider.revoked).toEqual(['x']);
  });

  test('is asked only about what was checked', async () => {
    const provider = makeProvider();
    const { url, resource } = await startApp(provider);
    const { client_id } = (await registered(url)).body;
    const { challenge } = pkce();
    for (const more of [{ redirect_uri: 'https://evil.example.com' }, { client_id: 'unknown' }]) {
      const browser = await new Browser().go(authorizeAt(url, client_id, challenge, more));
      expect([browser.status, new URL(browser.url).origin]).toEqual([400, url]);
    }
    const told: [Record<string, string>, string][] = [
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ response_type: 'token' }, 'invalid_request'],
      [{ resource: 'https://other.example.com/mcp' }, 'invalid_target'],
      [{ resource: `${resource}#part` }, 'invalid_target'],
    ];
    for (const [more, error] of told) {
      const browser = await new Browser().go(authorizeAt(url, client_id, challenge, more));
      // Anybody could have registered the address, so the person is asked to click.
      expect([browser.status, new URL(browser.url).origin], error).toEqual([400, url]);
      expect(browser.html).toContain(`href="${CALLBACK}?error=${error}&#38;`);
      expect(browser.html).toContain('state=s');
    }
    expect(provider.seen).toEqual([]);
    const browser = await new Browser().go(authorizeAt(url, client_id, challenge));
    const stolen = await postForm(`${url}/token`, {
      grant_type: 'authorization_code',
      client_id,
      code: browser.params.get('code') ?? '',
      code_verifier: pkce().verifier,
    });
    expect([stolen.status, stolen.body['error']]).toEqual([400, 'invalid_grant']);
  });

  test('may leave tokens for other servers to itself', async () => {
    const provider = makeProvider();
    const anywhere = { resourceServerUrl: undefined };
    const { url } = await startApp(provider, { authorizationOptions: anywhere, tokenOptions: anywhere });
    const { client_id } = (await registered(url)).body;
    const resource = 'https://other.example.com/mcp';
    await new Browser().go(authorizeAt(url, client_id, pkce().challenge, { resource }));
    expect(provider.seen.map((params) => params.resource?.href)).toEqual([resource]);
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
    const { client_id } = (await registered(url)).body;
    const code = { grant_type: 'authorization_code', client_id, code: 'c', code_verifier: pkce().verifier };
    expect((await postForm(`${url}/token`, code)).body['error']).toBe('invalid_grant');
    const refresh = { grant_type: 'refresh_token', client_id, refresh_token: 'r' };
    expect((await postForm(`${url}/token`, { ...refresh, scope: 'read "' })).body['error']).toBe('invalid_scope');
    expect((await postForm(`${url}/token`, { ...refresh, scope: 'read' })).status).toBe(200);
    expect((await postForm(`${url}/token`, { ...refresh, scope: '' })).status).toBe(200);
    expect(scopes).toEqual([['read'], undefined]);
  });

  test('gives a secret to every client but one that wants none, and asks for it', async () => {
    const { url } = await startApp(makeProvider());
    const { client_id, client_secret = '', client_secret_expires_at: expires } = (await registered(url, {})).body;
    expect(client_secret).toMatch(/^[0-9a-f]{64}$/);
    expect(expires).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400);
    expect((await registered(url)).body).not.toHaveProperty('client_secret');
    const refresh = { grant_type: 'refresh_token', client_id, refresh_token: 'x' };
    for (const more of [
      {},
      { client_secret: '' },
      { client_secret: 'wrong' },
      { client_secret: `${client_secret}0` },
    ]) {
      const refused = await postForm(`${url}/token`, { ...refresh, ...more });
      expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_client']);
    }
    expect((await postForm(`${url}/token`, { ...refresh, client_secret })).status).toBe(200);
  });

  test('lets in no client that says it has a secret and has none in the store', async () => {
    const provider = makeProvider();
    const client = { client_id: 'desk', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'client_secret_post' };
    const { url } = await startApp({ ...provider, clientsStore: { getClient: () => client } });
    for (const secret of [{}, { client_secret: '' }, { client_secret: 'undefined' }]) {
      const asked = { grant_type: 'refresh_token', client_id: 'desk', refresh_token: 'x', ...secret };
      expect((await postForm(`${url}/token`, asked)).body['error']).toBe('invalid_client');
    }
  });

  test('registers no address that sends the code in the clear, to a script, or that is read in two ways', async () => {
    const { url } = await startApp(makeProvider(), { clientRegistrationOptions: { rateLimit: false } });
    for (const uri of [
      'http://client.example.com/cb',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:https://a.example/x',
      'https:\\\\client.example.com/cb',
      'https:client.example.com/cb',
      'https://client.example.com\\@evil.example.com/cb',
      'https://user@client.example.com/cb',
      'https://client.example.com/cb#',
    ]) {
      const { status, body } = await registered(url, { redirect_uris: [uri] });
      expect([status, body.error], uri).toEqual([400, 'invalid_client_metadata']);
    }
    for (const uri of [CALLBACK, 'http://localhost:7/cb', 'http://127.0.0.1/cb', 'cursor://anysphere.cursor-mcp/cb'])
      expect((await registered(url, { redirect_uris: [uri] })).status, uri).toBe(201);
    const { body } = await registered(url, { client_name: 'A\u202e\u0000\nB' });
    expect(body.client_name).toBe('AB');
  });

  test('cannot be filled by registering over and over, nor by large bodies', async () => {
    const { url } = await startApp(makeProvider());
    const statuses: number[] = [];
    for (let turn = 0; turn < 21; turn += 1) statuses.push((await registered(url)).status);
    expect([statuses.slice(0, 20).every((status) => status === 201), statuses[20]]).toEqual([true, 429]);
    const large = await postForm(`${url}/token`, { grant_type: 'x'.repeat(70_000) });
    expect([large.status, large.body['error']]).toEqual([413, 'invalid_request']);
  });

  test('is told apart from its errors: whatever it throws, a request is answered', async () => {
    const provider: OAuthServerProvider = {
      ...makeProvider(),
      authorize: async () => Promise.reject(new Error('secret words')),
      exchangeRefreshToken: async (_client, token) => {
        if (token === 'throws') throw new Error('secret words');
        return { access_token: 1n } as never;
      },
    };
    const { url } = await startApp(provider);
    const { client_id } = (
      await registered(url, { redirect_uris: ['http://localhost/cb'], token_endpoint_auth_method: 'none' })
    ).body;
    const asked = authorizeAt(url, client_id, pkce().challenge, { redirect_uri: 'http://localhost:7/cb' });
    const { status, headers } = await fetch(asked, { redirect: 'manual' });
    const error = 'error=server_error&error_description=Internal+Server+Error';
    expect([status, headers.get('location')]).toEqual([302, `http://localhost:7/cb?${error}&state=s`]);
    for (const refresh_token of ['throws', 'returns nonsense']) {
      const answer = await postForm(`${url}/token`, { grant_type: 'refresh_token', client_id, refresh_token });
      expect([answer.status, answer.body]).toEqual([
        500,
        { error: 'server_error', error_description: 'Internal Server Error' },
      ]);
    }
  });
});

test('an issuer is https, or on this machine, or allowed by the environment', () => {
  const provider = makeProvider();
  const make = (issuer: string) => () => mcpAuthRouter({ provider, issuerUrl: new URL(issuer) });
  expect(make('http://as.example.com')).toThrow('Issuer URL must be HTTPS');
  expect(make('https://as.example.com/?a')).toThrow('query');
  expect(make('https://as.example.com/#a')).toThrow('fragment');
  expect(make('http://[::1]:1')).not.toThrow();
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  process.env['MCP_DANGEROUSLY_ALLOW_INSECURE_ISSUER_URL'] = '1';
  try {
    expect(make('http://as.example.com')).not.toThrow();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('http://as.example.com/'));
  } finally {
    warn.mockRestore();
    delete process.env['MCP_DANGEROUSLY_ALLOW_INSECURE_ISSUER_URL'];
  }
});

test('metadata are served for paths with any character, and where RFC 8414 wants them', async () => {
  const app = express();
  const oauthMetadata = {
    issuer: 'https://as.example.com/tenant:1',
    authorization_endpoint: 'https://as.example.com/go',
    token_endpoint: 'https://as.example.com/t',
    response_types_supported: ['code'],
  };
  const resourceServerUrl = new URL('https://mcp.example.com/mcp(1)*');
  app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl }));
  const url = await serve(app);
  const read = async (path: string): Promise<unknown> => (await fetch(`${url}/.well-known/${path}`)).json();
  expect(await read('oauth-protected-resource/mcp(1)*')).toMatchObject({ resource: resourceServerUrl.href });
  expect(await read('oauth-authorization-server/tenant:1')).toEqual(oauthMetadata);
  expect(await read('oauth-authorization-server')).toEqual(oauthMetadata);
  expect((await fetch(`${url}/token`)).status).toBe(404);
});

test('the provider of the official library that passes everything on works behind our router', async () => {
  const upstream = await start();
  const app = express();
  const url = await serve(app);
  const provider = new ProxyOAuthServerProvider({
    endpoints: { authorizationUrl: `${upstream.url}/authorize`, tokenUrl: `${upstream.url}/token` },
    verifyAccessToken: (token) => upstream.as.verifier.verifyAccessToken(token) as never,
    getClient: async (id) => (id === CLIENT.client_id ? { ...CLIENT, token_endpoint_auth_method: 'none' } : undefined),
  });
  app.use(mcpAuthRouter({ provider: provider as object as OAuthServerProvider, issuerUrl: new URL(url) }));
  const secret = pkce();
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT.client_id,
    redirect_uri: CALLBACK,
    code_challenge: secret.challenge,
    code_challenge_method: 'S256',
    resource: upstream.resource,
  });
  const browser = await new Browser().go(`${url}/authorize?${asked.toString()}`);
  await browser.logIn('ada');
  await browser.submit({ action: 'approve' });
  const { status, body } = await postForm(`${url}/token`, {
    grant_type: 'authorization_code',
    client_id: CLIENT.client_id,
    code: browser.params.get('code') ?? '',
    code_verifier: secret.verifier,
    redirect_uri: CALLBACK,
    resource: upstream.resource,
  });
  expect([status, bearer(body['access_token'])]).toEqual([
    200,
    { authorization: expect.stringMatching(/^Bearer [\w-]{43}$/) as unknown },
  ]);
});
