import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAuthorizationServer, upstreamLogin } from '../src/index.ts';
import type { UpstreamLogin } from '../src/upstream/upstream-login.ts';
import { FetchHttpRequest } from '../../crosspoint/src/transports/http/server/adapters/fetch-exchange.ts';
import { makeServer, send, stateless } from '../../crosspoint/test/http/serving.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';
import {
  Browser,
  CALLBACK,
  CLIENT,
  authorizeUrl,
  bearer,
  closeStarted,
  pkce,
  postForm,
  redeem,
  register,
  start,
  type Started,
} from './login-kit.ts';
import { UPSTREAM_CLIENT, startUpstream, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await closeStarted();
  await upstream.close();
});

const loginAt = (issuer: string, more: object = {}): UpstreamLogin =>
  upstreamLogin({ name: 'Hub', issuer, ...UPSTREAM_CLIENT, scopes: ['openid', 'repo'], recheckMs: 0, ...more });

function startProxy(login: UpstreamLogin = loginAt(upstream.url), more: object = {}): Promise<Started> {
  return start({ as: { login, ...more } });
}

/** Agrees, goes to the upstream server and back, and exchanges the code. */
async function obtain(at: Started, more: Record<string, string> = {}, browser = new Browser()) {
  const secret = pkce();
  await browser.go(authorizeUrl(at, secret, more));
  if (browser.html.includes('Allow access?')) await browser.submit({ action: 'approve' });
  const reply = await redeem(at, browser.params.get('code') ?? '', secret, more);
  return { browser, reply, token: reply.body['access_token'] ?? '' };
}

const list = (at: Started, token: string) => send(at, stateless('tools/list', {}, { headers: bearer(token) }));

describe('a server that sends its users upstream', () => {
  proves('L-AUTH-105').test(
    'looks to a client like any other, and issues tokens of its own for its own resource',
    async () => {
      const at = await startProxy();
      const { token, reply } = await obtain(at);
      expect(reply.status).toBe(200);
      expect((await list(at, token)).status).toBe(200);
      // None of the upstream tokens has left.
      for (const given of upstream.tokens.keys()) expect(JSON.stringify(reply.body)).not.toContain(given);
      expect(upstream.authorizations[0]?.get('client_id')).toBe(UPSTREAM_CLIENT.clientId);
      expect(upstream.authorizations[0]?.get('redirect_uri')).toBe(`${at.url}/callback`);
      const verified = await at.as.verifier.verifyAccessToken(token);
      expect(verified).toMatchObject({ clientId: 'desk', extra: { sub: 'ada', name: 'Upstream ada', iss: at.url } });
      expect(verified.resource?.href).toBe(at.resource);
      // What the upstream server gave is no way in here: it was not issued for this server.
      for (const given of upstream.tokens.keys()) expect((await list(at, given)).status).toBe(401);
    },
  );

  proves('L-AUTH-104, L-SECURITY-023, M-ASEC-020, M-ASEC-024').test(
    'asks about each client before it goes there, and again about the next',
    async () => {
      const at = await startProxy();
      const { browser } = await obtain(at);
      // The upstream server remembers the user, and would ask nothing.
      const evil =
        (await register(at, { client_name: 'Evil', redirect_uris: ['https://evil.example.com/cb'] })).body[
          'client_id'
        ] ?? '';
      const before = upstream.authorizations.length;
      await browser.go(authorizeUrl(at, pkce(), { client_id: evil, redirect_uri: 'https://evil.example.com/cb' }));
      expect(new URL(browser.url).origin).toBe(at.url);
      for (const shown of [
        'Allow access?',
        'Evil',
        'evil.example.com',
        'https://evil.example.com/cb',
        'At Hub',
        'openid, repo',
      ])
        expect(browser.html).toContain(shown);
      expect(browser.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(upstream.authorizations).toHaveLength(before);
      // The one that was agreed to is not asked about again in this browser, and is in every other.
      await browser.go(authorizeUrl(at, pkce()));
      expect(browser.url.startsWith(CALLBACK)).toBe(true);
      expect((await new Browser().go(authorizeUrl(at, pkce()))).html).toContain('Allow access?');
      // More rights, or another address, is another question.
      expect((await browser.go(authorizeUrl(at, pkce(), { scope: 'read write' }))).html).toContain('Allow access?');
    },
  );

  test('lets in a client that acts for itself, which rests on no login there', async () => {
    const machine = {
      client_id: 'machine',
      client_secret: 's',
      token_endpoint_auth_method: 'client_secret_post' as const,
      grant_types: ['client_credentials'],
    };
    const at = await startProxy(undefined, { clients: [machine] });
    const fields = { grant_type: 'client_credentials', client_id: 'machine', client_secret: 's' };
    const { body } = await postForm(`${at.url}/token`, fields);
    expect((await list(at, body['access_token'] ?? '')).status).toBe(200);
    expect(upstream.bodies).toEqual([]);
  });

  test('asks each time about a program on the own machine, which any program there can claim to be', async () => {
    const redirect = 'http://localhost:9/done';
    const open = { client_id: 'local', redirect_uris: [redirect] };
    const secret = { client_secret: 's', token_endpoint_auth_method: 'client_secret_post' as const };
    const at = await startProxy(undefined, { clients: [open, { ...open, client_id: 'proved', ...secret }] });
    const browser = new Browser();
    for (const [id, isAsked] of [
      ['local', true],
      ['proved', false],
    ] as const) {
      const url = authorizeUrl(at, pkce(), { client_id: id, redirect_uri: redirect });
      await browser.go(url);
      expect(browser.html.includes('any program there can claim this name'), id).toBe(isAsked);
      await browser.submit({ action: 'approve' });
      expect(browser.params.has('code'), id).toBe(true);
      await browser.go(url);
      expect(browser.html.includes('Allow access?'), id).toBe(isAsked);
    }
  });

  proves('L-SECURITY-028, M-ASEC-029').test('sets no cookie before somebody has agreed', async () => {
    const at = await startProxy();
    const browser = await new Browser().go(authorizeUrl(at, pkce()));
    expect([browser.html.includes('Allow access?'), browser.setCookies]).toEqual([true, []]);
    expect(upstream.authorizations).toHaveLength(0);
    await browser.submit({ action: 'deny' });
    expect([browser.params.get('error'), browser.setCookies]).toEqual(['access_denied', []]);
    await browser.go(authorizeUrl(at, pkce()));
    await browser.submit({ action: 'approve' });
    expect(browser.setCookies).toHaveLength(1);
  });

  proves('L-SECURITY-025, M-ASEC-026').test(
    'remembers what was agreed to on its own side, behind a cookie for this host alone',
    async () => {
      const as = createAuthorizationServer({
        issuer: 'https://as.example.com',
        resource: 'https://as.example.com/mcp',
        clients: [CLIENT, { ...CLIENT, client_id: 'second' }],
        login: loginAt('https://unused.example.com', {
          issuer: undefined,
          endpoints: {
            authorizationUrl: 'https://hub.example.com/authorize',
            tokenUrl: 'https://hub.example.com/token',
          },
        }),
      });
      const url = `https://as.example.com/authorize?response_type=code&client_id=desk&code_challenge=${pkce().challenge}&code_challenge_method=S256`;
      const page = await (await as.fetch(new Request(url))).text();
      const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
      const body = new URLSearchParams({ action: 'approve', token });
      const answer = await as.fetch(
        new Request(url, { method: 'POST', body, headers: { origin: 'https://as.example.com' } }),
      );
      const cookie = answer.headers.get('set-cookie') ?? '';
      expect(cookie).toMatch(/^__Host-mcp-agreed=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
      expect(new URL(answer.headers.get('location') ?? '').origin).toBe('https://hub.example.com');
      // The cookie is good for the client that was agreed to, and for no other.
      const headers = { cookie: cookie.split(';')[0] ?? '' };
      expect((await as.fetch(new Request(url, { headers }))).status).toBe(303);
      const other = url.replace('client_id=desk', 'client_id=second');
      expect((await as.fetch(new Request(other, { headers }))).status).toBe(200);
      const forged = { cookie: '__Host-mcp-agreed=forged' };
      expect((await as.fetch(new Request(url, { headers: forged }))).status).toBe(200);
    },
  );

  proves('L-SECURITY-026, M-ASEC-027').test('compares redirect URIs as texts', async () => {
    const at = await startProxy();
    const redirect = 'http://127.0.0.1/done';
    const id = (await register(at, { redirect_uris: [redirect] })).body['client_id'] ?? '';
    for (const uri of [
      `${redirect}?x=1`,
      `${redirect}/`,
      'http://127.0.0.1:5000/done',
      'HTTP://127.0.0.1/done',
      'https://evil.example.com',
    ]) {
      const browser = await new Browser().go(authorizeUrl(at, pkce(), { client_id: id, redirect_uri: uri }));
      expect([browser.status, new URL(browser.url).origin], uri).toEqual([400, at.url]);
    }
    expect((await new Browser().go(authorizeUrl(at, pkce(), { client_id: id, redirect_uri: redirect }))).status).toBe(
      200,
    );
  });

  proves('L-SECURITY-027, M-ASEC-028').test(
    'takes a state back once, soon, and in the browser that was sent away',
    async () => {
      let now = Date.now();
      const at = await startProxy(undefined, { now: () => now });
      const { browser } = await obtain(at);
      const callback = (given: URLSearchParams): string =>
        `${at.url}/callback?code=x&state=${encodeURIComponent(given.get('state') ?? '')}`;
      const [first] = upstream.authorizations;
      const states = upstream.authorizations.map((params) => params.get('state') ?? '');
      expect(states[0]).toMatch(/^[\w-]{43}$/);
      // Shown again, missing, and made up.
      for (const url of [
        callback(first as URLSearchParams),
        `${at.url}/callback?code=x`,
        `${at.url}/callback?code=x&state=guess`,
      ]) {
        await browser.go(url);
        expect([browser.status, new URL(browser.url).origin]).toEqual([403, at.url]);
      }
      // Begun by one, and finished by another who was sent the address.
      const begun = await fetch(authorizeUrl(at, pkce()), {
        redirect: 'manual',
        headers: { cookie: [...(browser.cookies.get(at.url) ?? [])].map((pair) => pair.join('=')).join('; ') },
      });
      const victim = new Browser();
      await victim.go(begun.headers.get('location') ?? '');
      expect([victim.status, new URL(victim.url).origin]).toEqual([403, at.url]);
      // And too late.
      const late = await fetch(authorizeUrl(at, pkce()), {
        redirect: 'manual',
        headers: { cookie: [...(browser.cookies.get(at.url) ?? [])].map((pair) => pair.join('=')).join('; ') },
      });
      now += 600_001;
      await browser.go(late.headers.get('location') ?? '');
      expect(browser.status).toBe(403);
    },
  );

  test('takes no consent from a page of somebody else', async () => {
    const at = await startProxy();
    const browser = await new Browser().go(authorizeUrl(at, pkce()));
    await browser.submit({ action: 'approve' }, 'https://evil.example.com');
    expect([browser.status, upstream.authorizations.length]).toEqual([403, 0]);
    await browser.go(authorizeUrl(at, pkce()));
    await browser.submit({ action: 'approve', token: 'forged' });
    expect([browser.status, upstream.authorizations.length]).toEqual([403, 0]);
  });

  proves('L-AUTH-106, L-AUTH-107').test(
    'honours its tokens as long as what they rest on is good upstream',
    async () => {
      const at = await startProxy();
      const { token, reply } = await obtain(at);
      expect((await list(at, token)).status).toBe(200);
      upstream.end();
      expect((await list(at, token)).status).toBe(401);
      const refreshed = await postForm(`${at.url}/token`, {
        grant_type: 'refresh_token',
        client_id: 'desk',
        refresh_token: reply.body['refresh_token'] ?? '',
      });
      expect(refreshed.body['error']).toBe('invalid_grant');
    },
  );

  proves('L-AUTH-108').test('renews what has expired upstream, once for all who wait', async () => {
    let now = Date.now();
    upstream.expiresIn = 60;
    const login = loginAt(upstream.url, { recheckMs: 600_000 });
    const at = await startProxy(login, { now: () => now });
    const { token } = await obtain(at);
    const before = await login.accessToken(await at.as.verifier.verifyAccessToken(token));
    now += 61_000;
    const authInfo = { token, clientId: 'desk', scopes: [] };
    const renewed = await Promise.all(Array.from({ length: 5 }, () => login.accessToken(authInfo)));
    expect(new Set(renewed).size).toBe(1);
    expect(renewed[0]).not.toBe(before);
    expect(upstream.refreshes).toBe(1);
    expect((await list(at, token)).status).toBe(200);
    // And when it cannot be renewed, the client has to log in again.
    now += 61_000;
    upstream.end();
    expect((await list(at, token)).status).toBe(401);
  });

  test('does not end a login because the upstream server is out of order', async () => {
    const at = await startProxy();
    const { token } = await obtain(at);
    await upstream.close();
    expect((await list(at, token)).status).toBe(503);
    expect(at.problems.length).toBeGreaterThan(0);
  });

  test('gives back upstream what is revoked here, and hands tools their own token for the API', async () => {
    const login = loginAt(upstream.url);
    const server = makeServer();
    server.registerTool('whoami', {}, async (ctx) => ({
      content: [{ type: 'text', text: upstream.tokens.get(await login.accessToken(ctx.authInfo)) ?? 'nobody' }],
    }));
    const at = await start({ as: { login }, server });
    const { token, reply } = await obtain(at);
    const call = await send(at, stateless('tools/call', { name: 'whoami', arguments: {} }, { headers: bearer(token) }));
    expect(JSON.stringify(await call.json())).toContain('"text":"ada"');
    expect(upstream.bodies.join()).not.toContain(token);
    await postForm(`${at.url}/revoke`, { token: reply.body['refresh_token'] ?? '', client_id: 'desk' });
    expect(upstream.revoked).toHaveLength(1);
    expect((await list(at, token)).status).toBe(401);
  });

  test('knows who has logged in in a browser, for a working day', async () => {
    let now = Date.now();
    const at = await startProxy(undefined, { now: () => now });
    const { browser } = await obtain(at);
    const cookie = [...(browser.cookies.get(at.url) ?? [])].map((pair) => pair.join('=')).join('; ');
    const request = (headers: Record<string, string>) => new FetchHttpRequest(new Request(at.url, { headers }), {});
    expect(await at.as.identify(request({ cookie }))).toEqual({ sub: 'ada', name: 'Upstream ada' });
    expect(await at.as.identify(request({}))).toBeUndefined();
    now += 8 * 3_600_000 + 1;
    expect(await at.as.identify(request({ cookie }))).toBeUndefined();
  });

  test('tells the client when somebody says no upstream', async () => {
    const at = await startProxy();
    const cookie = async (): Promise<Browser> => (await obtain(at)).browser;
    const browser = await cookie();
    const away = await fetch(authorizeUrl(at, pkce()), {
      redirect: 'manual',
      headers: { cookie: [...(browser.cookies.get(at.url) ?? [])].map((pair) => pair.join('=')).join('; ') },
    });
    const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
    await browser.go(`${at.url}/callback?error=access_denied&state=${state}`);
    expect(Object.fromEntries(browser.params)).toMatchObject({ error: 'access_denied', state: 'st4te', iss: at.url });
  });
});
