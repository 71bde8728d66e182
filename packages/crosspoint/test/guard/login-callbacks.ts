/** Callbacks that only some logins come to: each driver sets up such a login, has one callback go wrong, and then goes the ordinary way. */
import { expect } from 'vitest';
import { ClientCredentialsProvider, auth, type OAuthClientProvider } from '../../src/auth/index.ts';
import { passwordLogin, thirdParty, type ThirdParty } from '../../../authorization-server/src/index.ts';
import { ProxyOAuthServerProvider } from '../../../sdk/src/server/auth/providers/proxyProvider.ts';
import { Client, StreamableHTTPClientTransport } from '../../src/client/index.ts';
import { text } from '../../src/server/index.ts';
import { approving, createWorld, login, use, type World, type WorldOptions } from '../auth/client/world.ts';
import {
  Browser,
  CALLBACK,
  bearer,
  closeStarted,
  obtain,
  start,
} from '../../../authorization-server/test/login-kit.ts';
import { UPSTREAM_CLIENT, startUpstream } from '../../../authorization-server/test/upstream.ts';
import { makeServer } from '../http/serving.ts';
import { provided } from './auth-callbacks.ts';
import { settled } from './faults.ts';
import type { Driver } from './server-callbacks.ts';

/** A client that logs in where the callback is needed. */
const at =
  (
    options: WorldOptions,
    member: string,
    make: (world: World) => OAuthClientProvider = (world) => login(world),
    again = make,
  ): Driver =>
  async (fault) => {
    const world = await createWorld(options);
    try {
      await settled(use(world, fault.of(make(world), member)));
      await fault.called();
      fault.isOn = false;
      expect(await use(world, again(world))).toBe('a user');
    } finally {
      await world.close();
    }
  };

/** A page of a program that keeps the verifier alone, and that is another object when the browser comes back. */
const resumed =
  (member: 'codeVerifier' | 'resourceUrl'): Driver =>
  async (fault) => {
    const world = await createWorld();
    const kept: Record<string, unknown> = {};
    const keep = (name: string) => (value: unknown) => void (kept[name] = value);
    const give = (name: string) => () => kept[name] as never;
    const page = (): OAuthClientProvider => ({
      redirectUrl: 'http://127.0.0.1:9/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'], client_name: 'Page' },
      clientInformation: give('client'),
      saveClientInformation: keep('client'),
      tokens: give('tokens'),
      saveTokens: keep('tokens'),
      saveCodeVerifier: keep('verifier'),
      codeVerifier: give('verifier'),
      saveResourceUrl: keep('resource'),
      resourceUrl: give('resource'),
      redirectToAuthorization: keep('page'),
    });
    const whole = async (): Promise<string> => {
      await auth(page(), { serverUrl: world.mcp });
      const back = await approving.visit(kept['page'] as URL);
      return auth(fault.of(page(), member), { serverUrl: world.mcp, authorizationCode: back?.get('code') ?? '' });
    };
    try {
      await settled(whole());
      await fault.called();
      fault.isOn = false;
      delete kept['tokens'];
      expect(await whole()).toBe('AUTHORIZED');
    } finally {
      await world.close();
    }
  };

/** A login that is asked who somebody is: the page on which an account elsewhere is connected does so. */
const asked =
  (member: 'identify' | 'loginUrl'): Driver =>
  async (fault) => {
    const upstream = await startUpstream();
    const own = passwordLogin({ check: (name) => ({ sub: name }) });
    let hub: ThirdParty | undefined;
    const started = await start({
      as: { login: fault.of(own, member) },
      also: ({ url, as }) => [
        (hub = thirdParty({
          id: 'hub',
          name: 'Hub',
          issuer: upstream.url,
          ...UPSTREAM_CLIENT,
          scopes: ['repo'],
          baseUrl: url,
          people: as,
          onproblem: () => {},
        })),
      ],
      serverOf: () => {
        const server = makeServer();
        server.registerTool('whoami', {}, async (ctx) => text((await hub?.accessToken(ctx)) ?? ''));
        return server;
      },
    });
    const client = new Client(
      { name: 'c', version: '1' },
      { revisions: ['2025-11-25'], capabilities: { elicitation: { url: {} } } },
    );
    try {
      fault.isOn = false;
      const { browser, tokens } = await obtain(started, 'ada');
      fault.isOn = true;
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const link = String((params as { url?: string }).url);
        const stranger = new Browser();
        await stranger.go(link);
        await fault.called();
        fault.isOn = false;
        await browser.go(link);
        return { action: 'accept' };
      });
      const options = { requestInit: { headers: bearer(tokens['access_token']) } };
      await client.connect(new StreamableHTTPClientTransport(new URL(started.resource), options));
      expect((await client.callTool({ name: 'whoami' })).isError).not.toBe(true);
    } finally {
      await client.close();
      await closeStarted();
      await upstream.close();
    }
  };

/** A provider that hands everything on to another server, for which `fetch` stands. */
const proxied = (member: 'fetch' | 'getClient' | 'verifyAccessToken'): Driver =>
  provided((fault) => {
    let resource: URL | undefined;
    const client = { client_id: 'known', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
    const behind = {
      getClient: async () => client,
      verifyAccessToken: async (token: string) => ({
        token,
        clientId: 'known',
        scopes: [],
        expiresAt: Math.floor(Date.now() / 1000) + 60,
        ...(resource && { resource }),
      }),
      fetch: async (url: string | URL, init?: RequestInit) => {
        if (String(url).endsWith('/register')) return Response.json(client);
        const asked = new URLSearchParams(init?.body as string).get('resource');
        if (asked !== null) resource = new URL(asked);
        return Response.json({ access_token: 'token', token_type: 'Bearer', refresh_token: 'refresh' });
      },
    };
    const up = 'https://up.example';
    return new ProxyOAuthServerProvider({
      endpoints: {
        authorizationUrl: `${up}/authorize`,
        tokenUrl: `${up}/token`,
        registrationUrl: `${up}/register`,
        revocationUrl: `${up}/revoke`,
      },
      ...behind,
      [member]: fault.in(behind[member] as never),
    });
  });

/** A server that wants tokens which are bound to a key. */
const startDpop: Driver = async (fault) => {
  const world = await createWorld({
    metadata: (usual) => ({ ...usual, dpop_signing_alg_values_supported: ['ES256'] }),
    challenge: (usual) => ({ ...usual, 'error="invalid_token", DPoP algs': 'ES256' }),
  });
  const plain = await createWorld();
  try {
    await settled(use(world, fault.of(login(world), 'startDpop')));
    await fault.called();
    fault.isOn = false;
    expect(await use(plain, login(plain))).toBe('a user');
  } finally {
    await world.close();
    await plain.close();
  }
};

export const LOGIN: Readonly<Record<string, Driver>> = {
  'client.askForClient': at(
    { metadata: ({ registration_endpoint: _none, ...usual }) => usual },
    'askForClient',
    (world) => login(world, { askForClient: async () => ({ client_id: 'by hand' }) }),
  ),
  'client.chooseAuthorizationServer': at(
    { prm: (usual, { issuer }) => ({ ...usual, authorization_servers: [issuer, 'https://other.example'] }) },
    'chooseAuthorizationServer',
  ),
  'client.prepareTokenRequest': at(
    {},
    'prepareTokenRequest',
    () => new ClientCredentialsProvider({ clientId: 'service', clientSecret: 's3cret' }),
  ),
  'client.codeVerifier': resumed('codeVerifier'),
  'client.resourceUrl': resumed('resourceUrl'),
  'login.identify': asked('identify'),
  'login.loginUrl': asked('loginUrl'),
  'client.startDpop': startDpop,
  'proxy.fetch': proxied('fetch'),
  'proxy.getClient': proxied('getClient'),
  'proxy.verifyAccessToken': proxied('verifyAccessToken'),
};
