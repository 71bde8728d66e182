import express from 'express';
import type { Server as HttpServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { OAuthClientInformationFull } from '../../../src/auth/index.ts';
import {
  JWT_BEARER,
  TOKEN_EXCHANGE,
  assertionGrant,
  assertionIssuer,
  mcpAuthRouter,
  passwordLogin,
  unattendedLogin,
  type AuthRouterOptions,
  type OAuthServerProvider,
} from '../../../src/auth/server/index.ts';
import { listen } from '../../http/serving.ts';
import { generateKeyPair } from 'jose';
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

const open: HttpServer[] = [];
afterEach(async () => {
  await closeStarted();
  for (const http of open.splice(0)) {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
});

const MARKUP = '"><script>alert(1)</script><img src=x onerror=y>';
/** Values as they stand in a form or a query, percent-encoded. */
const HOSTILE: readonly string[] = [
  '',
  encodeURIComponent(MARKUP),
  '%00',
  'a%00b',
  '%ff%fe',
  '%ed%a0%80',
  '%',
  '%0d%0aSet-Cookie:%20x=1',
  encodeURIComponent('🦊\u202e\u2028'),
  '__proto__',
  'constructor',
  'toString',
  '-1',
  'NaN',
  '1e999',
  'x'.repeat(5000),
  'https%3A%2F%2F',
  'https%3A%2F%2Fx%3A99999%2Fy',
  encodeURIComponent('{"toString":1}'),
  'e30.bnVsbA.x',
  'e30.e30.e30',
];
const LONG = 'x'.repeat(70_000);

type Fields = Record<string, string>;
const encode = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');

/** One field after the other left out, given twice, as a list or an object, and with each hostile value. */
function variants(fields: Fields): string[] {
  return Object.keys(fields).flatMap((name) => {
    const { [name]: _own, ...others } = fields;
    const rest = encode(others);
    return [
      rest,
      ...HOSTILE.map((value) => `${rest}&${name}=${value}`),
      `${encode(fields)}&${name}=second`,
      `${rest}&${name}[]=a&${name}[]=b`,
      `${rest}&${name}[a][b]=c`,
      `${rest}&${name}[toString]=c&${name}[valueOf]=d`,
      `${rest}&${name}[__proto__][x]=c`,
    ];
  });
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

interface Seen {
  readonly status: number;
  readonly text: string;
}

async function send(url: string, init: RequestInit): Promise<Seen> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const location = response.headers.get('location');
  if (location !== null) expect(location.startsWith(CALLBACK) || location.startsWith('http://127.0.0.1')).toBe(true);
  expect(response.headers.get('set-cookie') ?? '').not.toContain('x=1');
  return { status: response.status, text: await response.text() };
}

function expectCalm({ status, text }: Seen, what: string): void {
  expect(status, `${what}: ${text}`).toBeLessThan(500);
  expect(text, what).not.toContain('<script');
  expect(text, what).not.toContain('<img');
}

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

describe('no request makes a router around a provider fail', () => {
  async function startRouter(parser: express.RequestHandler | undefined): Promise<{ url: string; problems: Error[] }> {
    const clients = new Map<string, OAuthClientInformationFull>([
      ['desk', { client_id: 'desk', redirect_uris: [CALLBACK] }],
    ]);
    const provider: OAuthServerProvider = {
      clientsStore: { getClient: (id) => clients.get(id), registerClient: (client) => client },
      authorize: async (_client, { redirectUri }, reply) => void reply.redirect(`${redirectUri}?code=c`),
      challengeForAuthorizationCode: async () => '',
      exchangeAuthorizationCode: async () => ({ access_token: 'x', token_type: 'Bearer' }),
      exchangeRefreshToken: async () => ({ access_token: 'x', token_type: 'Bearer' }),
      verifyAccessToken: async (token) => ({ token, clientId: 'c', scopes: [] }),
      revokeToken: async () => {},
    };
    const problems: Error[] = [];
    const app = express();
    if (parser) app.use(parser);
    const limits = { authorize: false, token: false, register: false, revoke: false } as const;
    const options: AuthRouterOptions = {
      provider,
      issuerUrl: 'http://127.0.0.1:1',
      rateLimits: limits,
      onproblem: (problem) => problems.push(problem),
    };
    app.use(mcpAuthRouter(options));
    const { http, port } = await listen(app);
    open.push(http);
    return { url: `http://127.0.0.1:${port}`, problems };
  }

  // A parser of a framework makes lists and objects of fields, and some of the objects have no prototype.
  const plain: express.RequestHandler = (request, _response, next) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Object.create(null) as Record<string, unknown>;
      for (const [name, value] of new URLSearchParams(Buffer.concat(chunks).toString())) {
        const [, field = '', inner] = /^([^[]*)\[(\w*)/.exec(name) ?? [];
        body[inner === undefined ? name : field] =
          inner === undefined ? value : Object.assign(Object.create(null) as object, { [inner]: value });
      }
      Object.assign(request, { body });
      next();
    });
  };

  for (const [name, parser] of [
    ['that reads its bodies', undefined],
    ['behind the parser of Express', express.urlencoded({ extended: true })],
    ['behind a parser of its own', plain],
  ] as const)
    test(name, async () => {
      const { url, problems } = await startRouter(parser);
      const authorize = {
        response_type: 'code',
        client_id: 'desk',
        redirect_uri: CALLBACK,
        code_challenge: 'c'.repeat(43),
        code_challenge_method: 'S256',
        state: 's',
        scope: 'read',
        resource: 'https://r.example.com',
      };
      for (const query of variants(authorize)) {
        expectCalm(await send(`${url}/authorize?${query}`, {}), query.slice(-80));
        expectCalm(await send(`${url}/authorize`, { method: 'POST', body: query, headers: FORM }), query.slice(-80));
      }
      const forms: [string, Fields][] = [
        [
          'token',
          {
            grant_type: 'authorization_code',
            client_id: 'desk',
            code: 'c',
            code_verifier: 'v',
            redirect_uri: CALLBACK,
          },
        ],
        ['token', { grant_type: 'refresh_token', client_id: 'desk', refresh_token: 'r', scope: 'read' }],
        ['revoke', { client_id: 'desk', token: 't', token_type_hint: 'x' }],
      ];
      for (const [path, fields] of forms)
        for (const body of variants(fields))
          expectCalm(
            await send(`${url}/${path}`, { method: 'POST', body, headers: FORM }),
            `${path} ${body.slice(-80)}`,
          );
      expect(problems).toEqual([]);
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
