import { afterEach, describe, expect, test } from 'vitest';
import { createAuthorizationServer, passwordLogin, unattendedLogin } from '../src/index.ts';
import { memoryStore } from 'crosspoint/server';
import { send, stateless } from '../../crosspoint/test/http/serving.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';
import {
  Browser,
  CALLBACK,
  CLIENT,
  authorizeUrl,
  bearer,
  byPassword,
  closeStarted,
  obtain,
  pkce,
  postForm,
  redeem,
  register,
  start,
} from './login-kit.ts';

afterEach(closeStarted);

const list = (token: string | undefined) => stateless('tools/list', {}, { headers: bearer(token) });

describe('the embedded authorization server', () => {
  proves('L-AUTH-002, L-AUTH-005, L-AUTH-006, L-AUTH-088').test(
    'logs in, asks, and issues a token for this server that is good for minutes',
    async () => {
      const at = await start();
      const { tokens } = await obtain(at);
      expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'read' });
      expect((await send(at, list(tokens['access_token']))).status).toBe(200);
      expect((await send(at, list('guessed'))).status).toBe(401);
    },
  );

  proves('L-AUTH-012, L-AUTH-031, L-AUTH-033, L-AUTH-103, M-AD-009, M-AF-014, M-ASEC-010, M-AX-004, M-AX-005').test(
    'publishes its metadata',
    async () => {
      const at = await start();
      const response = await fetch(`${at.url}/.well-known/oauth-authorization-server`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toMatchObject({
        issuer: at.url,
        authorization_endpoint: `${at.url}/authorize`,
        token_endpoint: `${at.url}/token`,
        registration_endpoint: `${at.url}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        token_endpoint_auth_methods_supported: expect.arrayContaining([
          'private_key_jwt',
          'client_secret_basic',
          'none',
        ]) as unknown,
        token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256']) as unknown,
        scopes_supported: ['read', 'write'],
      });
    },
  );

  proves('L-AUTH-013').test('has its endpoints where older clients look for them without metadata', async () => {
    const at = await start();
    expect((await fetch(`${at.url}/authorize`)).status).toBe(400);
    expect((await postForm(`${at.url}/token`, {})).body['error']).toBe('invalid_request');
    expect((await register(at, {})).body['error']).toBe('invalid_redirect_uri');
  });

  test('keeps its issuer below a path as it was given', async () => {
    const as = createAuthorizationServer({
      issuer: 'https://example.com/tenant/',
      resource: 'https://example.com/mcp',
      login: byPassword,
    });
    const answer = await as.fetch(new Request('https://example.com/.well-known/oauth-authorization-server/tenant'));
    expect(await answer.json()).toMatchObject({
      issuer: 'https://example.com/tenant/',
      token_endpoint: 'https://example.com/tenant/token',
    });
    expect(as.serves('/tenant/authorize')).toBe(true);
    expect((await as.fetch(new Request('https://example.com/authorize'))).status).toBe(404);
  });

  proves('M-AF-013').test('says in every answer who gives it, errors included', async () => {
    const at = await start();
    const browser = await new Browser().go(authorizeUrl(at, pkce()));
    await browser.logIn('ada');
    await browser.submit({ action: 'deny' });
    expect(Object.fromEntries(browser.params)).toMatchObject({ error: 'access_denied', state: 'st4te', iss: at.url });
    await browser.go(authorizeUrl(at, pkce(), { scope: 'unknown' }));
    expect(Object.fromEntries(browser.params)).toMatchObject({ error: 'invalid_scope', iss: at.url });
    const { browser: other } = await obtain(at);
    expect(other.params.get('iss')).toBe(at.url);
  });

  proves('L-AUTH-091, M-ASEC-005').test('is served over https, or not beyond this machine', () => {
    const make = (issuer: string): unknown =>
      createAuthorizationServer({ issuer, resource: `${issuer}/mcp`, login: byPassword });
    expect(() => make('http://example.com')).toThrow('must be https');
    expect(() => make('https://example.com/?tenant=1')).toThrow('query');
    expect(() => make('https://example.com')).not.toThrow();
    expect(() => make('http://127.0.0.1:1')).not.toThrow();
    expect(() =>
      createAuthorizationServer({
        issuer: 'https://example.com',
        resource: 'https://example.com/mcp',
        login: unattendedLogin({ sub: 'x' }),
      }),
    ).toThrow('everybody');
  });

  proves('L-AUTH-087, L-AUTH-089, M-ASEC-004').test(
    'rotates refresh tokens, and ends everything when an old one is shown again',
    async () => {
      const at = await start();
      const { tokens } = await obtain(at);
      const refresh = (token: string | undefined, more = {}) =>
        postForm(`${at.url}/token`, {
          grant_type: 'refresh_token',
          client_id: 'desk',
          refresh_token: String(token),
          ...more,
        });
      const next = await refresh(tokens['refresh_token'], { resource: at.resource });
      expect(next.status).toBe(200);
      expect(next.body['refresh_token']).not.toBe(tokens['refresh_token']);
      expect((await send(at, list(next.body['access_token']))).status).toBe(200);
      const stolen = await refresh(tokens['refresh_token']);
      expect([stolen.status, stolen.body['error']]).toEqual([400, 'invalid_grant']);
      expect((await refresh(next.body['refresh_token'])).body['error']).toBe('invalid_grant');
      expect((await send(at, list(next.body['access_token']))).status).toBe(401);
    },
  );

  test('refreshes for one client, one resource and no more than was granted', async () => {
    const at = await start({ as: { clients: [CLIENT, { client_id: 'other', redirect_uris: [CALLBACK] }] } });
    const { tokens } = await obtain(at);
    const refresh = async (more: Record<string, string>) =>
      (
        await postForm(`${at.url}/token`, {
          grant_type: 'refresh_token',
          client_id: 'desk',
          refresh_token: tokens['refresh_token'] ?? '',
          ...more,
        })
      ).body['error'];
    expect(await refresh({ client_id: 'other' })).toBe('invalid_grant');
    expect(await refresh({ refresh_token: 'guessed' })).toBe('invalid_grant');
    expect(await refresh({ scope: 'read write' })).toBe('invalid_scope');
    expect(await refresh({ resource: 'https://other.example.com/mcp' })).toBe('invalid_target');
    // A request that was refused has used nothing up.
    expect(await refresh({ scope: 'read' })).toBeUndefined();
  });

  test('lets a client take back what it was given', async () => {
    const at = await start();
    const { tokens } = await obtain(at);
    const revoke = (token: string | undefined, client = 'desk') =>
      postForm(`${at.url}/revoke`, { token: String(token), client_id: client });
    expect((await revoke('never was')).status).toBe(200);
    expect((await revoke(tokens['refresh_token'])).status).toBe(200);
    expect((await send(at, list(tokens['access_token']))).status).toBe(401);
  });

  test('forgets tokens after their time', async () => {
    let now = Date.now();
    const at = await start({ as: { now: () => now } });
    const { tokens } = await obtain(at);
    now += 599_000;
    await expect(at.as.verifier.verifyAccessToken(tokens['access_token'] ?? '')).resolves.toMatchObject({
      clientId: 'desk',
    });
    now += 2000;
    await expect(at.as.verifier.verifyAccessToken(tokens['access_token'] ?? '')).rejects.toThrow('expired');
  });

  test('keeps nothing in the store that could be presented', async () => {
    const store = memoryStore();
    const at = await start({ as: { store } });
    const { tokens, browser } = await obtain(at);
    const keys = await store.keys('');
    const kept = JSON.stringify(await Promise.all(keys.map(async (key) => [key, await store.get(key)])));
    for (const secret of [tokens['access_token'], tokens['refresh_token'], browser.params.get('code')])
      expect(kept).not.toContain(secret);
  });

  test('answers in the forms of fetch and of a router alike', async () => {
    const at = await start();
    const answer = await at.as.fetch(new Request(`${at.url}/.well-known/oauth-authorization-server`));
    expect(answer.status).toBe(200);
    let passed = 0;
    at.as.router({ method: 'GET', url: '/elsewhere', headers: {} } as never, {} as never, () => (passed += 1));
    expect(passed).toBe(1);
  });

  test('goes on in another process that shares its store and secret', async () => {
    const [store, secret] = [memoryStore(), crypto.getRandomValues(new Uint8Array(32))];
    const make = () =>
      createAuthorizationServer({
        issuer: 'https://as.example.com',
        resource: 'https://as.example.com/mcp',
        clients: [CLIENT],
        login: passwordLogin({ check: (name) => ({ sub: name }) }),
        store,
        secret,
      });
    const [one, two, three] = [make(), make(), make()];
    const { challenge, verifier } = pkce();
    const url = `https://as.example.com/authorize?response_type=code&client_id=desk&code_challenge=${challenge}&code_challenge_method=S256`;
    const post = (as: typeof one, fields: Record<string, string>, cookie = '') =>
      as.fetch(
        new Request(url, {
          method: 'POST',
          body: new URLSearchParams(fields),
          headers: { origin: 'https://as.example.com', cookie },
        }),
      );
    const page = await post(one, { action: 'login', username: 'ada', password: 'x' });
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
    const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const agreed = await post(two, { action: 'approve', token }, cookie);
    const code = new URL(agreed.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'desk',
      code,
      code_verifier: verifier,
    });
    const redeemed = () => three.fetch(new Request('https://as.example.com/token', { method: 'POST', body }));
    const { access_token: access } = (await (await redeemed()).json()) as Record<string, string>;
    expect(await one.verifier.verifyAccessToken(access ?? '')).toMatchObject({
      clientId: 'desk',
      extra: { sub: 'ada' },
    });
    expect((await redeemed()).status).toBe(400);
  });

  test('does not answer to a name that somebody points at this machine', async () => {
    const at = await start();
    const answer = await send(at, {
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      headers: { host: 'evil.example.com' },
    });
    expect(answer.status).toBe(404);
  });
});

describe('the pages', () => {
  test('name the program, the rights and where the answer goes, and cannot be framed', async () => {
    const at = await start({ as: { clients: [{ ...CLIENT, client_name: '<b>Desk</b>' }] } });
    const browser = await new Browser().go(authorizeUrl(at, pkce()));
    await browser.logIn('ada');
    for (const shown of [
      '&#60;b&#62;Desk&#60;/b&#62;',
      'client.example.com',
      CALLBACK,
      at.resource,
      'read',
      'Person ada',
    ])
      expect(browser.html).toContain(shown);
    expect(browser.html).not.toContain('<b>Desk');
    expect(browser.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(browser.headers.get('x-frame-options')).toBe('DENY');
    expect(browser.headers.get('cache-control')).toBe('no-store');
  });

  test('warn of a program on the own computer that nobody vouches for', async () => {
    const at = await start();
    const redirect = 'http://127.0.0.1:9/callback';
    const { body } = await register(at, { client_name: 'Anyone', redirect_uris: [redirect] });
    const browser = await new Browser().go(
      authorizeUrl(at, pkce(), { client_id: body['client_id'], redirect_uri: redirect }),
    );
    await browser.logIn('ada');
    expect(browser.html).toContain('any program there can claim this name');
  });

  test('take a form from themselves alone, and from whom they were shown to', async () => {
    const at = await start();
    const ada = await new Browser().go(authorizeUrl(at, pkce()));
    await ada.logIn('ada');
    const page = ada.html;
    for (const origin of ['https://evil.example.com', 'null']) {
      await ada.submit({ action: 'approve' }, origin);
      expect([ada.status, new URL(ada.url).hostname]).toEqual([403, '127.0.0.1']);
    }
    const bob = await new Browser().go(ada.url);
    await bob.logIn('bob');
    // Ada's token in Bob's form.
    bob.html = page;
    await bob.submit({ action: 'approve' });
    expect([bob.status, new URL(bob.url).hostname]).toEqual([403, '127.0.0.1']);
  });

  test('let somebody guess a password ten times', async () => {
    const now = Date.now();
    const at = await start({ as: { now: () => now } });
    const browser = await new Browser().go(authorizeUrl(at, pkce()));
    for (let turn = 0; turn < 10; turn += 1) {
      await browser.submit({ action: 'login', username: 'bob', password: `wrong${turn}` });
      expect(browser.status).toBe(401);
    }
    await browser.submit({ action: 'login', username: 'bob', password: 'builder' });
    expect(browser.status).toBe(429);
  });

  test('set cookies that only this host sees, over https alone', async () => {
    const as = createAuthorizationServer({
      issuer: 'https://as.example.com',
      resource: 'https://as.example.com/mcp',
      clients: [CLIENT],
      login: byPassword,
    });
    const { challenge } = pkce();
    const url = `https://as.example.com/authorize?response_type=code&client_id=desk&code_challenge=${challenge}&code_challenge_method=S256`;
    const body = new URLSearchParams({ action: 'login', username: 'ada', password: 'engine' });
    const answer = await as.fetch(
      new Request(url, { method: 'POST', body, headers: { origin: 'https://as.example.com' } }),
    );
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-mcp-login=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  test('send nobody to another server after a login', async () => {
    const at = await start();
    for (const away of [
      'https://evil.example.com/',
      '//evil.example.com',
      'javascript:alert(1)',
      '/\\evil.example.com',
    ]) {
      const response = await fetch(`${at.url}/login?return_to=${encodeURIComponent(away)}`);
      expect(response.status, away).toBe(400);
    }
    expect((await fetch(`${at.url}/login?return_to=/connect`)).status).toBe(200);
  });
});

describe('codes', () => {
  test('are good once; shown twice, they end what they were exchanged for', async () => {
    const at = await start();
    const { browser, tokens, secret } = await obtain(at);
    expect((await send(at, list(tokens['access_token']))).status).toBe(200);
    const again = await redeem(at, browser.params.get('code') ?? '', secret);
    expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant']);
    expect(again.body['error_description']).toContain('used before');
    expect((await send(at, list(tokens['access_token']))).status).toBe(401);
  });

  test('are good for the client, the address, the verifier and the resource they were made for', async () => {
    const at = await start({ as: { clients: [CLIENT, { client_id: 'other', redirect_uris: [CALLBACK] }] } });
    const secret = pkce();
    const browser = await new Browser().go(authorizeUrl(at, secret));
    await browser.logIn('ada');
    await browser.submit({ action: 'approve' });
    const code = browser.params.get('code') ?? '';
    const attempts: [Record<string, string>, string][] = [
      [{ client_id: 'other' }, 'invalid_grant'],
      [{ redirect_uri: 'https://evil.example.com/' }, 'invalid_grant'],
      [{ code_verifier: pkce().verifier }, 'invalid_grant'],
      [{ code_verifier: '' }, 'invalid_request'],
      [{ resource: 'https://other.example.com/mcp' }, 'invalid_target'],
      [{ code: 'guessed' }, 'invalid_grant'],
    ];
    for (const [more, error] of attempts) expect((await redeem(at, code, secret, more)).body['error']).toBe(error);
    const good = await redeem(at, code, secret);
    expect(good.status).toBe(200);
    expect(good.headers.get('cache-control')).toBe('no-store');
  });

  test('wait for nobody', async () => {
    let now = Date.now();
    const at = await start({ as: { now: () => now } });
    const secret = pkce();
    const browser = await new Browser().go(authorizeUrl(at, secret));
    await browser.logIn('ada');
    await browser.submit({ action: 'approve' });
    now += 61_000;
    expect((await redeem(at, browser.params.get('code') ?? '', secret)).body['error']).toBe('invalid_grant');
  });
});
