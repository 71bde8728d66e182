import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { pkce } from '../../../authorization-server/test/login-kit.ts';
import { LOOPBACK, LOOPBACK_VARIANTS } from '../../../authorization-server/test/redirect-variants.ts';
import { InvalidScopeError } from '../../src/server/auth/errors.ts';
import { authorizationHandler, redirectUriMatches } from '../../src/server/auth/handlers/authorize.ts';
import type { OAuthServerProvider } from '../../src/server/auth/provider.ts';
import { mcpAuthRouter } from '../../src/server/auth/router.ts';
import type { OAuthClientInformationFull } from '../../src/shared/auth.ts';
import { listen, type Listening } from '../listening.ts';
import { makeProvider as makeWhole } from './memory-provider.ts';

const open: Listening[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const EVIL = 'https://evil.example.com/cb';

function makeProvider(clients: OAuthClientInformationFull[], registers: boolean): OAuthServerProvider {
  const known = new Map(clients.map((client) => [client.client_id, client]));
  const { clientsStore, ...whole } = makeWhole();
  const getClient = (id: string) => known.get(id);
  return {
    ...whole,
    clientsStore: registers ? { ...clientsStore, getClient } : { getClient },
    async authorize(_client, { redirectUri, scopes }, res) {
      if (scopes?.includes('refused')) throw new InvalidScopeError('Not <b>this</b> one');
      res.redirect(`${redirectUri}?code=c`);
    },
  };
}

/** The router in each of the forms in which programs have it. */
async function routers(provider: OAuthServerProvider): Promise<[string, string][]> {
  const issuerUrl = new URL('http://localhost:1');
  const mounted: [string, (app: express.Express) => unknown][] = [
    ['the router', (app) => app.use(mcpAuthRouter({ provider, issuerUrl }))],
    ['the handler', (app) => app.use('/authorize', authorizationHandler({ provider }))],
  ];
  const urls: [string, string][] = [];
  for (const [name, mount] of mounted) {
    const app = express();
    mount(app);
    const listening = await listen(app);
    open.push(listening);
    urls.push([name, listening.url]);
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
      expect(new URL(to ?? '').searchParams.get('error'), name).toBe('invalid_request');
    }
    for (const [name, url] of await routers(makeProvider(clients, false)))
      expect((await ask(url, { response_type: 'token' })).to?.startsWith(EVIL), name).toBe(true);
  });

  test('takes an address that is written as it was registered, with a port of the own machine', async () => {
    for (const [name, url] of await routers(makeProvider(clients, true))) {
      for (const uri of LOOPBACK_VARIANTS) {
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
          const { status, to, html } = await ask(url, { client_id: id, redirect_uri: uris[0] ?? '', ...more });
          expect([status, to], `${name} ${uris[0] ?? ''}`).toEqual([400, null]);
          expect(html).not.toContain('href');
        }
      const app = await ask(url, { client_id: 'app', redirect_uri: 'com.example.app:/cb' });
      expect(app.to, name).toBe('com.example.app:/cb?code=c');
    }
  });
});

test('redirectUriMatches compares texts, but for the port on this machine', () => {
  for (const uri of LOOPBACK_VARIANTS)
    for (const registered of [LOOPBACK, 'http://127.0.0.1/cb', 'http://localhost:8/cb'])
      expect(redirectUriMatches(uri, registered), JSON.stringify(uri)).toBe(false);
  expect(redirectUriMatches('http://localhost:7/cb', 'http://localhost:8/cb')).toBe(true);
});
