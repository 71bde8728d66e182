import express from 'express';
import type { Server as HttpServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { OAuthClientInformationFull } from '../../../src/auth/index.ts';
import {
  InvalidTokenError,
  OAuthError,
  mcpAuthRouter,
  type OAuthServerProvider,
} from '../../../src/auth/server/index.ts';
import { authorizationHandler, redirectUriMatches } from '../../../../sdk/src/server/auth/handlers/authorize.ts';
import { mcpAuthRouter as oldRouter } from '../../../../sdk/src/server/auth/router.ts';
import { listen } from '../../http/serving.ts';
import { CALLBACK, authorizeUrl, closeStarted, pkce, register, start } from './login-kit.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await closeStarted();
  for (const http of open.splice(0)) {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
});

const EVIL = 'https://evil.example.com/cb';
const LOOPBACK = 'http://localhost/cb';

/** Addresses that a URL parser takes for `http://localhost/cb` or `http://127.0.0.1/cb` on some port, and that are not written so. */
const VARIANTS = [
  'http:\\\\localhost\\cb',
  'http:/localhost:7/cb',
  'http:localhost/cb',
  'http:\\/localhost:7/cb',
  'http:///localhost:7/cb',
  'http://local\thost:7/cb',
  'http://localhost:7\n/cb',
  ' http://localhost:7/cb',
  'http://localhost:7/cb ',
  '\u0000http://localhost:7/cb',
  'HTTP://localhost:7/cb',
  'http://LOCALHOST:7/cb',
  'http://localhost:7/./cb',
  'http://localhost:7/x/../cb',
  'http://localhost:7/%2e/cb',
  'http://localhost:7/cb#',
  'http://localhost:7/cb?',
  'http://localhost:7/cb?next=https://evil.example.com',
  'http://@localhost:7/cb',
  'http://user@localhost:7/cb',
  'http://localhost:7@evil.example.com/cb',
  'http://localhost:/cb',
  'http://localhost:000007/cb',
  'http://localhost:99999/cb',
  'http://localhost:7\\@evil.example.com/cb',
  'http://localhost.:7/cb',
  'http://ｌocalhost:7/cb',
  'http://127.1:7/cb',
  'http://2130706433:7/cb',
  'http://0x7f000001:7/cb',
  'http://127.0.0.1:7\\cb',
  'https://localhost:7/cb',
];

function makeProvider(clients: OAuthClientInformationFull[], registers: boolean): OAuthServerProvider {
  const known = new Map(clients.map((client) => [client.client_id, client]));
  return {
    clientsStore: {
      getClient: (id) => known.get(id),
      ...(registers && { registerClient: (client: OAuthClientInformationFull) => client }),
    },
    async authorize(_client, { redirectUri, scopes }, reply) {
      if (scopes?.includes('refused')) throw new OAuthError('invalid_scope', 'Not <b>this</b> one');
      reply.redirect(`${redirectUri}?code=c`);
    },
    challengeForAuthorizationCode: async () => '',
    exchangeAuthorizationCode: async () => Promise.reject(new InvalidTokenError('none')),
    exchangeRefreshToken: async () => Promise.reject(new InvalidTokenError('none')),
    verifyAccessToken: async () => Promise.reject(new InvalidTokenError('none')),
  };
}

/** The router in each of the forms in which programs have it. */
async function routers(provider: OAuthServerProvider): Promise<[string, string][]> {
  const issuerUrl = new URL('http://localhost:1');
  const mounted: [string, (app: express.Express) => unknown][] = [
    ['the router', (app) => app.use(mcpAuthRouter({ provider, issuerUrl }))],
    ['the router of old paths', (app) => app.use(oldRouter({ provider, issuerUrl }))],
    ['the handler of old paths', (app) => app.use('/authorize', authorizationHandler({ provider }))],
    [
      'the router without Express',
      (app) => app.use((req, res) => void mcpAuthRouter({ provider, issuerUrl }).node(req, res)),
    ],
  ];
  const urls: [string, string][] = [];
  for (const [name, mount] of mounted) {
    const app = express();
    mount(app);
    const { http, port } = await listen(app);
    open.push(http);
    urls.push([name, `http://127.0.0.1:${port}`]);
  }
  return urls;
}

async function ask(
  url: string,
  more: Record<string, string>,
): Promise<{ status: number; to: string | null; html: string }> {
  const params = {
    response_type: 'code',
    client_id: 'evil',
    redirect_uri: EVIL,
    code_challenge: pkce().challenge,
    code_challenge_method: 'S256',
    state: 's',
    ...more,
  };
  const query = new URLSearchParams(params).toString();
  const response = await fetch(`${url}/authorize?${query}`, { redirect: 'manual' });
  return { status: response.status, to: response.headers.get('location'), html: await response.text() };
}

const FAILING: Record<string, string>[] = [
  { response_type: 'token' },
  { code_challenge_method: 'plain' },
  { code_challenge: '' },
  { scope: '"' },
  { scope: 'refused' },
  { resource: 'nonsense' },
];

describe('a router around a provider', () => {
  const clients: OAuthClientInformationFull[] = [
    { client_id: 'evil', redirect_uris: [EVIL] },
    { client_id: 'local', redirect_uris: [LOOPBACK, 'http://127.0.0.1/cb'] },
    ...['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'blob:https://a.example/x'].map(
      (uri, index) => ({ client_id: `script-${index}`, redirect_uris: [uri] }),
    ),
    { client_id: 'app', redirect_uris: ['com.example.app:/cb'] },
  ];

  test('sends nobody with a request that fails to an address that anybody could have registered, unless they click', async () => {
    for (const [name, url] of await routers(makeProvider(clients, true)))
      for (const more of FAILING) {
        const { status, to, html } = await ask(url, more);
        expect([status, to], `${name} ${JSON.stringify(more)}`).toEqual([400, null]);
        expect(html).toContain('Go back to evil.example.com');
        expect(html).toContain('state=s');
        expect(html).not.toContain('<b>');
      }
  });

  test('tells a program on the own machine, and one that only the operator can have registered, at once', async () => {
    for (const [name, url] of await routers(makeProvider(clients, true))) {
      const { to } = await ask(url, {
        response_type: 'token',
        client_id: 'local',
        redirect_uri: 'http://localhost:7/cb',
      });
      expect(new URL(to ?? '').searchParams.get('error'), name).toBe('unsupported_response_type');
    }
    for (const [name, url] of await routers(makeProvider(clients, false)))
      expect((await ask(url, { response_type: 'token' })).to?.startsWith(EVIL), name).toBe(true);
  });

  test('takes an address that is written as it was registered, with a port of the own machine', async () => {
    for (const [name, url] of await routers(makeProvider(clients, true))) {
      for (const uri of VARIANTS) {
        const { status, to } = await ask(url, { client_id: 'local', redirect_uri: uri });
        expect([status, to], `${name} ${JSON.stringify(uri)}`).toEqual([400, null]);
      }
      for (const uri of [LOOPBACK, 'http://localhost:7/cb', 'http://127.0.0.1:65535/cb'])
        expect((await ask(url, { client_id: 'local', redirect_uri: uri })).to, name).toBe(`${uri}?code=c`);
    }
  });

  test('sends nobody to a script or a file, whatever the store of its clients holds', async () => {
    for (const [name, url] of await routers(makeProvider(clients, false))) {
      for (const { client_id: id, redirect_uris: uris } of clients.filter(({ client_id }) =>
        client_id.startsWith('script'),
      ))
        for (const more of [{}, { response_type: 'token' }]) {
          const { status, to, html } = await ask(url, { client_id: id, redirect_uri: String(uris[0]), ...more });
          expect([status, to], `${name} ${String(uris[0])}`).toEqual([400, null]);
          expect(html).not.toContain('href');
        }
      const app = await ask(url, { client_id: 'app', redirect_uri: 'com.example.app:/cb' });
      expect(app.to, name).toBe('com.example.app:/cb?code=c');
    }
  });
});

describe('the embedded authorization server', () => {
  test('takes an address that is written as it was registered, with a port of the own machine', async () => {
    const at = await start({
      as: {
        clients: [{ client_id: 'local', redirect_uris: [LOOPBACK, 'http://127.0.0.1/cb'] }],
        rateLimit: { max: 1000, windowMs: 60_000 },
      },
    });
    const visit = (uri: string) =>
      fetch(authorizeUrl(at, pkce(), { client_id: 'local', redirect_uri: uri }), { redirect: 'manual' });
    for (const uri of VARIANTS) {
      const { status, headers } = await visit(uri);
      expect([status, headers.get('location')], JSON.stringify(uri)).toEqual([400, null]);
    }
    for (const uri of [LOOPBACK, 'http://localhost:7/cb', 'http://127.0.0.1:65535/cb'])
      expect((await visit(uri)).status, uri).toBe(200);
  });

  test('registers no address that is read in two ways', async () => {
    const at = await start({ as: { registration: { maxPerHour: 1000 } } });
    for (const uri of [
      'https:\\\\client.example.com/cb',
      'https:client.example.com/cb',
      'https:/client.example.com/cb',
      'https://client.exa\tmple.com/cb',
      'https://client.example.com/cb ',
      'https://client.example.com/c b',
      'https://client.example.com/cb\u0000',
      'https://клиент.example.com/cb',
      'https://client.example.com\\@evil.example.com/cb',
      'https://@client.example.com/cb',
      'https://client.example.com/cb#',
    ]) {
      const { status, body } = await register(at, { redirect_uris: [uri] });
      expect([status, body['error']], JSON.stringify(uri)).toEqual([400, 'invalid_redirect_uri']);
    }
    expect((await register(at, { redirect_uris: [CALLBACK] })).status).toBe(201);
  });
});

test('redirectUriMatches compares texts, but for the port on this machine', () => {
  for (const uri of VARIANTS)
    for (const registered of [LOOPBACK, 'http://127.0.0.1/cb', 'http://localhost:8/cb'])
      expect(redirectUriMatches(uri, registered), JSON.stringify(uri)).toBe(false);
  expect(redirectUriMatches('http://localhost:7/cb', 'http://localhost:8/cb')).toBe(true);
});
