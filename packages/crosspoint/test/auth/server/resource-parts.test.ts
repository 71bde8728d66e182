import { SignJWT, exportJWK, generateKeyPair, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  canonicalResource,
  checkResourceAllowed,
  resourceCovers,
  resourceUrlFromServerUrl,
  scopeCovers,
  scopeList,
  scopeUnion,
} from '../../../src/auth/resource-identifier.ts';
import { InsufficientScopeFault, InvalidTokenError } from '../../../src/auth/server/http/oauth-fault.ts';
import { BearerGate } from '../../../src/auth/server/resource/bearer-gate.ts';
import { bearerAuthChallengeResponse, verifyBearerToken } from '../../../src/auth/server/resource/bearer-token.ts';
import { introspectionVerifier } from '../../../src/auth/server/resource/introspection-verifier.ts';
import { findKeys } from '../../../src/auth/server/resource/issuer-keys.ts';
import { jwtVerifier } from '../../../src/auth/server/resource/jwt-verifier.ts';
import { mcpAuthMetadataRouter, oauthMetadataResponse } from '../../../src/auth/server/resource/metadata-router.ts';
import {
  getOAuthProtectedResourceMetadataUrl,
  issuerText,
  metadataPaths,
  protectedResourceMetadata,
} from '../../../src/auth/server/resource/protected-resource.ts';
import { requireBearerAuth, type BearerAuthOptions } from '../../../src/auth/server/resource/require-bearer-auth.ts';
import { isSameResource, requireResource } from '../../../src/auth/server/resource/resource-uri.ts';
import {
  coversScopes,
  hasScopes,
  reachOf,
  readScopes,
  requireScopes,
} from '../../../src/auth/server/resource/scopes.ts';
import { boundKeyOf } from '../../../src/auth/server/resource/token-verifier.ts';
import { memoryStore } from '../../../src/stores/memory.ts';
import type { HttpReply, HttpRequest } from '../../../src/transports/http/server/adapters/exchange.ts';
import type { AuthInfo } from '../../../src/transports/transport.ts';

const ISSUER = 'https://as.example';
const SERVER = 'https://mcp.example/mcp';

describe('scopes', () => {
  it('are read apart, each once; a forbidden character makes the whole text unreadable', () => {
    expect(readScopes('a  b a ')).toEqual(['a', 'b']);
    expect([readScopes(''), readScopes(undefined), readScopes(null)]).toEqual([[], [], []]);
    expect(readScopes('!#[]~')).toEqual(['!#[]~']);
    for (const wrong of ['a b"c', 'a\\b', 'a\tb', 'ä', 'a\u007f']) expect(readScopes(wrong), wrong).toBeUndefined();
  });

  it('of a program are checked, and named in the error', () => {
    expect(requireScopes(['a', 'b', 'a'], 'the server')).toEqual(['a', 'b']);
    expect(() => requireScopes(['a', 'b c'], 'the server')).toThrow('The scope "b c" of the server is malformed');
    expect(() => requireScopes([''], 'x')).toThrow(TypeError);
  });

  it('include others at any depth, also in a circle', () => {
    const hierarchy = { admin: ['write'], write: ['read'], read: ['admin'] };
    expect([...reachOf(['write'], hierarchy)].sort()).toEqual(['admin', 'read', 'write']);
    expect([...reachOf(['toString'], hierarchy)]).toEqual(['toString']);
    expect([...reachOf('ab' as never)]).toEqual([]);
    expect(coversScopes(['admin'], ['read', 'write'], { admin: ['read', 'write'] })).toBe(true);
    expect(coversScopes(['read'], ['read', 'write'])).toBe(false);
    expect([coversScopes([], []), coversScopes(undefined as never, [])]).toEqual([true, true]);
    const visible = hasScopes('a', 'b');
    expect(visible({ authInfo: { scopes: ['b', 'a'] } })).toBe(true);
    expect(visible({ authInfo: { scopes: ['a'] } })).toBe(false);
    expect([visible({ authInfo: undefined }), hasScopes()({ authInfo: undefined })]).toEqual([false, false]);
  });

  it('of a text are listed, joined and compared', () => {
    expect(scopeList(' a\tb a\n')).toEqual(['a', 'b']);
    expect(scopeList(undefined)).toEqual([]);
    expect([scopeUnion('a b', undefined, 'b c'), scopeUnion(undefined, '')]).toEqual(['a b c', undefined]);
    expect([
      scopeCovers('a b', 'b'),
      scopeCovers('a', 'a b'),
      scopeCovers(undefined, ''),
      scopeCovers(undefined, 'a'),
    ]).toEqual([true, false, true, false]);
  });
});

describe('the name of a resource', () => {
  it.each([
    ['HTTPS://MCP.example', 'https://mcp.example'],
    ['https://mcp.example/', 'https://mcp.example'],
    ['https://mcp.example/?a=1', 'https://mcp.example/?a=1'],
    ['https://user:pw@mcp.example/mcp', 'https://mcp.example/mcp'],
    ['https://mcp.example/mcp#x', 'https://mcp.example/mcp'],
  ])('of %s is %s', (url, name) => expect(canonicalResource(url)).toBe(name));

  it.each(['mcp.example', 'ftp://mcp.example', 'xhttps://mcp.example', 'https://mcp.example#x', ''])(
    'cannot be %j',
    (url) => expect(() => requireResource(url)).toThrow(TypeError),
  );

  it('is the same with and without a slash at its end, and in any case', () => {
    expect(requireResource(new URL('HTTP://mcp.example/'))).toBe('http://mcp.example');
    expect(isSameResource('https://MCP.example/mcp/', SERVER)).toBe(true);
    expect(isSameResource(SERVER, 'https://mcp.example/mcp/')).toBe(true);
    for (const other of ['https://mcp.example/mcpx', 'https://mcp.example', 'http://mcp.example/mcp', '', 'x'])
      expect([isSameResource(other, SERVER), isSameResource(SERVER, other)], other).toEqual([false, false]);
    expect(isSameResource(`${SERVER}#x`, SERVER)).toBe(false);
  });

  it.each([
    ['https://mcp.example', SERVER, true],
    ['https://mcp.example/mcp', 'https://mcp.example/mcp/deeper', true],
    ['https://mcp.example/mcp/', SERVER, true],
    ['https://mcp.example/mc', SERVER, false],
    ['https://mcp.example/mcp/deeper', SERVER, false],
    ['https://evil.example/mcp', SERVER, false],
    ['http://mcp.example/mcp', SERVER, false],
    ['https://mcp.example/mcp#x', SERVER, false],
    ['https://mcp.example/mcp?a=1', SERVER, false],
    ['https://mcp.example/mcp?a=1', `${SERVER}?a=1`, true],
    ['https://mcp.example/mcp', `${SERVER}?a=1`, true],
    ['no address', SERVER, false],
  ])('%s covers %s: %s', (resource, server, expected) => {
    expect(resourceCovers(resource, server)).toBe(expected);
    expect(checkResourceAllowed({ configuredResource: resource, requestedResource: server })).toBe(expected);
  });

  it('of a server is its address without fragment', () => {
    expect(resourceUrlFromServerUrl(`${SERVER}?a=1#x`).href).toBe(`${SERVER}?a=1`);
  });
});

describe('the metadata of a resource', () => {
  it('has what was given and nothing else', () => {
    expect(protectedResourceMetadata({ resource: SERVER, authorizationServers: [ISSUER] })).toEqual({
      resource: SERVER,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
    });
    const whole = protectedResourceMetadata({
      resource: SERVER,
      authorizationServers: [new URL(ISSUER), `${ISSUER}/`],
      scopesSupported: ['a', 'a'],
      resourceName: 'n',
      serviceDocumentationUrl: new URL('https://docs.example/x'),
      dpop: { required: true, algorithms: ['ES256'] },
    });
    expect(whole).toEqual({
      resource: SERVER,
      authorization_servers: [ISSUER, `${ISSUER}/`],
      scopes_supported: ['a'],
      bearer_methods_supported: ['header'],
      resource_name: 'n',
      resource_documentation: 'https://docs.example/x',
      dpop_signing_alg_values_supported: ['ES256'],
      dpop_bound_access_tokens_required: true,
    });
    const optional = { resource: SERVER, authorizationServers: [ISSUER], dpop: { required: false, algorithms: [] } };
    expect(protectedResourceMetadata(optional)).not.toHaveProperty('dpop_bound_access_tokens_required');
  });

  it('is refused where no client could use it', () => {
    expect(() => protectedResourceMetadata({ resource: SERVER, authorizationServers: [] })).toThrow(/at least one/);
    const scopes = { resource: SERVER, authorizationServers: [ISSUER], scopesSupported: ['offline_access'] };
    expect(() => protectedResourceMetadata(scopes)).toThrow(/offline_access/);
  });

  it('lies between host and path, and at the root; issuers are kept as they are', () => {
    const known = '/.well-known/oauth-protected-resource';
    expect(getOAuthProtectedResourceMetadataUrl(SERVER)).toBe(`https://mcp.example${known}/mcp`);
    expect(metadataPaths(SERVER)).toEqual([`${known}/mcp`, known]);
    expect(metadataPaths('https://mcp.example')).toEqual([known]);
    expect([issuerText(`${ISSUER}/`), issuerText(new URL(ISSUER)), issuerText(new URL(`${ISSUER}/?a=1`))]).toEqual([
      `${ISSUER}/`,
      ISSUER,
      `${ISSUER}/?a=1`,
    ]);
    expect(issuerText(new URL(`${ISSUER}/t/`))).toBe(`${ISSUER}/t/`);
  });

  it('is served to pages of any origin, beside that of the authorization server', async () => {
    const oauthMetadata = {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/a`,
      token_endpoint: `${ISSUER}/t`,
      response_types_supported: [],
    };
    const options = {
      oauthMetadata,
      resourceServerUrl: SERVER,
      scopesSupported: ['s'],
      resourceName: 'n',
      serviceDocumentationUrl: 'https://d.example/',
    };
    const ask = (path: string, method = 'GET'): Response | undefined =>
      oauthMetadataResponse(new Request(`https://mcp.example${path}`, { method }), options as never);
    const own = '/.well-known/oauth-protected-resource/mcp';
    const found = ask(own);
    expect([
      found?.status,
      found?.headers.get('access-control-allow-origin'),
      found?.headers.get('cache-control'),
    ]).toEqual([200, '*', 'public, max-age=300']);
    expect(await found?.json()).toMatchObject({
      resource: SERVER,
      authorization_servers: [ISSUER],
      scopes_supported: ['s'],
      resource_name: 'n',
      resource_documentation: 'https://d.example/',
    });
    expect(await ask('/.well-known/oauth-authorization-server')?.json()).toEqual(oauthMetadata);
    expect([ask('/other'), ask(own, 'HEAD')?.status]).toEqual([undefined, 200]);
    const preflight = ask(own, 'OPTIONS');
    expect([preflight?.status, preflight?.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, OPTIONS']);
    expect(preflight?.headers.get('access-control-allow-headers')).toBe(
      'Content-Type, Authorization, MCP-Protocol-Version',
    );
    const wrong = ask(own, 'POST');
    expect([wrong?.status, wrong?.headers.get('allow'), await wrong?.json()]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      { error: 'method_not_allowed' },
    ]);
    expect(mcpAuthMetadataRouter(options as never)).toBeTypeOf('function');
  });
});

describe('the keys of an issuer', () => {
  type Answers = Record<string, [status: number, body: string]>;
  const found = async (answers: Answers, issuer = ISSUER): Promise<string | [string, unknown[]]> => {
    const asked: unknown[] = [];
    const fetcher = (async (url: string, init: RequestInit) => {
      asked.push([url, init.redirect, (init.headers as Record<string, string>)['accept']]);
      const [status, body] = answers[new URL(url).pathname] ?? [404, ''];
      return new Response(body, { status });
    }) as unknown as typeof fetch;
    return findKeys(issuer, fetcher).then(
      ({ href }): [string, unknown[]] => [href, asked],
      (error: Error) => error.message,
    );
  };
  const metadata = (more: object = {}): string =>
    JSON.stringify({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys`, ...more });
  const [oauth, oidc] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

  it('are where the metadata says, in either of its places, and no redirect is followed', async () => {
    expect(await found({ [oauth]: [200, metadata()] })).toEqual([
      `${ISSUER}/keys`,
      [[`${ISSUER}${oauth}`, 'error', 'application/json']],
    ]);
    for (const first of [
      [404, ''],
      [200, 'no json'],
      [200, ' '.repeat(100_001)],
      [400, metadata()],
    ] as [number, string][])
      expect(await found({ [oauth]: first, [oidc]: [200, metadata()] })).toMatchObject([`${ISSUER}/keys`, [{}, {}]]);
    const large = metadata({ x: '' });
    const fits = metadata({ x: 'y'.repeat(100_000 - large.length) });
    expect(await found({ [oauth]: [200, fits] })).toMatchObject([`${ISSUER}/keys`, [{}]]);
  });

  it('are not taken from metadata of another issuer, without an address, or over plain http', async () => {
    expect(await found({ [oauth]: [200, metadata({ issuer: 'https://evil.example' })] })).toMatch(
      /not of https:\/\/as\.example/,
    );
    expect(await found({ [oauth]: [200, metadata({ jwks_uri: 5 })] })).toMatch(/names no keys/);
    expect(await found({ [oauth]: [200, metadata({ jwks_uri: 'http://as.example/keys' })] })).toMatch(
      /not served over https/,
    );
    expect(await found({ [oauth]: [200, metadata({ jwks_uri: 'http://localhost/keys' })] })).toMatchObject([
      'http://localhost/keys',
      [{}],
    ]);
    expect(await found({ [oauth]: [500, ''] })).toMatch(/answered 500/);
    expect(await found({})).toBe(
      `${ISSUER} has no metadata at ${ISSUER}${oauth} or ${ISSUER}${oidc}: give its keys as jwks.`,
    );
  });
});

describe('a token that the authorization server is asked about', () => {
  const NOW = 1_000_000_000_000;
  const ACTIVE = { active: true, aud: SERVER, client_id: 'app', sub: 'ann', scope: 'a b', exp: NOW / 1000 + 100 };
  function asking(answer: unknown, more: object = {}, status = 200) {
    const asked: RequestInit[] = [];
    let now = NOW;
    const verifier = introspectionVerifier({
      endpoint: `${ISSUER}/introspect`,
      clientId: 'id:1',
      clientSecret: 'se cret',
      audience: SERVER,
      now: () => now,
      fetch: (async (_url: unknown, init: RequestInit) => (
        asked.push(init),
        Response.json(answer, { status })
      )) as typeof fetch,
      ...more,
    });
    return {
      asked,
      pass: (ms: number) => void (now += ms),
      verify: (token = 'tok') => verifier.verifyAccessToken(token),
    };
  }

  it('is one where the answer says so, for this server', async () => {
    const { asked, verify } = asking(ACTIVE);
    expect(await verify()).toEqual({
      token: 'tok',
      clientId: 'app',
      scopes: ['a', 'b'],
      expiresAt: ACTIVE.exp,
      resource: new URL(SERVER),
      extra: ACTIVE,
    });
    const [init] = asked;
    expect([init?.method, init?.redirect, String(init?.body as URLSearchParams)]).toEqual([
      'POST',
      'error',
      'token=tok&token_type_hint=access_token',
    ]);
    expect(init?.headers).toEqual({ authorization: `Basic ${btoa('id%3A1:se%20cret')}`, accept: 'application/json' });
  });

  it.each([
    [{ ...ACTIVE, active: false }, 'unknown'],
    [{ ...ACTIVE, active: 'true' }, 'unknown'],
    [{ ...ACTIVE, exp: NOW / 1000 }, 'The token has expired.'],
    [{ ...ACTIVE, aud: 'https://other.example' }, 'another server'],
    [{ ...ACTIVE, aud: undefined }, 'another server'],
    [{ ...ACTIVE, aud: [5] }, 'another server'],
    [{ ...ACTIVE, client_id: '', sub: 5 }, 'neither a client nor a user'],
  ])('is none with %j', async (answer, message) => {
    const error = await asking(answer)
      .verify()
      .catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(InvalidTokenError);
    expect((error as Error).message).toContain(message);
  });

  it('is read leniently where that gives nobody more', async () => {
    const bare = { active: true, aud: ['x', `${SERVER}/`], sub: 'ann', scope: 5 };
    expect(await asking(bare).verify()).toEqual({
      token: 'tok',
      clientId: 'ann',
      scopes: [],
      resource: new URL(`${SERVER}/`),
      extra: bare,
    });
    expect((await asking({ ...ACTIVE, scope: 'a"b' }).verify()).scopes).toEqual([]);
    const named = { ...ACTIVE, aud: 'my-api', exp: 'soon' };
    expect(await asking(named, { audience: ['other', 'my-api'] }).verify()).not.toHaveProperty('resource');
    expect(await asking(named, { audience: ['my-api'] }).verify()).not.toHaveProperty('expiresAt');
    expect(() => asking(ACTIVE, { audience: [] })).toThrow(/at least one audience/);
  });

  it('is no fault of the token where the endpoint fails', async () => {
    const error = await asking({}, {}, 500)
      .verify()
      .catch((failure: unknown) => failure);
    expect(error).not.toBeInstanceOf(InvalidTokenError);
    expect((error as Error).message).toContain('answered 500');
  });

  it('is remembered for ten seconds, never longer than it lives, and by itself', async () => {
    const long = asking(ACTIVE);
    await long.verify();
    long.pass(9999);
    expect((await long.verify()).token).toBe('tok');
    expect(long.asked).toHaveLength(1);
    await long.verify('other');
    expect(long.asked).toHaveLength(2);
    long.pass(1);
    await long.verify();
    expect(long.asked).toHaveLength(3);
    const short = asking({ ...ACTIVE, exp: NOW / 1000 + 5 });
    await short.verify();
    short.pass(4999);
    await short.verify();
    expect(short.asked).toHaveLength(1);
    short.pass(1);
    await expect(short.verify()).rejects.toThrow('expired');
    const never = asking(ACTIVE, { rememberMs: 0 });
    await never.verify();
    await never.verify();
    expect(never.asked).toHaveLength(2);
  });
});

describe('a signed token', async () => {
  const NOW = 1_000_000_000_000;
  const seconds = NOW / 1000;
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const other = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] };
  const CLAIMS = { iss: ISSUER, aud: SERVER, exp: seconds + 100, sub: 'ann', client_id: 'app', scope: 'a b' };
  const sign = (claims: JWTPayload, header: object = {}, key = privateKey): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt', ...header }).sign(key);
  const verify = async (token: string, more: object = {}): Promise<AuthInfo> =>
    jwtVerifier({ issuer: ISSUER, audience: SERVER, jwks, now: () => NOW, ...more }).verifyAccessToken(token);
  const refused = async (claims: JWTPayload, header?: object, key?: typeof privateKey): Promise<string> => {
    const error = await verify(await sign(claims, header, key)).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(InvalidTokenError);
    return (error as Error).message;
  };

  it('names client, scopes, expiry and resource', async () => {
    const token = await sign(CLAIMS);
    expect(await verify(token)).toEqual({
      token,
      clientId: 'app',
      scopes: ['a', 'b'],
      expiresAt: CLAIMS.exp,
      resource: new URL(SERVER),
      extra: CLAIMS,
    });
  });

  it('is refused for each thing that is wrong with it', async () => {
    expect(await refused({ ...CLAIMS, exp: seconds - 31 })).toBe('The token has expired.');
    expect(await refused({ ...CLAIMS, iss: `${ISSUER}/` })).toBe('The token is from another issuer.');
    const { aud: _aud, ...aimless } = CLAIMS;
    expect(await refused(aimless)).toBe('The claim "aud" of the token is missing or wrong.');
    const { exp: _exp, ...endless } = CLAIMS;
    expect(await refused(endless)).toBe('The claim "exp" of the token is missing or wrong.');
    expect(await refused({ ...CLAIMS, nbf: seconds + 31 })).toMatch(/"nbf"/);
    expect(await refused(CLAIMS, {}, other.privateKey)).toMatch(/signature of the token/);
    expect(await refused(CLAIMS, { kid: 'x' })).toMatch(/signature of the token/);
    expect(await refused({ ...CLAIMS, aud: 'https://other.example' })).toMatch(/another server/);
    expect(await refused({ ...CLAIMS, client_id: '', sub: '' })).toMatch(/neither a client nor a user/);
    for (const typ of ['dpop+jwt', 'id+jwt', 'logout+jwt'])
      expect(await refused(CLAIMS, { typ })).toBe('The token is not an access token.');
    await expect(verify('no token')).rejects.toThrow('cannot be read as a signed token');
    await expect(verify(await sign(CLAIMS), { algorithms: ['RS256'] })).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it('is taken with the type in any spelling, within 30 seconds of difference, and from other members', async () => {
    for (const typ of ['JWT', 'application/at+jwt', undefined])
      expect((await verify(await sign(CLAIMS, { typ }))).clientId).toBe('app');
    expect((await verify(await sign({ ...CLAIMS, exp: seconds - 29 }))).clientId).toBe('app');
    const { client_id: _id, scope: _scope, ...rest } = CLAIMS;
    expect(await verify(await sign({ ...rest, azp: 'z', scp: ['c', 'd e', 5] as never }))).toMatchObject({
      clientId: 'z',
      scopes: ['c', 'd', 'e'],
    });
    expect((await verify(await sign({ ...rest, cid: 'y' }))).clientId).toBe('y');
    expect(await verify(await sign(rest))).toMatchObject({ clientId: 'ann', scopes: [] });
  });

  it('is for one of several audiences, which may be names', async () => {
    const named = await verify(await sign({ ...CLAIMS, aud: ['x', 'my-api'] }), { audience: ['y', 'my-api'] });
    expect(named).not.toHaveProperty('resource');
    const slashed = await verify(await sign({ ...CLAIMS, aud: `${SERVER}/` }));
    expect(slashed.resource?.href).toBe(SERVER);
    expect(() => jwtVerifier({ issuer: ISSUER, audience: [], jwks })).toThrow(/at least one audience/);
  });

  it('is verified with keys that are given, found, or fetched; a failure to find them is not kept', async () => {
    const token = await sign(CLAIMS);
    const asked: string[] = [];
    let isDown = true;
    const fetcher = (async (url: string | URL) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      if (pathname === '/keys') return Response.json(jwks);
      return isDown ? new Response('', { status: 503 }) : Response.json({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` });
    }) as typeof fetch;
    const finding = jwtVerifier({ issuer: ISSUER, audience: SERVER, fetch: fetcher, now: () => NOW });
    await expect(finding.verifyAccessToken(token)).rejects.toThrow('answered 503');
    isDown = false;
    await finding.verifyAccessToken(token);
    await finding.verifyAccessToken(token);
    expect(asked.filter((path) => path === '/keys')).toHaveLength(1);
    for (const at of [`${ISSUER}/keys`, new URL(`${ISSUER}/keys`)])
      expect((await verify(token, { jwks: at, fetch: fetcher })).clientId).toBe('app');
    expect((await verify(token, { jwks: async () => publicKey })).clientId).toBe('app');
  });
});

describe('a token checked without a gate', () => {
  const INFO: AuthInfo = {
    token: 'tok',
    clientId: 'app',
    scopes: ['a'],
    expiresAt: Date.now() / 1000 + 100,
    resource: new URL(SERVER),
  };
  const check = (header: string | null | undefined, info: object = INFO, more: object = {}): Promise<AuthInfo> =>
    verifyBearerToken(header, { verifier: { verifyAccessToken: async () => info as AuthInfo }, ...more });

  it('is the one of the header, in its usual form', async () => {
    for (const header of ['Bearer tok', 'bearer  tok ', 'BEARER tok']) expect(await check(header)).toBe(INFO);
    for (const header of [undefined, null, '', 'tok', 'Basic tok', 'Bearer', 'Bearer a b', 'xBearer tok'])
      await expect(check(header)).rejects.toThrow('missing or carries no bearer token');
  });

  it('is refused where it has expired, is for another server, or lacks a scope', async () => {
    await expect(check('Bearer t', { ...INFO, clientId: '' })).rejects.toThrow('could not be verified');
    const { expiresAt: _at, ...endless } = INFO;
    await expect(check('Bearer t', endless)).rejects.toThrow('no expiration time');
    await expect(check('Bearer t', { ...INFO, expiresAt: Date.now() / 1000 - 1 })).rejects.toThrow(
      'The token has expired.',
    );
    expect(await check('Bearer t', INFO, { expectedResource: new URL(SERVER), requiredScopes: ['a'] })).toBe(INFO);
    const elsewhere = { expectedResource: new URL('https://other.example') };
    await expect(check('Bearer t', INFO, elsewhere)).rejects.toThrow('another server');
    await expect(check('Bearer t', { ...INFO, resource: undefined }, elsewhere)).rejects.toThrow('another server');
    await expect(check('Bearer t', INFO, { requiredScopes: ['a', 'b'] })).rejects.toMatchObject({ scopes: ['a', 'b'] });
  });

  it('is refused with a challenge, and other errors are hidden', async () => {
    const refusal = bearerAuthChallengeResponse(new InvalidTokenError('bad "token"'), {
      requiredScopes: ['a', 'b'],
      resourceMetadataUrl: 'https://m.example/',
    });
    expect(refusal.status).toBe(401);
    expect(refusal.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", error_description="bad 'token'", resource_metadata="https://m.example/", scope="a b"`,
    );
    const narrow = bearerAuthChallengeResponse(new InsufficientScopeFault('more'));
    expect([narrow.status, narrow.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", error_description="more"',
    ]);
    const hidden = bearerAuthChallengeResponse(new Error('secret'));
    expect([hidden.status, hidden.headers.get('www-authenticate')]).toEqual([500, null]);
    expect(await hidden.text()).not.toContain('secret');
  });

  it('is bound to a key where it says so', () => {
    expect(boundKeyOf({ ...INFO, extra: { cnf: { jkt: 'k' } } })).toBe('k');
    for (const extra of [undefined, {}, { cnf: {} }, { cnf: { jkt: 5 } }])
      expect(boundKeyOf({ ...INFO, ...(extra && { extra }) })).toBeUndefined();
  });
});

describe('the gate', () => {
  const INFO: AuthInfo = { token: 'tok', clientId: 'app', scopes: ['a'], resource: new URL(SERVER) };
  const request = (headers: Record<string, string> = {}, method = 'POST', path = '/mcp'): HttpRequest =>
    ({ method, path, header: (name: string) => headers[name] }) as unknown as HttpRequest;
  const gateOf = (more: Partial<BearerAuthOptions> = {}, info: unknown = INFO): BearerGate =>
    new BearerGate({ issuer: ISSUER, audience: SERVER, ...more } as BearerAuthOptions, {
      verifyAccessToken: async () => {
        if (info instanceof Error) throw info;
        return info as AuthInfo;
      },
    });
  const META = `resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"`;
  const refusedBy = async (gate: BearerGate, authorization = 'Bearer tok'): Promise<unknown> => {
    const checked = await gate.check(request({ authorization }));
    return 'refused' in checked
      ? [checked.refused.status, checked.refused.headers?.['WWW-Authenticate'], checked.refused.message]
      : checked;
  };

  it('admits a token for this server, with all that its scopes include', async () => {
    const gate = gateOf({ scopes: ['b'], scopeHierarchy: { a: ['b'] } });
    expect(await gate.check(request({ authorization: 'bearer tok' }))).toEqual({
      authInfo: { ...INFO, scopes: ['a', 'b'] },
    });
  });

  it('asks for a token where there is none, without an error', async () => {
    for (const authorization of ['', 'Basic x', 'Bearerx tok'])
      expect(await refusedBy(gateOf({ scopes: ['a', 'b'] }), authorization)).toEqual([
        401,
        `Bearer ${META}, scope="a b"`,
        expect.stringContaining('needs an access token'),
      ]);
    const dpop = { store: memoryStore() };
    const [, both] = (await refusedBy(gateOf({ dpop }), 'x')) as string[];
    expect(both).toMatch(/^Bearer resource_metadata="[^"]+", DPoP resource_metadata="[^"]+", algs="ES256 /);
    const [, only] = (await refusedBy(gateOf({ dpop: { ...dpop, required: true } }), 'x')) as string[];
    expect(only).toMatch(/^DPoP /);
    expect('refused' in (await gateOf().check(request()))).toBe(true);
  });

  it.each(['Bearer', 'Bearer a b', 'Bearer ä', 'Bearer tok,tok', 'DPoP '])(
    'refuses the malformed header %j',
    async (header) => {
      expect(await refusedBy(gateOf(), header)).toMatchObject([
        400,
        expect.stringContaining('error="invalid_request"') as string,
        expect.any(String) as string,
      ]);
    },
  );

  it('refuses a token that is invalid, expired, for another server, or lacks a scope', async () => {
    const refused = async (info: unknown, more?: Partial<BearerAuthOptions>): Promise<string> =>
      String(((await refusedBy(gateOf(more, info))) as unknown[])[1]);
    expect(await refused(new InvalidTokenError('revoked'))).toBe(
      `Bearer error="invalid_token", error_description="revoked", ${META}`,
    );
    const now = (): number => 1_000_000;
    expect(await refused({ ...INFO, expiresAt: 970 }, { now })).toMatch(/The token has expired/);
    expect(
      await gateOf({ now }, { ...INFO, expiresAt: 970.001 }).check(request({ authorization: 'Bearer t' })),
    ).toHaveProperty('authInfo');
    expect(await refused({ ...INFO, resource: new URL('https://other.example') })).toMatch(/another server/);
    expect(await refused({ ...INFO, resource: undefined })).toMatch(/another server/);
    expect(await refused(INFO, { scopes: ['a', 'b'] })).toBe(
      `Bearer error="insufficient_scope", error_description="This needs the scopes: a b.", ${META}, scope="a b"`,
    );
  });

  it('tells the program of a verifier that fails or returns nonsense, and the client to come back or log in', async () => {
    const problems: Error[] = [];
    const onproblem = (problem: Error): void => void problems.push(problem);
    expect(await gateOf({ onproblem }, new Error('down')).check(request({ authorization: 'Bearer t' }))).toEqual({
      refused: { status: 503, headers: { 'Retry-After': '5' }, message: 'The token could not be verified just now.' },
    });
    expect(await refusedBy(gateOf({ onproblem }, { ...INFO, clientId: '' }))).toMatchObject({ 0: 401 });
    expect(problems.map(({ message }) => message)).toEqual([
      'down',
      expect.stringContaining('The verifier returned an invalid AuthInfo. Its clientId'),
    ]);
  });

  it('refuses bound tokens without a proof, and unbound ones where proofs are required', async () => {
    const bound = { ...INFO, extra: { cnf: { jkt: 'k' } } };
    const dpop = { store: memoryStore() };
    const message = async (gate: BearerGate, header?: string): Promise<unknown> =>
      ((await refusedBy(gate, header)) as unknown[])[2];
    expect(await message(gateOf({}, bound))).toMatch(/this server takes no proofs/);
    expect(await message(gateOf({}), 'DPoP tok')).toMatch(/DPoP is not supported/);
    expect(await message(gateOf({ dpop }), 'DPoP tok')).toMatch(/bound to no key/);
    expect(await message(gateOf({ dpop: { ...dpop, required: true } }))).toMatch(/bound to no key/);
    expect(await message(gateOf({ dpop }, bound))).toMatch(/send it as DPoP, with a proof/);
    expect(await message(gateOf({ dpop }, bound), 'DPoP tok')).toMatch(/The DPoP header is missing/);
    expect(await refusedBy(gateOf({ dpop }))).toHaveProperty('authInfo');
  });

  it('names all scopes of an operation in one challenge', () => {
    const gate = gateOf({ scopes: ['a'], scopeHierarchy: { all: ['b'] } });
    expect(gate.refuseScopes(INFO, ['a'])).toBeUndefined();
    expect(gate.refuseScopes({ ...INFO, scopes: ['all'] }, ['b'])).toBeUndefined();
    expect(gate.refuseScopes(undefined, [])).toBeUndefined();
    expect(gate.refuseScopes(undefined, ['b', 'a'])).toMatchObject({
      status: 403,
      headers: { 'WWW-Authenticate': expect.stringContaining('scope="a b"') as string },
    });
  });

  it('serves its document, and nothing where there is none', () => {
    const answered = (gate: BearerGate, method: string, path = '/.well-known/oauth-protected-resource'): unknown => {
      const sent: unknown[] = [];
      const isAnswered = gate.answer(request({}, method, path), {
        send: (...all: unknown[]) => sent.push(...all),
      } as unknown as HttpReply);
      return isAnswered ? sent : false;
    };
    const gate = gateOf({ scopes: ['a'], resourceName: 'n', serviceDocumentationUrl: 'https://d.example/' });
    const headers = {
      'Content-Type': 'application/json',
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
    };
    const [status, sent, body] = answered(gate, 'GET') as [number, object, string];
    expect([status, sent]).toEqual([200, headers]);
    expect(JSON.parse(body)).toMatchObject({
      scopes_supported: ['a'],
      resource_name: 'n',
      resource_documentation: 'https://d.example/',
    });
    expect(answered(gate, 'HEAD')).toEqual([200, headers, undefined]);
    expect(answered(gate, 'OPTIONS')).toEqual([
      204,
      { ...headers, 'Access-Control-Allow-Headers': 'MCP-Protocol-Version' },
    ]);
    expect(answered(gate, 'POST')).toEqual([405, { ...headers, Allow: 'GET, HEAD, OPTIONS' }]);
    expect(answered(gate, 'GET', '/mcp')).toBe(false);
    expect(answered(gateOf({ issuer: undefined as never }), 'GET')).toBe(false);
    const listed = answered(
      gateOf({ authorizationServers: ['https://b.example'], scopesSupported: ['s'] }),
      'GET',
    ) as string[];
    expect(JSON.parse(listed[2] ?? '')).toMatchObject({
      authorization_servers: ['https://b.example'],
      scopes_supported: ['s'],
    });
    expect(JSON.parse((answered(gateOf(), 'GET') as string[])[2] ?? '')).not.toHaveProperty('scopes_supported');
  });

  it('names a document that is served elsewhere', async () => {
    const gate = gateOf({ resourceMetadataUrl: new URL('https://meta.example/x') });
    expect(await refusedBy(gate, 'x')).toMatchObject({
      0: 401,
      1: 'Bearer resource_metadata="https://meta.example/x"',
    });
  });

  it('answers a refusal with JSON that no cache keeps', () => {
    const refuse = (refusal: object): unknown[] => {
      const sent: unknown[] = [];
      gateOf().refuse({ send: (...all: unknown[]) => sent.push(...all) } as unknown as HttpReply, refusal as never);
      return [sent[0], sent[1], JSON.parse(String(sent[2]))];
    };
    const plain = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
    expect(refuse({ status: 401, message: 'say "x"' })).toEqual([
      401,
      plain,
      { error: 'unauthorized', error_description: "say 'x'" },
    ]);
    expect(refuse({ status: 503, message: 'm' })).toEqual([
      503,
      plain,
      { error: 'server_error', error_description: 'm' },
    ]);
    const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token", scope="a"' };
    expect(refuse({ status: 401, headers, message: 'm' })).toEqual([
      401,
      { ...plain, ...headers },
      { error: 'invalid_token', error_description: 'm' },
    ]);
  });

  it('is not made of options that protect nothing', () => {
    expect(() => gateOf({ scopes: ['offline_access'] })).toThrow(/offline_access/);
    expect(() => gateOf({ requiredScopes: ['a b'] })).toThrow(/malformed/);
    expect(() => requireBearerAuth({ audience: SERVER } as BearerAuthOptions)).toThrow(/an issuer or a verifier/);
    expect(() => requireBearerAuth({ issuer: ISSUER } as BearerAuthOptions)).toThrow(/audience must be the URL/);
  });

  it('takes a verifier as a function or an object, and web requests', async () => {
    const verifyAccessToken = async (token: string): Promise<AuthInfo> => ({ ...INFO, token });
    for (const verifier of [verifyAccessToken, { verifyAccessToken }]) {
      const auth = requireBearerAuth({ verifier, audience: SERVER } as BearerAuthOptions);
      const asked = new Request(SERVER, { headers: { authorization: 'Bearer tok' } });
      expect(await auth.authorize(asked)).toEqual(INFO);
      expect(await auth(asked)).toEqual(INFO);
      const refused = await auth(new Request(SERVER));
      expect((refused as Response).status).toBe(401);
      expect(auth.refuseScopes(INFO, ['zzz'])).toMatchObject({ status: 403 });
      expect(await auth.check(request({ authorization: 'Bearer tok' }))).toEqual({ authInfo: INFO });
    }
  });
});
