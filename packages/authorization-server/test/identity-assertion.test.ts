import { SignJWT, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import { afterEach, expect, test } from 'vitest';
import { JWT_BEARER, TOKEN_EXCHANGE, assertionGrant, assertionIssuer } from '../src/index.ts';
import { send, stateless } from '../../crosspoint/test/http/serving.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';
import { bearer, closeStarted, postForm, start, type Started, type TokenReply } from './login-kit.ts';

afterEach(closeStarted);

const SECRET = { client_secret: 's', token_endpoint_auth_method: 'client_secret_basic' as const };
const basic = { authorization: `Basic ${Buffer.from('agent:s').toString('base64')}` };
const { privateKey, publicKey } = await generateKeyPair('ES256');
const jwks = { keys: [await exportJWK(publicKey)] };

/** A company's identity provider and, elsewhere, an authorization server that trusts it. */
async function startBoth(): Promise<{ idp: Started; as: Started; idToken: (more?: object) => Promise<string> }> {
  const idp = await start({
    as: {
      clients: [
        { client_id: 'agent', ...SECRET, grant_types: [TOKEN_EXCHANGE] },
        { client_id: 'public', redirect_uris: [], grant_types: [TOKEN_EXCHANGE] },
      ],
      grantHandlers: new Map([
        [
          TOKEN_EXCHANGE,
          assertionIssuer({
            idTokenKeys: jwks,
            key: privateKey,
            algorithm: 'ES256',
            allow: ({ sub, scopes }) =>
              sub === 'ada' ? { scopes: scopes.filter((scope) => scope === 'read') } : undefined,
          }),
        ],
      ]),
    },
  });
  const as = await start({
    as: {
      clients: [
        { client_id: 'agent', ...SECRET, grant_types: [JWT_BEARER] },
        { client_id: 'other', ...SECRET, grant_types: [JWT_BEARER] },
      ],
      grantHandlers: new Map([[JWT_BEARER, assertionGrant({ trusted: [{ issuer: idp.url, jwks }] })]]),
    },
  });
  const idToken = (more: object = {}): Promise<string> =>
    new SignJWT({ iss: idp.url, sub: 'ada', aud: 'agent', ...more })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey);
  return { idp, as, idToken };
}

interface Exchange {
  readonly fields?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

function exchange(
  idp: Started,
  as: Started,
  subject: string,
  { fields = {}, headers = basic }: Exchange = {},
): Promise<TokenReply> {
  return postForm(
    `${idp.url}/token`,
    {
      grant_type: TOKEN_EXCHANGE,
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      subject_token: subject,
      audience: as.url,
      resource: as.resource,
      scope: 'read write',
      ...fields,
    },
    headers,
  );
}

proves('M-AX-012, M-AX-013, M-AX-014').test(
  'an ID token is exchanged for an assertion about one person, one client and one resource',
  async () => {
    const { idp, as, idToken } = await startBoth();
    const { status, body } = await exchange(idp, as, await idToken());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      token_type: 'N_A',
      scope: 'read',
      expires_in: 300,
    });
    const assertion = body['access_token'] ?? '';
    expect(decodeProtectedHeader(assertion).typ).toBe('oauth-id-jag+jwt');
    expect(decodeJwt(assertion)).toEqual({
      iss: idp.url,
      sub: 'ada',
      aud: as.url,
      resource: as.resource,
      client_id: 'agent',
      scope: 'read',
      jti: expect.any(String) as unknown,
      iat: expect.any(Number) as unknown,
      exp: expect.any(Number) as unknown,
    });
    await expect(jwtVerify(assertion, publicKey)).resolves.toBeDefined();
  },
);

proves('M-AX-011').test(
  'an ID token of another client, another issuer, another key or another time is not exchanged',
  async () => {
    const { idp, as, idToken } = await startBoth();
    const { privateKey: stranger } = await generateKeyPair('ES256');
    const forged = await new SignJWT({ iss: idp.url, sub: 'ada', aud: 'agent' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(stranger);
    const attempts = [
      await idToken({ aud: 'other' }),
      await idToken({ iss: 'https://evil.example.com' }),
      forged,
      'junk',
      'a.b.c',
    ];
    for (const subject of attempts) expect((await exchange(idp, as, subject)).body['error']).toBe('invalid_grant');
    expect((await exchange(idp, as, await idToken({ sub: 'bob' }))).body['error']).toBe('access_denied');
    expect(
      (await exchange(idp, as, await idToken({ aud: 'public' }), { fields: { client_id: 'public' }, headers: {} }))
        .body['error'],
    ).toBe('unauthorized_client');
    expect(
      (await exchange(idp, as, await idToken(), { fields: { requested_token_type: 'urn:x' } })).body['error'],
    ).toBe('invalid_request');
  },
);

test('an assertion of a company that allows none of the scopes says so', async () => {
  const { idp, as, idToken } = await startBoth();
  const { body } = await exchange(idp, as, await idToken(), { fields: { scope: 'write' } });
  expect(decodeJwt(body['access_token'] ?? '')).toMatchObject({ scope: '' });
  const fields = { grant_type: JWT_BEARER, assertion: body['access_token'] ?? '' };
  expect((await postForm(`${as.url}/token`, fields, basic)).body['scope']).toBe('');
});

test('an assertion is no ID token, and is issued for an authorization server', async () => {
  const { idp, as, idToken } = await startBoth();
  // For a client, an assertion with its id as the audience would look like an ID token that never has to be renewed by a login.
  for (const audience of ['agent', 'other', 'javascript:x', '/relative', 'urn:x']) {
    const { status, body } = await exchange(idp, as, await idToken(), { fields: { audience } });
    expect([status, body['error']], audience).toEqual([400, 'invalid_target']);
  }
  const forged = await new SignJWT({ iss: idp.url, sub: 'ada', aud: 'agent' })
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt' })
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(privateKey);
  expect((await exchange(idp, as, forged)).body['error']).toBe('invalid_grant');
});

proves('M-AX-016').test('an assertion is accepted for whom, for what and from whom it was issued', async () => {
  const { idp, as, idToken } = await startBoth();
  expect(as.as.metadata.authorization_grant_profiles_supported).toEqual(['urn:ietf:params:oauth:grant-profile:id-jag']);
  const assertion = (await exchange(idp, as, await idToken())).body['access_token'] ?? '';
  const present = (text: string, headers: Record<string, string> = basic) =>
    postForm(`${as.url}/token`, { grant_type: JWT_BEARER, assertion: text }, headers);
  const { status, body } = await present(assertion);
  expect([status, body['scope'], body['refresh_token']]).toEqual([200, 'read', undefined]);
  expect((await send(as, stateless('tools/list', {}, { headers: bearer(body['access_token']) }))).status).toBe(200);
  const verified = await as.as.verifier.verifyAccessToken(body['access_token'] ?? '');
  expect(verified).toMatchObject({ clientId: 'agent', extra: { sub: `${idp.url} ada` } });
  const made = (claims: object, typ = 'oauth-id-jag+jwt', key = privateKey): Promise<string> =>
    new SignJWT({ iss: idp.url, sub: 'ada', aud: as.url, client_id: 'agent', resource: as.resource, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ })
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(key);
  const other = { authorization: `Basic ${Buffer.from('other:s').toString('base64')}` };
  const { privateKey: stranger } = await generateKeyPair('ES256');
  const attempts: [string, string, Record<string, string>?][] = [
    [await made({}, 'JWT'), 'invalid_grant'],
    [await made({ aud: 'https://other.example.com' }), 'invalid_grant'],
    [await made({ iss: 'https://evil.example.com' }), 'invalid_grant'],
    [await made({}, 'oauth-id-jag+jwt', stranger), 'invalid_grant'],
    [await made({ resource: 'https://other.example.com/mcp' }), 'invalid_target'],
    [assertion, 'invalid_grant', other],
    [await idToken({ aud: as.url }), 'invalid_grant'],
  ];
  for (const [text, error, headers] of attempts) expect((await present(text, headers)).body['error']).toBe(error);
});
