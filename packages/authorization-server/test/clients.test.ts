import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import type { OAuthClient } from '../src/index.ts';
import { send, stateless } from '../../crosspoint/test/http/serving.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';
import {
  Browser,
  CALLBACK,
  CLIENT,
  authorizeUrl,
  bearer,
  closeStarted,
  obtain,
  pkce,
  postForm,
  redeem,
  register,
  start,
  type Started,
} from './login-kit.ts';

afterEach(closeStarted);

const DOCUMENT = 'https://app.example.com/oauth/client.json';
const METADATA = { client_id: DOCUMENT, client_name: 'App', redirect_uris: [CALLBACK, 'http://127.0.0.1/done'] };

/** An authorization server whose requests to the outside end here. */
async function startWithDocuments(answer: (url: string) => Response): Promise<{ at: Started; loads: string[] }> {
  const loads: string[] = [];
  const fetcher = async (url: string | URL): Promise<Response> => {
    loads.push(String(url));
    return answer(String(url));
  };
  const at = await start({ as: { outbound: { fetch: fetcher } } });
  return { at, loads };
}

const json = (value: unknown, headers: Record<string, string> = {}): Response =>
  new Response(typeof value === 'string' ? value : JSON.stringify(value), {
    headers: { 'content-type': 'application/json', ...headers },
  });

/** What becomes of an authorization request: where the browser stands, and what it is told. */
async function visit(at: Started, more: Record<string, string | undefined>): Promise<Browser> {
  return new Browser().go(authorizeUrl(at, pkce(), more));
}

describe('a client that publishes a document of itself', () => {
  proves('L-AUTH-043, L-AUTH-050, M-AR-004, M-AR-009').test('needs no registration', async () => {
    const { at, loads } = await startWithDocuments(() => json(METADATA));
    const { tokens } = await obtain(at, 'ada', { client_id: DOCUMENT });
    expect((await send(at, stateless('tools/list', {}, { headers: bearer(tokens['access_token']) }))).status).toBe(200);
    expect(loads[0]).toBe(DOCUMENT);
    const browser = await visit(at, { client_id: DOCUMENT });
    expect(browser.html).toContain('App (app.example.com)');
  });

  proves('L-AUTH-051, L-AUTH-054, M-AR-010, M-AR-013').test(
    'is refused when its document is not valid or of another, and nobody is redirected',
    async () => {
      const documents: [string, () => Response][] = [
        ['names another client_id', () => json({ ...METADATA, client_id: `${DOCUMENT}?x` })],
        ['not JSON', () => json('{"client_id"')],
        ['not JSON', () => new Response('<p>', { headers: { 'content-type': 'text/html' } })],
        ['no client_name', () => json({ ...METADATA, client_name: undefined })],
        ['at least one URI', () => json({ ...METADATA, redirect_uris: undefined })],
        ['no secret', () => json({ ...METADATA, token_endpoint_auth_method: 'client_secret_basic' })],
        ['answered with 404', () => new Response('', { status: 404 })],
        ['no object', () => json([])],
      ];
      for (const [reason, answer] of documents) {
        const { at } = await startWithDocuments(answer);
        const browser = await visit(at, { client_id: DOCUMENT });
        expect([browser.status, new URL(browser.url).hostname], reason).toEqual([401, '127.0.0.1']);
        expect(browser.html).toContain(reason);
        expect(browser.html).toContain('invalid_client');
      }
    },
  );

  proves('L-AUTH-053, M-AR-012').test('is sent its answers at an address of its document alone', async () => {
    const { at } = await startWithDocuments(() => json(METADATA));
    const browser = await visit(at, { client_id: DOCUMENT, redirect_uri: 'https://app.example.com/other' });
    expect([browser.status, new URL(browser.url).hostname]).toEqual([400, '127.0.0.1']);
    expect(browser.html).toContain('invalid_request');
    // Registered without a port, which a native program cannot know in advance.
    expect((await visit(at, { client_id: DOCUMENT, redirect_uri: 'http://127.0.0.1:5123/done' })).status).toBe(200);
    expect((await visit(at, { client_id: DOCUMENT, redirect_uri: 'http://127.0.0.1:5123/done/x' })).status).toBe(400);
  });

  proves('L-AUTH-052, M-AR-011').test('is not asked again while its document may be kept', async () => {
    let control = 'max-age=60';
    let now = Date.now();
    const loads: string[] = [];
    const fetcher = async (url: string | URL): Promise<Response> => {
      loads.push(String(url));
      return json(METADATA, { 'cache-control': control });
    };
    const at = await start({ as: { outbound: { fetch: fetcher }, now: () => now } });
    for (let turn = 0; turn < 3; turn += 1) await visit(at, { client_id: DOCUMENT });
    expect(loads).toHaveLength(1);
    now += 61_000;
    control = 'no-store';
    await visit(at, { client_id: DOCUMENT });
    await visit(at, { client_id: DOCUMENT });
    expect(loads).toHaveLength(3);
  });

  proves('L-AUTH-055, M-ASEC-017').test('cannot make the server load what is inside its network', async () => {
    const at = await start({ as: { outbound: { resolve: async () => ['10.0.0.7'] } } });
    const inside = [
      'https://169.254.169.254/latest/meta-data',
      'https://127.0.0.1:1/client.json',
      'https://[::1]/client.json',
      'https://192.168.1.1/client.json',
      'https://intranet.example.com/client.json',
    ];
    for (const clientId of inside) {
      const browser = await visit(at, { client_id: clientId });
      expect(browser.status, clientId).toBe(401);
      expect(browser.html).toContain('could not be loaded');
    }
    for (const clientId of [
      'https://app.example.com',
      'https://app.example.com/a/../b',
      'https://u:p@app.example.com/c',
      'https://app.example.com/c#f',
    ])
      expect((await visit(at, { client_id: clientId })).html, clientId).toContain('cannot name one');
  });

  test('is accepted from hosts that the operator trusts', async () => {
    const at = await start({
      as: {
        outbound: { fetch: async () => json(METADATA) },
        clientDocuments: { accept: ({ host }) => host === 'trusted.example.com' },
      },
    });
    expect((await visit(at, { client_id: DOCUMENT })).html).toContain('not accepted here');
  });
});

describe('a client that registers', () => {
  proves('L-AUTH-017, L-AUTH-018').test('gets an id that it can log in with', async () => {
    const at = await start();
    const { status, body } = await register(at, {
      client_name: 'New',
      redirect_uris: [CALLBACK],
      application_type: 'web',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ client_name: 'New', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' });
    expect(body['client_secret']).toBeUndefined();
    const { tokens } = await obtain(at, 'ada', { client_id: body['client_id'] });
    expect(tokens['access_token']).toBeDefined();
  });

  proves('L-AUTH-092, M-ASEC-006').test(
    'is refused addresses that are neither https nor on the own machine',
    async () => {
      const at = await start();
      const attempts = [
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'http://evil.example.com/cb',
        'http://127.0.0.1.evil.example.com/cb',
        'myapp:/cb',
        'https://user:pass@example.com/cb',
        'https://example.com/cb#fragment',
        '/relative',
        '',
      ];
      for (const uri of attempts) {
        const { status, body } = await register(at, { redirect_uris: [uri] });
        expect([status, body['error']], uri).toEqual([400, 'invalid_redirect_uri']);
      }
      for (const uri of [
        'http://localhost:3000/cb',
        'http://127.0.0.1/cb',
        'http://[::1]:1/cb',
        'https://example.com/cb',
      ])
        expect((await register(at, { redirect_uris: [uri] })).status, uri).toBe(201);
    },
  );

  test('is refused metadata that cannot be right', async () => {
    const at = await start();
    const attempts: [object, string][] = [
      [{ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'tls_client_auth' }, 'invalid_client_metadata'],
      [{ redirect_uris: [CALLBACK], client_name: 'x'.repeat(101) }, 'invalid_client_metadata'],
      [{ redirect_uris: [CALLBACK], grant_types: ['implicit'] }, 'invalid_client_metadata'],
      [{ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
      [{ redirect_uris: Array.from({ length: 11 }, (_, index) => `${CALLBACK}${index}`) }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['http://localhost/cb'], application_type: 'web' }, 'invalid_redirect_uri'],
      [[], 'invalid_client_metadata'],
    ];
    for (const [metadata, error] of attempts) expect((await register(at, metadata)).body['error']).toBe(error);
    expect(
      (await register(at, { redirect_uris: [CALLBACK], client_name: 'Good\u202eeman\n' })).body['client_name'],
    ).toBe('Goodeman');
  });

  test('cannot fill the server by registering over and over', async () => {
    let now = Date.now();
    const at = await start({ as: { now: () => now } });
    for (let turn = 0; turn < 20; turn += 1)
      expect((await register(at, { redirect_uris: [CALLBACK] })).status).toBe(201);
    const refused = await register(at, { redirect_uris: [CALLBACK] });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(refused.body['error_description']).toContain('Too many');
    now += 3_600_001;
    expect((await register(at, { redirect_uris: [CALLBACK] })).status).toBe(201);
    const crowd = await start({
      as: { now: () => now, registration: { maxPerHourOfAll: 2 }, callerOf: (request) => request.header('x-from') },
    });
    for (const from of ['a', 'b'])
      expect((await register(crowd, { redirect_uris: [CALLBACK] }, { 'x-from': from })).status).toBe(201);
    expect((await register(crowd, { redirect_uris: [CALLBACK] }, { 'x-from': 'c' })).status).toBe(429);
  });

  test('is forgotten when nobody logs in with it', async () => {
    let now = Date.now();
    const at = await start({ as: { now: () => now } });
    const [unused, used] = [
      await register(at, { redirect_uris: [CALLBACK] }),
      await register(at, { redirect_uris: [CALLBACK] }),
    ];
    await obtain(at, 'ada', { client_id: used.body['client_id'] });
    now += 86_400_001;
    expect((await visit(at, { client_id: unused.body['client_id'] })).status).toBe(401);
    expect((await visit(at, { client_id: used.body['client_id'] })).status).toBe(200);
  });

  test('can be left out', async () => {
    const at = await start({ as: { registration: false } });
    expect(at.as.metadata.registration_endpoint).toBeUndefined();
    expect(at.as.serves('/register')).toBe(false);
  });
});

describe('an authorization request', () => {
  proves('L-AUTH-093, L-AUTH-094, L-AUTH-097, M-ASEC-012').test(
    'sends nobody to an address that was not registered',
    async () => {
      const at = await start();
      const attempts = [
        'https://evil.example.com/callback',
        `${CALLBACK}/`,
        `${CALLBACK}?next=https://evil.example.com`,
        `${CALLBACK}.evil.example.com`,
        `${CALLBACK}/../other`,
        'https://client.example.com:444/callback',
        'http://client.example.com/callback',
        'HTTPS://client.example.com/callback',
        'https://*.example.com/callback',
        'javascript:alert(1)',
      ];
      for (const uri of attempts) {
        const browser = await visit(at, { redirect_uri: uri });
        expect([browser.status, new URL(browser.url).hostname], uri).toEqual([400, '127.0.0.1']);
      }
      const unknown = await visit(at, { client_id: 'nobody', redirect_uri: 'https://evil.example.com' });
      expect([unknown.status, new URL(unknown.url).hostname]).toEqual([401, '127.0.0.1']);
    },
  );

  test('without PKCE, or with a weaker one, comes to nothing', async () => {
    const at = await start();
    const attempts = [
      { code_challenge: undefined },
      { code_challenge_method: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge: 'short' },
    ];
    for (const more of attempts) {
      const browser = await visit(at, more);
      expect(Object.fromEntries(browser.params), JSON.stringify(more)).toMatchObject({
        error: 'invalid_request',
        iss: at.url,
      });
      expect(browser.params.has('code')).toBe(false);
    }
    for (const response of ['token', 'id_token', 'code token'])
      expect((await visit(at, { response_type: response })).params.get('error')).toBe('unsupported_response_type');
  });

  test('that fails leads nobody to an address that anybody could have registered, unless they click', async () => {
    const at = await start();
    const evil = 'https://evil.example.com/cb?a=%22%3E%3Cscript%3E';
    const { body } = await register(at, { redirect_uris: [evil] });
    const browser = await visit(at, { client_id: body['client_id'], redirect_uri: evil, scope: 'nonsense' });
    expect([browser.status, new URL(browser.url).origin]).toEqual([400, at.url]);
    expect(browser.html).toContain('Go back to evil.example.com');
    expect(browser.html).toContain('invalid_scope');
    expect(browser.html).not.toContain('<script');
  });

  test('is for a resource that tokens are issued for', async () => {
    const at = await start();
    expect((await visit(at, { resource: 'https://other.example.com/mcp' })).params.get('error')).toBe('invalid_target');
    expect((await visit(at, { resource: undefined })).status).toBe(200);
    const twice = await new Browser().go(`${authorizeUrl(at, pkce())}&resource=https%3A%2F%2Fother.example.com`);
    expect(twice.params.get('error')).toBe('invalid_target');
    const several = await start({ as: { resource: ['https://a.example.com', 'https://b.example.com'] } });
    expect((await visit(several, { resource: undefined })).params.get('error')).toBe('invalid_target');
  });

  test('says each thing once', async () => {
    const at = await start();
    const browser = await new Browser().go(`${authorizeUrl(at, pkce())}&redirect_uri=https%3A%2F%2Fevil.example.com`);
    expect([browser.status, new URL(browser.url).hostname]).toEqual([400, '127.0.0.1']);
  });
});

describe('a client with credentials', () => {
  const machine = {
    client_id: 'machine',
    client_secret: 's3cret:with+signs',
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['client_credentials'],
    scope: 'read',
  } as const;
  const basic = (id: string, secret: string): Record<string, string> => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  });

  proves('L-AUTH-008, M-AX-019').test(
    'acts for itself, within its scopes, and its token is verified like any other',
    async () => {
      const at = await start({ as: { clients: [machine] }, auth: { scopes: ['read'] } });
      const fields = { grant_type: 'client_credentials', resource: at.resource };
      const { status, body } = await postForm(`${at.url}/token`, fields, basic('machine', machine.client_secret));
      expect([status, body['scope'], body['refresh_token']]).toEqual([200, 'read', undefined]);
      const call = (token: string | undefined) => send(at, stateless('tools/list', {}, { headers: bearer(token) }));
      expect((await call(body['access_token'])).status).toBe(200);
      expect((await call(`${body['access_token']}x`)).status).toBe(401);
      const post = await postForm(`${at.url}/token`, {
        ...fields,
        client_id: 'machine',
        client_secret: machine.client_secret,
      });
      expect(post.status).toBe(200);
      const wide = await postForm(
        `${at.url}/token`,
        { ...fields, scope: 'read write' },
        basic('machine', machine.client_secret),
      );
      expect(wide.body['error']).toBe('invalid_scope');
    },
  );

  test('is refused when they are wrong, missing, too many or out of date', async () => {
    const expired = { ...machine, client_id: 'expired', client_secret_expires_at: 1 };
    const at = await start({ as: { clients: [machine, expired, CLIENT] } });
    const fields = { grant_type: 'client_credentials' };
    const token = (more: Record<string, string>, headers: Record<string, string> = {}) =>
      postForm(`${at.url}/token`, { ...fields, ...more }, headers);
    const wrong = await token({}, basic('machine', 'wrong'));
    expect([wrong.status, wrong.body['error'], wrong.headers.get('www-authenticate')]).toEqual([
      401,
      'invalid_client',
      'Basic',
    ]);
    expect((await token({ client_id: 'machine' })).body['error']).toBe('invalid_client');
    expect((await token({}, basic('expired', machine.client_secret))).body['error_description']).toContain('expired');
    expect((await token({ client_id: 'machine', client_secret: 'x' }, basic('machine', 'x'))).body['error']).toBe(
      'invalid_request',
    );
    expect((await token({ client_id: 'desk' })).body['error']).toBe('unauthorized_client');
    expect((await token({ client_id: 'nobody' })).body['error']).toBe('invalid_client');
    expect((await token({ grant_type: 'password', client_id: 'desk' })).body['error']).toBe('unsupported_grant_type');
  });

  test('signs with its own key, and no assertion is good twice', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const client: OAuthClient = {
      client_id: 'signer',
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: ['client_credentials'],
      jwks: { keys: [await exportJWK(publicKey)] },
    };
    const at = await start({ as: { clients: [client] } });
    const assertion = (more: object = {}, key: CryptoKey = privateKey): Promise<string> =>
      new SignJWT({ iss: 'signer', sub: 'signer', aud: at.url, jti: crypto.randomUUID(), ...more })
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime('2 minutes')
        .sign(key);
    const token = async (text: string) =>
      postForm(`${at.url}/token`, {
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: text,
      });
    const once = await assertion();
    expect((await token(once)).status).toBe(200);
    expect((await token(once)).body['error_description']).toContain('used before');
    const other = (await generateKeyPair('ES256')).privateKey;
    for (const text of [
      await assertion({ aud: 'https://other.example.com' }),
      await assertion({}, other),
      await assertion({ iss: 'x' }),
      'junk',
    ])
      expect((await token(text)).body['error']).toBe('invalid_client');
  });

  proves('L-AUTH-075').test('a resource server elsewhere learns of tokens for itself alone', async () => {
    const other = 'https://other.example.com/mcp';
    const home = 'https://home.example.com/mcp';
    const secret = { token_endpoint_auth_method: 'client_secret_basic' as const, client_secret: 'rs' };
    const at = await start({
      as: {
        resource: [home, other],
        clients: [CLIENT, { client_id: home, ...secret }, { client_id: other, ...secret }],
      },
      auth: { audience: home },
    });
    const { tokens } = await obtain({ ...at, resource: home });
    const ask = async (as: string): Promise<Record<string, unknown>> =>
      (await postForm(`${at.url}/introspect`, { token: tokens['access_token'] ?? '' }, basic(as, 'rs'))).body;
    expect(await ask(home)).toMatchObject({ active: true, aud: home, client_id: 'desk', sub: 'ada', scope: 'read' });
    expect(await ask(other)).toEqual({ active: false });
    const unknown = await postForm(`${at.url}/introspect`, { token: 'x', client_id: 'desk' });
    expect(unknown.body['error']).toBe('invalid_client');
    // And a resource server that asks is not fooled by a token for another.
    const { introspectionVerifier } = await import('crosspoint/auth/server');
    const verifier = (audience: string) =>
      introspectionVerifier({ endpoint: `${at.url}/introspect`, clientId: audience, clientSecret: 'rs', audience });
    await expect(verifier(home).verifyAccessToken(tokens['access_token'] ?? '')).resolves.toMatchObject({
      clientId: 'desk',
      extra: { sub: 'ada' },
    });
    await expect(verifier(other).verifyAccessToken(tokens['access_token'] ?? '')).rejects.toThrow(
      'expired, was revoked',
    );
  });
});

test('a token endpoint takes forms, not too often', async () => {
  const at = await start({ as: { rateLimit: { max: 3, windowMs: 60_000 } } });
  const statuses: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) statuses.push((await redeem(at, 'x', pkce())).status);
  expect(statuses).toEqual([400, 400, 400, 429]);
  const json400 = await fetch(`${at.url}/revoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(json400.status).toBe(400);
  expect((await fetch(`${at.url}/token`)).status).toBe(405);
});
