import { memoryStore } from 'crosspoint/stores';
import { OAuthError } from 'crosspoint/auth';
import type { HttpRequest } from 'crosspoint/server';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticateClient } from '../src/clients/client-authentication.ts';
import { limitScopes, readRequestedScopes } from '../src/clients/client-scopes.ts';
import type { KnownClient } from '../src/clients/oauth-client.ts';
import { isRegisteredRedirect, redirectFault, targetFault } from '../src/clients/redirect-uri.ts';
import type { Authority } from '../src/issuing/authority.ts';
import { readAddressee, readAuthorizationRequest, readResource } from '../src/issuing/authorization-request.ts';
import {
  askBeforeLeaving,
  denyAuthorization,
  grantCode,
  refuseAuthorization,
} from '../src/issuing/authorization-response.ts';
import { answerAuthorize } from '../src/issuing/authorize-endpoint.ts';
import { Grants, type Grant } from '../src/issuing/grants.ts';
import { answerToken } from '../src/issuing/token-endpoint.ts';

const sha = (text: string): string => createHash('sha256').update(text).digest('base64url');
const SERVER = 'https://mcp.example/mcp';
const ISSUER = 'https://as.example';
const codeOf = (error: unknown): unknown => (error instanceof OAuthError ? error.code : error);
const fault = (run: () => unknown): Promise<unknown> => (async () => run())().then(() => undefined, codeOf);
const client = (more: Partial<KnownClient> = {}): KnownClient => ({
  client_id: 'app',
  origin: 'configured',
  redirect_uris: ['https://app.example/back'],
  ...more,
});

describe('grants', () => {
  const LIFE = { codeSeconds: 60, accessSeconds: 100, refreshSeconds: 1000 };
  const opened = () => {
    let now = 1_000_000_000_500;
    const ended: string[] = [];
    const store = memoryStore({ now: () => now });
    const grants = new Grants(
      store,
      LIFE,
      () => now,
      async ({ id }) => void ended.push(id),
    );
    return { grants, store, ended, pass: (seconds: number) => void (now += seconds * 1000) };
  };
  const GRANT = { clientId: 'app', sub: 'ann', scopes: ['a', 'b'], resource: SERVER };
  const BOUND = { challenge: sha('v'), redirectUri: 'https://app.example/back' };
  const SHOWN = { clientId: 'app', redirectUri: BOUND.redirectUri, verifier: 'v', resource: SERVER };

  it('are made by a code, once, by the client that it was issued to', async () => {
    const { grants, store } = opened();
    const code = await grants.issueCode(GRANT, BOUND);
    expect((await store.keys('')).every((key) => !key.includes(code))).toBe(true);
    expect(await fault(() => grants.redeemCode(code, { ...SHOWN, clientId: 'evil' }))).toBe('invalid_grant');
    expect(await fault(() => grants.redeemCode(code, { ...SHOWN, redirectUri: 'https://evil.example/' }))).toBe(
      'invalid_grant',
    );
    expect(await fault(() => grants.redeemCode(code, { ...SHOWN, verifier: 'w' }))).toBe('invalid_grant');
    expect(await fault(() => grants.redeemCode(code, { ...SHOWN, resource: 'https://other.example' }))).toBe(
      'invalid_target',
    );
    expect(await fault(() => grants.redeemCode('unknown', SHOWN))).toBe('invalid_grant');
    const grant = await grants.redeemCode(code, { ...SHOWN, redirectUri: undefined, resource: undefined });
    expect(grant).toEqual({ ...GRANT, id: expect.any(String) as string });
    expect(await grants.get(grant.id)).toEqual(grant);
  });

  it('end, with every token, when a code or a refresh token comes a second time', async () => {
    const { grants, ended } = opened();
    const code = await grants.issueCode(GRANT, BOUND);
    const grant = await grants.redeemCode(code, SHOWN);
    const { access_token: access } = await grants.issueTokens(grant, { jkt: undefined, refreshable: true });
    expect(await fault(() => grants.redeemCode(code, SHOWN))).toBe('invalid_grant');
    expect([ended, await grants.find(access)]).toEqual([[grant.id], undefined]);
    const second = opened();
    const kept: Grant = { ...GRANT, id: 'g' };
    await second.grants.keep(kept);
    const { refresh_token: refresh = '' } = await second.grants.issueTokens(kept, {
      jkt: undefined,
      refreshable: true,
    });
    const redeem = (): Promise<Grant> =>
      second.grants.redeemRefresh(refresh, { clientId: 'app', jkt: undefined }, () => {});
    expect(await redeem()).toEqual(kept);
    expect(await fault(redeem)).toBe('invalid_grant');
    expect([second.ended, await second.grants.get('g')]).toEqual([['g'], undefined]);
  });

  it('of two uses at once serve one, and end', async () => {
    const { grants, ended } = opened();
    const code = await grants.issueCode(GRANT, BOUND);
    const tries = await Promise.allSettled([grants.redeemCode(code, SHOWN), grants.redeemCode(code, SHOWN)]);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(tries.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    const kept: Grant = { ...GRANT, id: 'g' };
    await grants.keep(kept);
    const { refresh_token: refresh = '' } = await grants.issueTokens(kept, { jkt: undefined, refreshable: true });
    const redeem = (): Promise<Grant> => grants.redeemRefresh(refresh, { clientId: 'app', jkt: undefined }, () => {});
    const both = await Promise.allSettled([redeem(), redeem()]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(ended).toContain('g');
  });

  it('issue tokens with their scopes, lifetime and key', async () => {
    const { grants, pass } = opened();
    const kept: Grant = { ...GRANT, id: 'g' };
    await grants.keep(kept);
    const plain = await grants.issueTokens(kept, { jkt: undefined, refreshable: false });
    expect(plain).toEqual({
      access_token: expect.any(String) as string,
      token_type: 'Bearer',
      expires_in: 100,
      scope: 'a b',
    });
    const bound = await grants.issueTokens(kept, { jkt: 'k', refreshable: true, scopes: ['a'] });
    expect(bound).toMatchObject({ token_type: 'DPoP', scope: 'a', refresh_token: expect.any(String) as string });
    expect(await grants.find(bound.access_token)).toEqual({
      grant: kept,
      access: { grantId: 'g', scopes: ['a'], expiresAt: 1_000_000_100, jkt: 'k' },
    });
    expect((await grants.find(plain.access_token))?.access).not.toHaveProperty('jkt');
    const refresh = bound.refresh_token ?? '';
    for (const jkt of [undefined, 'other'])
      expect(await fault(() => grants.redeemRefresh(refresh, { clientId: 'app', jkt }, () => {}))).toBe(
        'invalid_grant',
      );
    expect(await fault(() => grants.redeemRefresh(refresh, { clientId: 'evil', jkt: 'k' }, () => {}))).toBe(
      'invalid_grant',
    );
    expect(await fault(() => grants.redeemRefresh('unknown', { clientId: 'app', jkt: 'k' }, () => {}))).toBe(
      'invalid_grant',
    );
    const refusing = (): never => {
      throw new OAuthError('invalid_scope', 'x');
    };
    expect(await fault(() => grants.redeemRefresh(refresh, { clientId: 'app', jkt: 'k' }, refusing))).toBe(
      'invalid_scope',
    );
    expect(await grants.redeemRefresh(refresh, { clientId: 'app', jkt: 'k' }, () => {})).toEqual(kept);
    pass(99);
    expect(await grants.find(plain.access_token)).toBeDefined();
    pass(1);
    expect(await grants.find(plain.access_token)).toBeUndefined();
  });

  it('live as long as their last refresh token, codes for a minute, and grants of one token as long as that', async () => {
    const { grants, pass } = opened();
    const code = await grants.issueCode(GRANT, BOUND);
    pass(60);
    expect(await fault(() => grants.redeemCode(code, SHOWN))).toBe('invalid_grant');
    const kept: Grant = { ...GRANT, id: 'g' };
    await grants.keep(kept);
    const { refresh_token: refresh = '' } = await grants.issueTokens(kept, { jkt: undefined, refreshable: true });
    pass(999);
    await grants.redeemRefresh(refresh, { clientId: 'app', jkt: undefined }, () => {});
    pass(999);
    expect(await grants.get('g')).toBeDefined();
    pass(1);
    expect(await grants.get('g')).toBeUndefined();
    const once = await grants.issueOnce({ ...kept, id: 'o' }, 'k');
    expect(once).toMatchObject({ token_type: 'DPoP' });
    expect(once).not.toHaveProperty('refresh_token');
    pass(99);
    expect(await grants.get('o')).toBeDefined();
    pass(1);
    expect(await grants.get('o')).toBeUndefined();
  });

  it('are revoked by a refresh token; an access token goes alone, and only for its client', async () => {
    const { grants, ended } = opened();
    const kept: Grant = { ...GRANT, id: 'g' };
    await grants.keep(kept);
    const one = await grants.issueTokens(kept, { jkt: undefined, refreshable: true });
    const two = await grants.issueTokens(kept, { jkt: undefined, refreshable: true });
    await grants.revoke(one.access_token, 'evil');
    expect(await grants.find(one.access_token)).toBeDefined();
    await grants.revoke(one.access_token, 'app');
    expect([await grants.find(one.access_token), (await grants.find(two.access_token))?.grant]).toEqual([
      undefined,
      kept,
    ]);
    await grants.revoke(two.refresh_token ?? '', 'evil');
    await grants.revoke('unknown', 'app');
    expect(ended).toEqual([]);
    await grants.revoke(two.refresh_token ?? '', 'app');
    expect([ended, await grants.find(two.access_token)]).toEqual([['g'], undefined]);
    await grants.end('unknown');
    expect(ended).toEqual(['g']);
  });
});

describe('an address to redirect to', () => {
  it.each([
    'https://app.example/back?x=1',
    'http://localhost:3000/cb',
    'com.example.app:/cb',
    'HTTPS://app.example',
    `https://app.example/${'x'.repeat(1980)}`,
  ])('may be %.60s', (uri) => expect(targetFault(uri)).toBeUndefined());

  it.each([
    [5, 'absolute'],
    ['/back', 'absolute'],
    [`https://app.example/${'x'.repeat(1981)}`, 'absolute'],
    ['https://app.example/a b', 'characters'],
    ['https://app.example\\evil', 'characters'],
    ['https://app.example/ä', 'characters'],
    ['https://app.example/#x', 'fragment'],
    ['javascript:alert(1)', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['vbscript:x', 'scheme'],
    ['blob:https://a.example/x', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['filesystem:https://a.example/x', 'scheme'],
    ['about:blank', 'scheme'],
    ['view-source:https://a.example', 'scheme'],
    ['https://user@app.example/', 'credentials'],
    ['https://:pw@app.example/', 'credentials'],
    ['https:app.example/', 'host'],
    ['https:///app.example/', 'host'],
    ['http:/app.example', 'host'],
  ])('may not be %s: %s', (uri, reason) => expect(targetFault(uri)).toContain(reason));

  it('is registered for https, and for http on the own machine alone', () => {
    expect([
      redirectFault('https://app.example/'),
      redirectFault('http://127.0.0.1/cb'),
      redirectFault('http://[::1]:5/cb'),
    ]).toEqual([undefined, undefined, undefined]);
    expect(redirectFault('http://app.example/')).toContain('loopback');
    expect(redirectFault('com.example.app:/cb')).toContain('its scheme is com.example.app:');
    expect(redirectFault('https://app.example/#x')).toContain('fragment');
  });

  it('is compared as text, but for the port on the own machine where that is allowed', () => {
    const known = client({
      redirect_uris: ['https://app.example/back', 'http://localhost/cb', 'http://127.0.0.1/cb', 'http://[::1]?a'],
    });
    const is = (uri: string, anyPort = true): boolean => isRegisteredRedirect(known, uri, { anyPort });
    for (const uri of [
      'https://app.example/back',
      'http://localhost/cb',
      'http://localhost:8080/cb',
      'http://127.0.0.1:1/cb',
      'http://[::1]:65535?a',
    ])
      expect(is(uri), uri).toBe(true);
    for (const uri of [
      'https://app.example/back/',
      'https://app.example:8443/back',
      'https://app.example/back?x',
      'http://localhost:0/cb',
      'http://localhost:123456/cb',
      'http://localhost:80x/cb',
      'http://localhost:80@evil.example/cb',
      'http://localhost.evil.example:80/cb',
      'xhttp://localhost:80/cb',
      'http://127.0.0.2:1/cb',
      'https://localhost:8080/cb',
    ])
      expect(is(uri), uri).toBe(false);
    expect(is('http://localhost:8080/cb', false)).toBe(false);
    expect(isRegisteredRedirect(client({ redirect_uris: ['javascript:x'] }), 'javascript:x', { anyPort: true })).toBe(
      false,
    );
    const { redirect_uris: _none, ...bare } = client();
    expect(isRegisteredRedirect(bare, 'https://app.example/back', { anyPort: true })).toBe(false);
  });
});

describe('the scopes of a client', () => {
  const offer = {
    scopes: ['read', 'write', 'admin'],
    openScopes: ['read'],
    defaultScopes: ['read', 'write'],
    hierarchy: { admin: ['write'] },
  };
  const asked = (text: string | null, more: Partial<KnownClient> = {}, rules = {}): Promise<unknown> =>
    (async () => readRequestedScopes(text, client(more), offer, rules))().catch(codeOf);

  it('are those it was configured with, all of them, or none where nobody approves', async () => {
    expect(await asked('read admin')).toEqual(['read', 'admin']);
    expect(await asked('write', { scope: 'admin' })).toEqual(['write']);
    expect(await asked('read', { scope: 'admin' })).toBe('invalid_scope');
    expect(await asked('read', {}, { unattended: true })).toBe('invalid_scope');
    expect(await asked('read', { scope: 'read' }, { unattended: true })).toEqual(['read']);
    expect(await asked('read', { scope: 'a"b' })).toBe('invalid_scope');
  });

  it('are the open ones for a client that anybody could register', async () => {
    for (const origin of ['registered', 'document'] as const) {
      expect(await asked('read', { origin, scope: 'admin' })).toEqual(['read']);
      expect(await asked('write', { origin, scope: 'write' })).toBe('invalid_scope');
    }
  });

  it('are the registered or the default ones where it names none, within the same limit', async () => {
    expect(await asked(null)).toEqual(['read', 'write']);
    expect(await asked('', { scope: 'read' })).toEqual(['read']);
    expect(await asked(null, { origin: 'registered', scope: 'read gone' })).toEqual(['read']);
    expect(await asked(null, { origin: 'registered', scope: '' })).toEqual(['read']);
    expect(await asked(null, { origin: 'document', scope: 'write' })).toEqual(['read']);
    expect(await asked('gone')).toBe('invalid_scope');
    expect(await asked('a"b')).toBe('invalid_scope');
    expect(limitScopes(['read', 'gone'], client(), offer)).toEqual(['read']);
  });
});

describe('the authentication of a client', async () => {
  const NOW = 1_000_000_000_000;
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' };
  const authorityOf = (known: KnownClient, outbound?: unknown): Authority =>
    ({
      issuer: ISSUER,
      base: ISSUER,
      now: () => NOW,
      store: memoryStore({ now: () => NOW }),
      outbound,
      clients: {
        find: async (id: string) => {
          if (id !== known.client_id) throw new OAuthError('invalid_client', 'unknown');
          return known;
        },
      },
    }) as unknown as Authority;
  const authenticate = (
    known: KnownClient,
    form: Record<string, string>,
    authorization?: string,
    authority = authorityOf(known),
  ): Promise<unknown> =>
    authenticateClient(
      { header: () => authorization } as unknown as HttpRequest,
      new URLSearchParams(form),
      authority,
    ).catch(codeOf);
  const secret = client({ token_endpoint_auth_method: 'client_secret_basic', secretDigest: sha('s e:c') });
  const basic = (id: string, text: string): string =>
    `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(text)}`)}`;

  it('is the method it registered with; both forms of a secret are one', async () => {
    const open = client();
    expect(await authenticate(open, { client_id: 'app' })).toBe(open);
    expect(await authenticate(secret, {}, basic('app', 's e:c'))).toBe(secret);
    expect(await authenticate(secret, {}, `basic  ${btoa('app:s+e%3Ac')}`)).toBe(secret);
    expect(await authenticate(secret, { client_id: 'app', client_secret: 's e:c' })).toBe(secret);
    expect(await authenticate(secret, { client_id: 'app' })).toBe('invalid_client');
    expect(await authenticate(open, { client_id: 'app', client_secret: 'x' })).toBe('invalid_client');
    expect(await authenticate(open, {})).toBe('invalid_client');
    expect(await authenticate(secret, { client_id: 'app', client_secret: '' })).toBe('invalid_client');
  });

  it('is refused in two ways at once, for two clients, with a wrong secret or an expired one', async () => {
    expect(await authenticate(secret, { client_secret: 'x' }, basic('app', 's e:c'))).toBe('invalid_request');
    expect(await authenticate(secret, { client_assertion: 'x', client_secret: 'x' })).toBe('invalid_request');
    expect(await authenticate(secret, { client_id: 'other' }, basic('app', 's e:c'))).toBe('invalid_client');
    expect(await authenticate(secret, { client_id: 'app' }, basic('app', 's e:c'))).toBe(secret);
    expect(await authenticate(secret, {}, basic('app', 'wrong'))).toBe('invalid_client');
    for (const header of [
      'Basic',
      'Basic %%%',
      `Basic ${btoa('nocolon')}`,
      `Basic ${btoa('app:%E0')}`,
      'Bearer x',
      `xBasic ${btoa('app:s')}`,
    ])
      expect(await authenticate(secret, {}, header), header).toBe('invalid_client');
    const expiring = (at: number): KnownClient => ({ ...secret, client_secret_expires_at: at });
    expect(await authenticate(expiring(NOW / 1000), {}, basic('app', 's e:c'))).toBe('invalid_client');
    expect(await authenticate(expiring(NOW / 1000 + 1), {}, basic('app', 's e:c'))).toMatchObject({ client_id: 'app' });
    expect(await authenticate(expiring(0), {}, basic('app', 's e:c'))).toMatchObject({ client_id: 'app' });
    const { secretDigest: _digest, ...without } = secret;
    expect(await authenticate(without, {}, basic('app', ''))).toBe('invalid_client');
  });

  const signing = client({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } });
  const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const CLAIMS = { iss: 'app', sub: 'app', aud: ISSUER, exp: NOW / 1000 + 60, jti: 'j' };
  const assertion = (claims: object): Promise<string> =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(privateKey);
  const present = async (
    claims: object,
    more: Record<string, string> = {},
    authority = authorityOf(signing),
  ): Promise<unknown> =>
    authenticate(
      signing,
      { client_assertion_type: TYPE, client_assertion: await assertion(claims), ...more },
      undefined,
      authority,
    );

  it('by an assertion is for one use, for this server, and not for long', async () => {
    expect(await present(CLAIMS)).toBe(signing);
    expect(await present({ ...CLAIMS, aud: `${ISSUER}/token` }, { client_id: 'app' })).toBe(signing);
    const authority = authorityOf(signing);
    expect([await present(CLAIMS, {}, authority), await present(CLAIMS, {}, authority)]).toEqual([
      signing,
      'invalid_client',
    ]);
    expect(await present({ ...CLAIMS, exp: NOW / 1000 + 3540, jti: 'x'.repeat(200) })).toBe(signing);
    for (const wrong of [
      { ...CLAIMS, aud: 'https://other.example' },
      { ...CLAIMS, iss: 'other' },
      { ...CLAIMS, exp: NOW / 1000 - 31 },
      { ...CLAIMS, exp: NOW / 1000 + 3541 },
      { ...CLAIMS, exp: undefined },
      { ...CLAIMS, jti: undefined },
      { ...CLAIMS, jti: '' },
      { ...CLAIMS, jti: 'x'.repeat(201) },
      { ...CLAIMS, sub: undefined },
    ])
      expect(await present(wrong), JSON.stringify(wrong)).toBe('invalid_client');
    expect(await present(CLAIMS, { client_assertion_type: 'other' })).toBe('invalid_client');
    expect(await authenticate(signing, { client_assertion_type: TYPE, client_assertion: 'no jwt' })).toBe(
      'invalid_client',
    );
    const other = (await generateKeyPair('ES256')).privateKey;
    const forged = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(other);
    expect(await authenticate(signing, { client_assertion_type: TYPE, client_assertion: forged })).toBe(
      'invalid_client',
    );
  });

  it('by an assertion needs keys: those of the client, or those at its address', async () => {
    const { jwks: _jwks, ...keyless } = signing;
    const form = async (): Promise<Record<string, string>> => ({
      client_assertion_type: TYPE,
      client_assertion: await assertion(CLAIMS),
    });
    expect(await authenticate(keyless, await form())).toBe('invalid_client');
    const at: KnownClient = { ...keyless, jwks_uri: 'https://app.example/keys' };
    const asked: unknown[] = [];
    const outbound =
      (status: number, body: string) =>
      async (...all: unknown[]) => (asked.push(all), new Response(body, { status }));
    expect(
      await authenticate(at, await form(), undefined, authorityOf(at, outbound(200, JSON.stringify({ keys: [jwk] })))),
    ).toBe(at);
    expect(asked).toEqual([['https://app.example/keys', { headers: { accept: 'application/json' } }]]);
    for (const [status, body] of [
      [404, '{}'],
      [200, 'no json'],
      [200, '{}'],
    ] as const)
      expect(await authenticate(at, await form(), undefined, authorityOf(at, outbound(status, body)))).toBe(
        'invalid_client',
      );
  });
});

describe('an authorization request', () => {
  const known = client();
  const authority = {
    issuer: ISSUER,
    resources: [SERVER],
    scopes: ['read'],
    openScopes: ['read'],
    defaultScopes: ['read'],
    hierarchy: {},
    login: {},
    clients: {
      find: async (id: string) => {
        if (id !== 'app') throw new OAuthError('invalid_client', 'unknown');
        return known;
      },
    },
  } as unknown as Authority;
  const QUERY = { client_id: 'app', redirect_uri: 'https://app.example/back', state: 's' };
  const addressee = (more: Record<string, string | undefined> = {}, at = authority): Promise<unknown> => {
    const all = Object.entries({ ...QUERY, ...more }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return readAddressee(new URLSearchParams(all).toString(), at).catch(codeOf);
  };

  it('names a client and one of its addresses, which may be left out where there is one', async () => {
    const to = { client: known, redirectUri: 'https://app.example/back', state: 's' };
    expect(await addressee()).toEqual(to);
    expect(await addressee({ redirect_uri: undefined, state: undefined })).toEqual({ ...to, state: undefined });
    expect(await addressee({ redirect_uri: 'https://evil.example/' })).toBe('invalid_request');
    expect(await addressee({ client_id: undefined })).toBe('invalid_request');
    expect(await addressee({ client_id: 'other' })).toBe('invalid_client');
    const several = {
      ...authority,
      clients: { find: async () => client({ redirect_uris: ['https://a.example/', 'https://b.example/'] }) },
    } as unknown as Authority;
    expect(await addressee({ redirect_uri: undefined }, several)).toBe('invalid_request');
    expect(await fault(() => readAddressee('client_id=app&state=1&state=2', authority))).toBe('invalid_request');
    const pad = (length: number): string => {
      const start = `client_id=app&x=`;
      return `${start}${'y'.repeat(length - start.length)}`;
    };
    expect([
      await fault(() => readAddressee(pad(8192), authority)),
      await fault(() => readAddressee(pad(8193), authority)),
    ]).toEqual([undefined, 'invalid_request']);
    const local = client({ redirect_uris: ['http://localhost/cb'] });
    const exact = (isExact: boolean): Authority =>
      ({
        ...authority,
        login: { exactRedirects: isExact },
        clients: { find: async () => local },
      }) as unknown as Authority;
    expect(await addressee({ redirect_uri: 'http://localhost:5/cb' }, exact(false))).toMatchObject({ client: local });
    expect(await addressee({ redirect_uri: 'http://localhost:5/cb' }, exact(true))).toBe('invalid_request');
  });

  const CHALLENGE = sha('v');
  const read = (more: Record<string, string | undefined> = {}, of: KnownClient = known): Promise<unknown> => {
    const all = { response_type: 'code', code_challenge: CHALLENGE, code_challenge_method: 'S256', ...more };
    const query = new URLSearchParams(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ).toString();
    return (async () =>
      readAuthorizationRequest(query, { client: of, redirectUri: 'r', state: 's' }, authority))().catch(codeOf);
  };

  it('asks for a code, with PKCE, for a resource and scopes of this server', async () => {
    expect(await read({ scope: 'read', resource: `${SERVER}/` })).toMatchObject({
      client: known,
      redirectUri: 'r',
      state: 's',
      scopes: ['read'],
      challenge: CHALLENGE,
      resource: SERVER,
      query: expect.stringContaining('response_type=code') as string,
    });
    expect(await read({ response_type: 'token' })).toBe('unsupported_response_type');
    expect(await read({ response_type: undefined })).toBe('invalid_request');
    expect(await read({}, client({ grant_types: ['client_credentials'] }))).toBe('unauthorized_client');
    for (const wrong of [
      { code_challenge: undefined },
      { code_challenge: '' },
      { code_challenge_method: 'plain' },
      { code_challenge_method: undefined },
      { code_challenge: `${CHALLENGE}x` },
      { code_challenge: CHALLENGE.slice(1) },
      { code_challenge: `${CHALLENGE.slice(1)}.` },
    ])
      expect(await read(wrong), JSON.stringify(wrong)).toBe('invalid_request');
    expect(await read({ scope: 'other' })).toBe('invalid_scope');
    expect(await read({ resource: 'https://other.example' })).toBe('invalid_target');
  });

  it('names one resource, or none where there is one', async () => {
    const two = { ...authority, resources: [SERVER, 'https://b.example'] } as unknown as Authority;
    expect(readResource(new URLSearchParams(), authority)).toBe(SERVER);
    expect(readResource(new URLSearchParams({ resource: 'https://b.example/' }), two)).toBe('https://b.example');
    expect(await fault(() => readResource(new URLSearchParams(), two))).toBe('invalid_target');
    expect(
      await fault(() => readResource(new URLSearchParams(), { ...authority, resources: [] } as unknown as Authority)),
    ).toBe('invalid_target');
    expect(
      await fault(() =>
        readResource(
          new URLSearchParams([
            ['resource', SERVER],
            ['resource', SERVER],
          ]),
          authority,
        ),
      ),
    ).toBe('invalid_target');
  });

  it('is answered with the code, the state and the issuer', async () => {
    const issued: unknown[] = [];
    const used: unknown[] = [];
    const at = {
      ...authority,
      grants: { issueCode: async (...all: unknown[]) => (issued.push(all), 'C') },
      clients: { used: async (one: unknown) => void used.push(one) },
    } as unknown as Authority;
    const request = {
      client: known,
      redirectUri: 'https://app.example/back?x=1',
      state: 's',
      scopes: ['read'],
      challenge: 'c',
      resource: SERVER,
      query: '',
    };
    const answer = await grantCode(
      at,
      request,
      { sub: 'ann', name: 'Ann' },
      { upstream: 'u', headers: { 'X-A': '1' } },
    );
    expect(answer.headers['Location']).toBe('https://app.example/back?x=1&code=C&state=s&iss=https%3A%2F%2Fas.example');
    expect(answer.headers['X-A']).toBe('1');
    expect(issued).toEqual([
      [
        { clientId: 'app', sub: 'ann', name: 'Ann', scopes: ['read'], resource: SERVER, upstream: 'u' },
        { challenge: 'c', redirectUri: request.redirectUri },
      ],
    ]);
    expect(used).toEqual([known]);
    await grantCode(at, request, { sub: 'bob' });
    expect(issued[1]).toEqual([{ clientId: 'app', sub: 'bob', scopes: ['read'], resource: SERVER }, expect.anything()]);
    const to = { client: known, redirectUri: 'https://app.example/back', state: undefined };
    const refused = refuseAuthorization(at, to, new OAuthError('invalid_scope', 'no'));
    expect(refused.headers['Location']).toBe(
      'https://app.example/back?error=invalid_scope&error_description=no&iss=https%3A%2F%2Fas.example',
    );
    expect(denyAuthorization(at, to).headers['Location']).toContain('error=access_denied');
    const page = askBeforeLeaving(refused, new OAuthError('invalid_scope', 'no'));
    expect([page.status, page.headers['Location']]).toEqual([400, undefined]);
    expect(String(page.body)).toContain('app.example');
    const home = refuseAuthorization(
      at,
      { ...to, redirectUri: 'http://127.0.0.1/cb' },
      new OAuthError('invalid_scope', 'no'),
    );
    expect(askBeforeLeaving(home, new OAuthError('invalid_scope', 'no'))).toBe(home);
  });

  it('that fails is told to the client, or to the user where no address is safe', async () => {
    const problems: Error[] = [];
    const answered = async (
      query: string,
      proceed: () => unknown = () => ({ status: 200, headers: {} }),
      of = known,
    ): Promise<unknown> => {
      const at = {
        ...authority,
        base: ISSUER,
        login: { proceed },
        clients: { find: async () => of },
        onproblem: (problem: Error) => void problems.push(problem),
      } as unknown as Authority;
      const { status, headers } = await answerAuthorize({ method: 'GET', query } as unknown as HttpRequest, at);
      return [status, headers['Location']];
    };
    const good = `client_id=app&response_type=code&code_challenge=${CHALLENGE}&code_challenge_method=S256`;
    expect(await answered(good)).toEqual([200, undefined]);
    expect(await answered('client_id=app&redirect_uri=https://evil.example/')).toEqual([400, undefined]);
    expect(await answered('client_id=app')).toMatchObject({
      1: expect.stringContaining('https://app.example/back?error=invalid_request') as string,
    });
    const failing = (error: Error) => (): never => {
      throw error;
    };
    expect(await answered(good, failing(new OAuthError('access_denied', 'no')))).toMatchObject({
      1: expect.stringContaining('error=access_denied') as string,
    });
    expect(await answered(good, failing(new Error('secret')))).toMatchObject({
      1: expect.stringContaining('error=server_error') as string,
    });
    expect(problems.map(({ message }) => message)).toEqual(['secret']);
    expect(await answered('client_id=app', undefined, client({ origin: 'registered' }))).toEqual([400, undefined]);
  });
});

describe('the token endpoint', () => {
  const LIFE = { codeSeconds: 60, accessSeconds: 100, refreshSeconds: 1000 };
  function opened(of: KnownClient = client(), more: object = {}) {
    const store = memoryStore();
    const grants = new Grants(store, LIFE, Date.now, async () => {});
    const authority = {
      issuer: ISSUER,
      base: ISSUER,
      store,
      grants,
      now: Date.now,
      resources: [SERVER],
      scopes: ['read', 'write'],
      openScopes: ['read'],
      defaultScopes: ['read'],
      hierarchy: {},
      login: {},
      proofs: { check: async (proof: string) => `thumb of ${proof}` },
      clients: { find: async () => of },
      ...more,
    } as unknown as Authority;
    const ask = (
      form: Record<string, string>,
      headers: Record<string, string> = {},
      further = new Map(),
    ): Promise<unknown> => {
      const all: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
      const request = {
        method: 'POST',
        header: (name: string) => all[name],
        readText: async () => new URLSearchParams(form).toString(),
      };
      return answerToken(request as unknown as HttpRequest, authority, further).then(
        ({ body }) => JSON.parse(String(body)) as unknown,
        codeOf,
      );
    };
    return { grants, ask };
  }
  const VERIFIER = 'v'.repeat(43);
  const codeFor = (grants: Grants, scopes = ['read']): Promise<string> =>
    grants.issueCode(
      { clientId: 'app', sub: 'ann', scopes, resource: SERVER },
      { challenge: sha(VERIFIER), redirectUri: 'https://app.example/back' },
    );

  it('exchanges a code, with its verifier', async () => {
    const { grants, ask } = opened();
    const form = async (more: object = {}): Promise<Record<string, string>> => ({
      grant_type: 'authorization_code',
      client_id: 'app',
      code: await codeFor(grants),
      code_verifier: VERIFIER,
      ...more,
    });
    expect(await ask(await form({ redirect_uri: 'https://app.example/back', resource: SERVER }))).toMatchObject({
      token_type: 'Bearer',
      scope: 'read',
      refresh_token: expect.any(String) as string,
    });
    expect(await ask(await form(), { dpop: 'p' })).toMatchObject({ token_type: 'DPoP' });
    for (const verifier of ['v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(42)}!`, 'w'.repeat(43)])
      expect(await ask(await form({ code_verifier: verifier }))).toBe('invalid_grant');
    expect(await ask(await form({ code_verifier: '' }))).toBe('invalid_request');
    expect(await ask(await form({ redirect_uri: 'https://evil.example/' }))).toBe('invalid_grant');
    expect(await ask(await form({ resource: 'https://other.example' }))).toBe('invalid_target');
    const plain = opened(client({ grant_types: ['authorization_code'] }));
    const answer = await plain.ask({
      grant_type: 'authorization_code',
      client_id: 'app',
      code: await codeFor(plain.grants),
      code_verifier: VERIFIER,
    });
    expect(answer).not.toHaveProperty('refresh_token');
  });

  it('refreshes within what was granted and is still allowed', async () => {
    const refreshed = async (
      more: Record<string, string>,
      of?: KnownClient,
      options: object = {},
    ): Promise<unknown> => {
      const { grants, ask } = opened(of, options);
      const grant: Grant = { id: 'g', clientId: 'app', scopes: ['read', 'write'], resource: SERVER };
      await grants.keep(grant);
      const { refresh_token: token = '' } = await grants.issueTokens(grant, { jkt: undefined, refreshable: true });
      const answer = await ask({ grant_type: 'refresh_token', client_id: 'app', refresh_token: token, ...more });
      return typeof answer === 'object'
        ? (answer as { scope: string }).scope
        : [answer, (await grants.get('g')) !== undefined];
    };
    expect(await refreshed({})).toBe('read write');
    expect(await refreshed({ scope: 'read', resource: SERVER })).toBe('read');
    expect(await refreshed({ scope: 'read admin' })).toEqual(['invalid_scope', true]);
    expect(await refreshed({ scope: 'a"b' })).toEqual(['invalid_scope', true]);
    expect(await refreshed({ resource: 'https://other.example' })).toEqual(['invalid_target', true]);
    expect(await refreshed({}, client({ scope: 'read' }))).toBe('read');
    expect(await refreshed({}, undefined, { login: { confirm: async () => false } })).toEqual(['invalid_grant', false]);
    expect(await refreshed({}, undefined, { login: { confirm: async () => true } })).toBe('read write');
    expect(await refreshed({}, client({ grant_types: ['authorization_code'] }))).toEqual(['unauthorized_client', true]);
  });

  it('lets a client with credentials act for itself, and no other', async () => {
    const secret = client({
      token_endpoint_auth_method: 'client_secret_post',
      secretDigest: sha('s'),
      scope: 'read',
      grant_types: ['client_credentials'],
    });
    const form = { grant_type: 'client_credentials', client_id: 'app', client_secret: 's' };
    const answer = await opened(secret).ask(form);
    expect(answer).toMatchObject({ scope: 'read', token_type: 'Bearer' });
    expect(answer).not.toHaveProperty('refresh_token');
    expect(await opened(secret).ask({ ...form, scope: 'write' })).toBe('invalid_scope');
    expect(await opened({ ...secret, origin: 'registered' }).ask(form)).toBe('unauthorized_client');
    expect(
      await opened(client({ grant_types: ['client_credentials'] })).ask({
        grant_type: 'client_credentials',
        client_id: 'app',
      }),
    ).toBe('unauthorized_client');
  });

  it('knows further grants, and no unknown ones; a bad proof is a bad request', async () => {
    const own = opened(client({ grant_types: ['urn:own'] }));
    const further = new Map([['urn:own', async ({ jkt }: { jkt: string | undefined }) => ({ jkt })]]);
    expect(await own.ask({ grant_type: 'urn:own', client_id: 'app' }, { dpop: 'p' }, further as never)).toEqual({
      jkt: 'thumb of p',
    });
    expect(await own.ask({ grant_type: 'urn:other', client_id: 'app' })).toBe('unsupported_grant_type');
    expect(await own.ask({ client_id: 'app' })).toBe('invalid_request');
    expect(await own.ask({ grant_type: 'urn:own', client_id: 'app' }, { 'content-type': 'text/plain' })).toBe(
      'invalid_request',
    );
  });
});
