/** Callbacks of the authorization side, both ends: each driver has a peer cause one to go wrong, and then goes the ordinary way. */
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import express from 'express';
import { expect } from 'vitest';
import { applicationLogin, passwordLogin, upstreamLogin, type Login } from '../../../authorization-server/src/index.ts';
import { requireBearerAuth as requireToken } from '../../../sdk/src/server/auth/middleware/bearerAuth.ts';
import type { AuthorizationParams, OAuthServerProvider } from '../../../sdk/src/server/auth/provider.ts';
import { mcpAuthRouter } from '../../../sdk/src/server/auth/router.ts';
import type { OAuthClientInformationFull } from '../../../sdk/src/shared/auth.ts';
import type { BearerAuthOptions } from '../../src/auth/server/index.ts';
import type { AuthorizationServerOptions } from '../../../authorization-server/src/index.ts';
import { createMcpHandler } from '../../src/server/index.ts';
import { createWorld, login, use } from '../auth/client/world.ts';
import {
  Browser,
  CALLBACK,
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
} from '../../../authorization-server/test/login-kit.ts';
import { UPSTREAM_CLIENT, startUpstream } from '../../../authorization-server/test/upstream.ts';
import { makeServer, send, stateless } from '../http/serving.ts';
import { settled, type Fault } from './faults.ts';
import type { Driver } from './server-callbacks.ts';

const list = (token: string | undefined) => stateless('tools/list', {}, { headers: bearer(token) });

/** Everything that a stranger can ask of an authorization server and of what it protects. */
async function askEverything(at: Started): Promise<void> {
  await settled(obtain(at));
  await settled(fetch(authorizeUrl(at, pkce())));
  await settled(postForm(`${at.url}/token`, { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'desk' }));
  await settled(postForm(`${at.url}/revoke`, { token: 'x', client_id: 'desk' }));
  await settled(register(at, { redirect_uris: [CALLBACK] }));
  await settled(fetch(`${at.url}/login`));
  await settled(send(at, list('guessed')));
}

/** The embedded server, and what it protects. */
export const embedded =
  (
    options: (fault: Fault) => { as?: Partial<AuthorizationServerOptions>; auth?: Partial<BearerAuthOptions> },
  ): Driver =>
  async (fault) => {
    const at = await start(options(fault));
    try {
      const before = fault.isOn;
      fault.isOn = false;
      const { tokens } = await obtain(at);
      fault.isOn = before;
      await askEverything(at);
      await settled(send(at, list(tokens['access_token'])));
      const renewal = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '', client_id: 'desk' };
      await settled(postForm(`${at.url}/token`, renewal));
      await settled(postForm(`${at.url}/revoke`, { token: tokens['refresh_token'] ?? '', client_id: 'desk' }));
      await fault.called();
      fault.isOn = false;
      const again = await obtain(at);
      expect((await send(at, list(again.tokens['access_token']))).status).toBe(200);
    } finally {
      await closeStarted();
    }
  };

const withLogin = (member: keyof Login): Driver =>
  embedded((fault) => {
    const own = passwordLogin({ check: (name) => ({ sub: name }) });
    const whole = Object.assign(own, { confirm: async () => true, ended: async () => {} });
    return { as: { login: fault.of(whole, member) } };
  });

/** An authorization server of the program's own behind the router of the older paths. */
export const provided =
  (make: (fault: Fault) => OAuthServerProvider): Driver =>
  async (fault) => {
    const faulty = make(fault);
    const app = express();
    const http = createServer(app);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const resourceServerUrl = new URL(`${url}/mcp`);
    const handler = createMcpHandler(makeServer());
    app.use(mcpAuthRouter({ provider: faulty, issuerUrl: new URL(url), resourceServerUrl }));
    app.all('/mcp', requireToken({ verifier: faulty, expectedResource: resourceServerUrl }), (request, response) => {
      void handler.node(request, response);
    });
    const whole = async (): Promise<number> => {
      const registered = (await (
        await fetch(`${url}/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
        })
      ).json()) as { client_id: string };
      const client = { client_id: registered.client_id ?? 'known' };
      const secret = pkce();
      const page = new URL(`${url}/authorize`);
      for (const [name, value] of Object.entries({
        response_type: 'code',
        ...client,
        redirect_uri: CALLBACK,
        code_challenge: secret.challenge,
        code_challenge_method: 'S256',
        resource: `${url}/mcp`,
      }))
        page.searchParams.set(name, value);
      // A provider that writes no response keeps the browser waiting: it may write one later.
      const sent = await fetch(page, { redirect: 'manual', signal: AbortSignal.timeout(1000) }).catch(() => undefined);
      const code = /[?&]code=([^&]+)/.exec(sent?.headers.get('location') ?? '')?.[1] ?? 'code';
      const shared = { ...client, redirect_uri: CALLBACK, code_verifier: secret.verifier, resource: `${url}/mcp` };
      const { body } = await postForm(`${url}/token`, { grant_type: 'authorization_code', code, ...shared });
      const refresh = body['refresh_token'] ?? 'refresh-none';
      const token = body['access_token'] ?? 'none';
      const { status } = await send({ port }, list(token));
      await postForm(`${url}/token`, { grant_type: 'refresh_token', refresh_token: refresh, ...shared });
      await settled(fetch(`${url}/revoke`, { method: 'POST', body: new URLSearchParams({ token, ...client }) }));
      return status;
    };
    try {
      await settled(whole());
      await fault.called();
      fault.isOn = false;
      expect(await whole()).toBe(200);
    } finally {
      await handler.close({ grace: 0 });
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  };

/** The smallest provider that a program could have of its own. */
function makeProvider(): OAuthServerProvider {
  const known: OAuthClientInformationFull = {
    client_id: 'known',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
  };
  const clients = new Map([['known', known]]);
  const codes = new Map<string, AuthorizationParams>();
  const tokens = new Map<string, AuthorizationParams>();
  let serial = 0;
  const issue = (params: AuthorizationParams): { access_token: string; token_type: string; refresh_token: string } => {
    const token = `token-${(serial += 1)}`;
    tokens.set(token, params);
    return { access_token: token, token_type: 'Bearer', refresh_token: `refresh-${token}` };
  };
  return {
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (given) => {
        const client = given as OAuthClientInformationFull;
        clients.set(client.client_id, client);
        return client;
      },
    },
    async authorize(_client, params, res) {
      codes.set(`code-${(serial += 1)}`, params);
      const url = new URL(params.redirectUri);
      url.searchParams.set('code', `code-${serial}`);
      res.redirect(url.href);
    },
    challengeForAuthorizationCode: async (_client, code) => codes.get(code)?.codeChallenge ?? '',
    async exchangeAuthorizationCode(_client, code) {
      return issue(codes.get(code) as AuthorizationParams);
    },
    exchangeRefreshToken: async (_client, token) =>
      issue(tokens.get(token.replace('refresh-', '')) as AuthorizationParams),
    async verifyAccessToken(token) {
      const params = tokens.get(token);
      if (params === undefined) throw new Error('unknown');
      const expiresAt = Math.floor(Date.now() / 1000) + 60;
      return { token, clientId: 'c', scopes: [], expiresAt, ...(params.resource && { resource: params.resource }) };
    },
    revokeToken: async () => {},
  };
}

function withClients(member: string, fault: Fault): OAuthServerProvider {
  const provider = makeProvider();
  return { ...provider, clientsStore: fault.of(provider.clientsStore, member) };
}

/** The provider of a client that logs in; a login that goes wrong is the caller's to hear of. */
const loggingIn =
  (member: string): Driver =>
  async (fault) => {
    const world = await createWorld();
    try {
      const provider = login(world);
      const faulty = fault.of(provider, member);
      await settled(use(world, faulty));
      world.expireAll();
      await settled(use(world, faulty));
      await fault.called();
      fault.isOn = false;
      await settled(use(world, login(world)));
      expect(await use(world, login(world))).toBe('a user');
    } finally {
      await world.close();
    }
  };

const upstreamIdentify: Driver = async (fault) => {
  const upstream = await startUpstream();
  try {
    const at = await start({
      as: {
        login: upstreamLogin({
          name: 'Hub',
          issuer: upstream.url,
          ...UPSTREAM_CLIENT,
          scopes: ['openid', 'repo'],
          identify: fault.in(() => ({ sub: 'someone' })),
        }),
      },
    });
    const go = async (): Promise<number> => {
      const secret = pkce();
      const browser = await new Browser().go(authorizeUrl(at, secret));
      if (browser.html.includes('Allow access?')) await browser.submit({ action: 'approve' });
      const { body } = await redeem(at, browser.params.get('code') ?? '', secret);
      return (await send(at, list(body['access_token']))).status;
    };
    await settled(go());
    await fault.called();
    fault.isOn = false;
    expect(await go()).toBe(200);
  } finally {
    await closeStarted();
    await upstream.close();
  }
};

const applied =
  (member: 'identify' | 'loginUrl'): Driver =>
  async (fault) => {
    const options = {
      identify: async () => undefined,
      loginUrl: (returnTo: string) => `https://app.example/login?to=${returnTo}`,
    };
    const at = await start({ as: { login: applicationLogin(fault.of(options, member) as never) } });
    try {
      await settled(fetch(authorizeUrl(at, pkce()), { redirect: 'manual' }));
      await fault.called();
      fault.isOn = false;
      const answer = await fetch(authorizeUrl(at, pkce()), { redirect: 'manual' });
      expect(answer.headers.get('location')).toMatch(/^https:\/\/app\.example/);
    } finally {
      await closeStarted();
    }
  };

export const AUTH: Readonly<Record<string, Driver>> = {
  onauthstep: async (fault) => {
    const world = await createWorld();
    try {
      // A login does not depend on who is told of it.
      expect(await use(world, login(world), { onauthstep: fault.in(() => {}) })).toBe('a user');
      await fault.called();
    } finally {
      await world.close();
    }
  },
  callerOf: embedded((fault) => ({ as: { callerOf: fault.in(() => 'someone') } })),
  asOnproblem: embedded((fault) => ({
    as: {
      onproblem: fault.in(() => {}),
      callerOf: () => {
        if (fault.isOn) throw new Error('told to onproblem');
        return 'someone';
      },
    },
  })),
  passwordCheck: embedded((fault) => ({
    as: { login: passwordLogin({ check: fault.in((name: string) => ({ sub: name })) }) },
  })),
  clientDocumentAccept: async (fault) => {
    const at = await start({ as: { clientDocuments: { accept: fault.in(() => true) } } });
    try {
      await settled(fetch(authorizeUrl(at, pkce(), { client_id: 'https://client.example/document' })));
      await fault.called();
      fault.isOn = false;
      expect((await obtain(at)).tokens['access_token']).toBeDefined();
    } finally {
      await closeStarted();
    }
  },
  verifier: async (fault) => {
    const at = await start({
      auth: {
        verifier: fault.in(async (token: string) => ({
          token,
          clientId: 'c',
          scopes: [],
          resource: new URL(`${at.url}/mcp`),
        })),
      },
    });
    try {
      expect((await send(at, list('t'))).status).not.toBe(200);
      await fault.called();
      fault.isOn = false;
      expect((await send(at, list('t'))).status).toBe(200);
    } finally {
      await closeStarted();
    }
  },
  gateOnproblem: async (fault) => {
    const at: Started = await start({
      auth: {
        onproblem: fault.in(() => {}),
        verifier: async (token) => {
          if (fault.isOn) throw new Error('told to onproblem');
          return { token, clientId: 'c', scopes: [], resource: new URL(at.resource) };
        },
      },
    });
    try {
      expect((await send(at, list('t'))).status).toBe(503);
      await fault.called();
      fault.isOn = false;
      expect((await send(at, list('t'))).status).toBe(200);
    } finally {
      await closeStarted();
    }
  },
  upstreamIdentify,
  'application.identify': applied('identify'),
  'application.loginUrl': applied('loginUrl'),
  ...Object.fromEntries(
    (['proceed', 'handle', 'confirm', 'ended'] as const).map((member) => [`login.${member}`, withLogin(member)]),
  ),
  ...Object.fromEntries(
    [
      'authorize',
      'challengeForAuthorizationCode',
      'exchangeAuthorizationCode',
      'exchangeRefreshToken',
      'verifyAccessToken',
      'revokeToken',
    ].map((member) => [`provider.${member}`, provided((fault) => fault.of(makeProvider(), member))]),
  ),
  'clientsStore.getClient': provided((fault) => withClients('getClient', fault)),
  'clientsStore.registerClient': provided((fault) => withClients('registerClient', fault)),
  ...Object.fromEntries(
    [
      'addClientAuthentication',
      'authorizationServerUrl',
      'beginLogin',
      'clientInformation',
      'discoveryState',
      'dpop',
      'endLogin',
      'exclusive',
      'invalidateCredentials',
      'pending',
      'redirectToAuthorization',
      'saveAuthorizationServerUrl',
      'saveClientInformation',
      'saveCodeVerifier',
      'saveDiscoveryState',
      'savePending',
      'saveResourceUrl',
      'saveTokens',
      'scopeForRefresh',
      'state',
      'tokens',
      'validateResourceURL',
    ].map((member) => [`client.${member}`, loggingIn(member)]),
  ),
};
