import { afterEach, describe, expect, test } from 'vitest';
import {
  JWT_BEARER,
  TOKEN_EXCHANGE,
  assertionGrant,
  assertionIssuer,
  passwordLogin,
  unattendedLogin,
} from '../src/index.ts';
import { generateKeyPair } from 'jose';
import { FORM, HOSTILE, LONG, MARKUP, encode, expectCalm, send, variants, type Fields } from './hostile-requests.ts';
import {
  Browser,
  CALLBACK,
  CLIENT,
  authorizeUrl,
  closeStarted,
  obtain,
  pkce,
  start,
  type Started,
} from './login-kit.ts';

afterEach(closeStarted);

const LIMITS = {
  rateLimit: { max: 1_000_000, windowMs: 60_000 },
  registration: { maxPerHour: 1e6, maxPerHourOfAll: 1e6 },
};
const METADATA = {
  redirect_uris: [CALLBACK],
  client_name: 'n',
  client_uri: 'https://c.example.com',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'web',
  scope: 'read',
  jwks: { keys: [] },
  jwks_uri: 'https://k.example.com',
};
const VALUES: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  MARKUP,
  '\0',
  '\ud800',
  'x'.repeat(5000),
  [],
  [[]],
  [null],
  {},
  { toString: 1 },
];

describe('no request makes the embedded authorization server fail', () => {
  async function startWhole(): Promise<Started> {
    const { privateKey } = await generateKeyPair('ES256');
    const keys = { keys: [] };
    const issuer = assertionIssuer({ idTokenKeys: keys, key: privateKey, algorithm: 'ES256', allow: () => undefined });
    const machine = {
      client_id: 'machine',
      client_secret: 's',
      token_endpoint_auth_method: 'client_secret_post' as const,
      grant_types: ['client_credentials', JWT_BEARER, TOKEN_EXCHANGE],
    };
    return start({
      as: {
        ...LIMITS,
        login: passwordLogin({ check: () => undefined }),
        clients: [CLIENT, machine],
        grantHandlers: new Map([
          [JWT_BEARER, assertionGrant({ trusted: [{ issuer: 'https://idp.example.com', jwks: keys }] })],
          [TOKEN_EXCHANGE, issuer],
        ]),
      },
    });
  }

  test('at the authorization endpoint, whatever a parameter or the form holds', async () => {
    const at = await startWhole();
    const fields = Object.fromEntries(new URL(authorizeUrl(at, pkce(), { prompt: 'none' })).searchParams);
    for (const query of variants(fields)) expectCalm(await send(`${at.url}/authorize?${query}`, {}), query.slice(-80));
    const page = `${at.url}/authorize?${encode(fields)}`;
    for (const form of variants({ action: 'approve', token: '1.x', username: 'ada', password: 'p' })) {
      const posted = await send(page, { method: 'POST', body: form, headers: { ...FORM, origin: at.url } });
      expectCalm(posted, form.slice(-80));
      expect(posted.text, 'nobody has logged in').not.toContain('Allow access?');
    }
    for (const form of variants({ username: 'ada', password: 'p' }))
      expectCalm(
        await send(`${at.url}/login?return_to=%2F`, {
          method: 'POST',
          body: form,
          headers: { ...FORM, origin: at.url },
        }),
        form.slice(-80),
      );
    for (const value of HOSTILE) expectCalm(await send(`${at.url}/login?return_to=${value}`, {}), value);
    expect(at.problems).toEqual([]);
  });

  test('at the endpoints for programs, whatever a field holds', async () => {
    const at = await startWhole();
    const secret = { client_id: 'machine', client_secret: 's' };
    const forms: [string, Fields][] = [
      [
        'token',
        {
          grant_type: 'authorization_code',
          client_id: 'desk',
          code: 'c',
          code_verifier: 'v'.repeat(43),
          redirect_uri: CALLBACK,
          resource: at.resource,
        },
      ],
      [
        'token',
        { grant_type: 'refresh_token', client_id: 'desk', refresh_token: 'r', scope: 'read', resource: at.resource },
      ],
      ['token', { ...secret, grant_type: 'client_credentials', scope: '', resource: at.resource }],
      ['token', { ...secret, grant_type: JWT_BEARER, assertion: 'a.b.c', scope: 'read' }],
      [
        'token',
        {
          ...secret,
          grant_type: TOKEN_EXCHANGE,
          requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
          subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
          subject_token: 'a.b.c',
          audience: 'https://x.example.com',
          resource: 'https://x.example.com',
        },
      ],
      [
        'token',
        {
          grant_type: 'client_credentials',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: 'a.b.c',
        },
      ],
      ['revoke', { client_id: 'desk', token: 't', token_type_hint: 'access_token' }],
      ['introspect', { ...secret, token: 't' }],
    ];
    for (const [path, fields] of forms)
      for (const body of [...variants(fields), `${encode(fields)}&more=${LONG}`])
        expectCalm(
          await send(`${at.url}/${path}`, { method: 'POST', body, headers: FORM }),
          `${path} ${body.slice(-80)}`,
        );
    for (const authorization of [
      '',
      'Basic',
      'Basic ====',
      'Basic JSUl',
      'Basic /w==',
      'Bearer x',
      'Basic OjpO',
      `Basic ${'A'.repeat(5000)}`,
    ])
      for (const path of ['token', 'revoke', 'introspect']) {
        const headers = { ...FORM, authorization };
        expectCalm(
          await send(`${at.url}/${path}`, { method: 'POST', body: 'grant_type=refresh_token', headers }),
          authorization,
        );
      }
    expect(at.problems).toEqual([]);
  });

  test('at the registration, whatever a member is', async () => {
    const at = await startWhole();
    const headers = { 'content-type': 'application/json' };
    const bodies = [
      ...Object.keys(METADATA).flatMap((name) => VALUES.map((value) => JSON.stringify({ ...METADATA, [name]: value }))),
      ...VALUES.map((value) => JSON.stringify({ ...METADATA, redirect_uris: [value] })),
      ...VALUES.map((value) => JSON.stringify(value)),
      '{"__proto__":{"redirect_uris":["https://evil.example.com"]}}',
      '',
      '{',
      '['.repeat(30_000),
      `"${LONG}"`,
    ];
    for (const body of bodies) {
      const { status, text } = await send(`${at.url}/register`, { method: 'POST', body, headers });
      expect(status, body.slice(-200)).toBeLessThan(500);
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    }
    expect(at.problems).toEqual([]);
  });
});

test('an unattended login is for this machine alone, whatever the server listens on', async () => {
  const at = await start({ as: { login: unattendedLogin({ sub: 'x' }) } });
  const visit = (isLoopback: boolean) => at.as.fetch(new Request(authorizeUrl(at, pkce())), { isLoopback });
  expect(new URL((await visit(true)).headers.get('location') ?? '').searchParams.has('code')).toBe(true);
  const away = await visit(false);
  expect(Object.fromEntries(new URL(away.headers.get('location') ?? '').searchParams)).toMatchObject({
    error: 'access_denied',
  });
});

test('passwords of one account are counted together, however its name is written', async () => {
  const at = await start({ as: { login: passwordLogin({ check: () => undefined }) } });
  const names = ['ada', 'ADA', ' ada', 'ada ', 'a\u00adda', 'ada\u0000', 'ａｄａ', 'ada\u200b', 'a da', '\ufeffada'];
  const enter = async (username: string): Promise<number> => {
    const body = new URLSearchParams({ action: 'login', username, password: 'x' });
    return (await fetch(authorizeUrl(at, pkce()), { method: 'POST', body, headers: { origin: at.url } })).status;
  };
  for (const name of names) expect(await enter(name), JSON.stringify(name)).toBe(401);
  expect(await enter('ada')).toBe(429);
  expect(await enter('ada\u200d')).toBe(429);
  expect(await enter('bob')).toBe(401);
});

test('a consent is not skipped by asking for no page', async () => {
  const at = await start();
  const { browser } = await obtain(at);
  const again = await browser.go(authorizeUrl(at, pkce(), { prompt: 'none' }));
  expect(again.html).toContain('Allow access?');
  const stranger = await new Browser().go(authorizeUrl(at, pkce(), { prompt: 'none' }));
  expect(stranger.html).toContain('Log in');
});
