/** The same program on the official SDK and on ours: what HTTP clients and the provider see is the same. */
import * as v1Bearer from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import * as v1Errors from '@modelcontextprotocol/sdk/server/auth/errors.js';
import * as v1Proxy from '@modelcontextprotocol/sdk/server/auth/providers/proxyProvider.js';
import * as v1Router from '@modelcontextprotocol/sdk/server/auth/router.js';
import express, { type RequestHandler } from 'express';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import * as ourErrors from '../../src/server/auth/errors.ts';
import * as ourBearer from '../../src/server/auth/middleware/bearerAuth.ts';
import type { OAuthServerProvider } from '../../src/server/auth/provider.ts';
import * as ourProxy from '../../src/server/auth/providers/proxyProvider.ts';
import * as ourRouter from '../../src/server/auth/router.ts';
import type { OAuthClientInformationFull } from '../../src/shared/auth.ts';
import { listen, type Listening } from '../listening.ts';

const open: Listening[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function serve(app: express.Express): Promise<string> {
  const listening = await listen(app);
  open.push(listening);
  return listening.url;
}

/** The parts that a program imports. */
interface Library {
  readonly errors: typeof ourErrors;
  readonly bearer: { requireBearerAuth(options: ourBearer.BearerAuthMiddlewareOptions): RequestHandler };
  readonly router: Pick<typeof ourRouter, 'mcpAuthRouter' | 'mcpAuthMetadataRouter' | 'createOAuthMetadata'>;
  readonly Proxy: typeof ourProxy.ProxyOAuthServerProvider;
}
const OURS: Library = {
  errors: ourErrors,
  bearer: ourBearer,
  router: ourRouter,
  Proxy: ourProxy.ProxyOAuthServerProvider,
};
const THEIRS = {
  errors: v1Errors,
  bearer: v1Bearer,
  router: v1Router,
  Proxy: v1Proxy.ProxyOAuthServerProvider,
} as object as Library;

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const CALLBACK = 'https://client.example/cb';
const CLIENTS: Readonly<Record<string, OAuthClientInformationFull>> = {
  open: { client_id: 'open', redirect_uris: [CALLBACK] },
  two: { client_id: 'two', redirect_uris: [CALLBACK, 'http://localhost/cb'] },
  secret: { client_id: 'secret', client_secret: 'hush', redirect_uris: [CALLBACK] },
  late: { client_id: 'late', client_secret: 'hush', client_secret_expires_at: 1, redirect_uris: [CALLBACK] },
};

/** A provider that notes what it is asked, and fails in every way that it may. */
function makeProvider({ errors }: Library, seen: unknown[], registers: boolean): OAuthServerProvider {
  const fail = (word: string): void => {
    if (word === 'grant') throw new errors.InvalidGrantError('Gone', 'https://errors.example/gone');
    if (word === 'custom') throw new errors.CustomOAuthError('odd', 'Odd');
    if (word === 'limited') throw new errors.TooManyRequestsError('Slowly');
    if (word === 'server') throw new errors.ServerError('Broken');
    if (word === 'error') throw new TypeError('not for clients');
  };
  const tokens = { access_token: 'a', token_type: 'bearer', id_token: 'i', more: 'kept' };
  return {
    clientsStore: {
      getClient: (id) => CLIENTS[id],
      ...(registers && {
        registerClient: (client) => {
          fail(client.client_name ?? '');
          return client as OAuthClientInformationFull;
        },
      }),
    },
    async authorize({ client_id: id }, { state, ...params }, res) {
      seen.push(['authorize', id, { ...params, ...(state !== undefined && { state }) }]);
      fail(params.scopes?.[0] ?? '');
      res.redirect(`${params.redirectUri}?code=c`);
    },
    challengeForAuthorizationCode: async () => CHALLENGE,
    async exchangeAuthorizationCode({ client_id: id }, code, ...more) {
      seen.push(['code', id, code, ...more]);
      fail(code);
      return tokens;
    },
    async exchangeRefreshToken({ client_id: id }, token, ...more) {
      seen.push(['refresh', id, token, ...more]);
      fail(token);
      return tokens;
    },
    async verifyAccessToken(token) {
      fail(token);
      if (token === 'unknown') throw new errors.InvalidTokenError('Unknown token');
      const expiresAt = token === 'old' ? 1 : token === 'endless' ? undefined : 4_000_000_000;
      return { token, clientId: 'c', scopes: ['read'], ...(expiresAt !== undefined && { expiresAt }) };
    },
    async revokeToken({ client_id: id }, request) {
      seen.push(['revoke', id, request]);
      fail(request.token);
    },
  };
}

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly form?: Record<string, string>;
  readonly json?: unknown;
}

const HEADERS = [
  'location',
  'allow',
  'www-authenticate',
  'access-control-allow-origin',
  'content-type',
  'ratelimit-limit',
  'ratelimit-policy',
];

/** Status, headers and body. Ids and secrets differ each time, and words about malformed parameters are zod's. */
async function ask(url: string, { path, form, json, ...init }: Asked): Promise<unknown> {
  const posted = form === undefined && json === undefined ? {} : { method: 'POST' };
  const body = form ? new URLSearchParams(form) : json === undefined ? undefined : JSON.stringify(json);
  const headers = { ...(json !== undefined && { 'content-type': 'application/json' }), ...init.headers };
  const response = await fetch(`${url}${path}`, {
    redirect: 'manual',
    ...posted,
    ...init,
    headers,
    ...(body !== undefined && { body }),
  });
  const got = Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)]));
  const text = (await response.text()).replaceAll(url, 'http://self');
  const location =
    got['location'] && URL.canParse(got['location']) ? parted(new URL(got['location'])) : got['location'];
  return [response.status, { ...got, location }, response.status === 302 ? 'where it goes' : generic(text)];
}

const parted = ({ origin, pathname, searchParams }: URL): unknown => [
  `${origin}${pathname}`,
  generic(JSON.stringify(Object.fromEntries(searchParams))),
];

/** Words about malformed parameters are a list of problems in JSON there, and a sentence here. */
const OF_ZOD = /^(?:\[|[\w.]+: |Invalid input)/;

function generic(text: string): unknown {
  if (!text.startsWith('{')) return text;
  const body = JSON.parse(text) as Record<string, unknown>;
  if (OF_ZOD.test(String(body['error_description']))) body['error_description'] = '…';
  if (String(body['client_id']).length === 36) body['client_id'] = 'an id';
  if (String(body['client_secret']).length === 64) body['client_secret'] = 'a secret';
  for (const name of ['client_id_issued_at', 'client_secret_expires_at']) if (body[name]) body[name] = 'a moment';
  return body;
}

const authorize = (params: Record<string, string>): Asked => {
  const whole = { response_type: 'code', code_challenge: CHALLENGE, code_challenge_method: 'S256', ...params };
  return { path: `/authorize?${new URLSearchParams(whole).toString()}` };
};
const token = (form: Record<string, string>): Asked => ({ path: '/token', form });
const code = { grant_type: 'authorization_code', client_id: 'open', code: 'c', code_verifier: VERIFIER };
const refresh = { grant_type: 'refresh_token', client_id: 'open', refresh_token: 'r' };

const REQUESTS: readonly Asked[] = [
  authorize({ client_id: 'open' }),
  authorize({ client_id: 'open', redirect_uri: CALLBACK, state: 's', scope: 'a b', resource: 'https://r.example/' }),
  authorize({ client_id: 'two', redirect_uri: 'http://localhost:7/cb' }),
  authorize({ client_id: 'two' }),
  authorize({ client_id: 'nobody' }),
  authorize({}),
  authorize({ client_id: 'open', redirect_uri: 'https://evil.example/cb' }),
  authorize({ client_id: 'open', redirect_uri: 'nonsense' }),
  authorize({ client_id: 'open', response_type: 'token' }),
  authorize({ client_id: 'open', code_challenge_method: 'plain' }),
  authorize({ client_id: 'open', resource: 'nonsense' }),
  ...['grant', 'custom', 'server', 'error'].map((scope) => authorize({ client_id: 'open', scope, state: 's' })),
  { path: '/authorize', form: { client_id: 'open', response_type: 'code', code_challenge: CHALLENGE } },
  { path: '/authorize', method: 'DELETE' },
  token(code),
  token({ ...code, redirect_uri: CALLBACK, resource: 'https://r.example/' }),
  token({ ...code, code_verifier: 'wrong' }),
  ...['grant', 'custom', 'limited', 'server', 'error'].map((word) => token({ ...code, code: word })),
  token({ ...code, code_verifier: '' }),
  token({ ...code, resource: 'nonsense' }),
  token(refresh),
  token({ ...refresh, scope: 'a b', resource: 'https://r.example/' }),
  token({ grant_type: 'refresh_token', client_id: 'open' }),
  token({ grant_type: 'client_credentials', client_id: 'open' }),
  token({ client_id: 'open' }),
  token({}),
  token({ ...refresh, client_id: 'nobody' }),
  token({ ...refresh, client_id: 'secret' }),
  token({ ...refresh, client_id: 'secret', client_secret: 'wrong' }),
  token({ ...refresh, client_id: 'secret', client_secret: 'hush' }),
  token({ ...refresh, client_id: 'late', client_secret: 'hush' }),
  { path: '/token' },
  { path: '/token', method: 'POST' },
  { path: '/token', method: 'OPTIONS' },
  { path: '/token/more', form: refresh },
  { path: '/revoke', form: { client_id: 'open', token: 't', token_type_hint: 'access_token' } },
  { path: '/revoke', form: { client_id: 'open' } },
  { path: '/revoke', form: { client_id: 'open', token: 'error' } },
  { path: '/revoke', method: 'PUT' },
  { path: '/.well-known/oauth-authorization-server' },
  { path: '/.well-known/oauth-authorization-server', method: 'POST' },
  { path: '/.well-known/oauth-authorization-server', method: 'HEAD' },
  { path: '/.well-known/oauth-protected-resource/mcp' },
  { path: '/.well-known/oauth-protected-resource' },
  { path: '/elsewhere' },
  ...[undefined, 'Basic x', 'Bearer', 'bearer good', 'Bearer unknown', 'Bearer old', 'Bearer endless'].map(
    (authorization): Asked => ({ path: '/mcp', headers: authorization === undefined ? {} : { authorization } }),
  ),
  ...['grant', 'custom', 'server', 'error'].map((word): Asked => ({
    path: '/mcp',
    headers: { authorization: `Bearer ${word}` },
  })),
  { path: '/mcp/admin', headers: { authorization: 'Bearer good' } },
];

const register = (json: unknown): Asked => ({ path: '/register', json });
const REGISTRATIONS: readonly Asked[] = [
  register({ redirect_uris: [CALLBACK] }),
  register({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
  register({
    redirect_uris: [CALLBACK, 'http://localhost:7/cb', 'app.example:/cb'],
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['authorization_code', 'client_credentials'],
    response_types: ['code'],
    client_name: 'App',
    client_uri: 'https://app.example',
    logo_uri: '',
    scope: 'a b',
    contacts: ['a@app.example'],
    jwks: { keys: [] },
    unknown: 'dropped',
  }),
  register({}),
  register({ redirect_uris: ['nonsense'] }),
  register({ redirect_uris: ['javascript:alert(1)'] }),
  register([]),
  register({ redirect_uris: [CALLBACK], client_name: 'grant' }),
  register({ redirect_uris: [CALLBACK], client_name: 'error' }),
  { path: '/register' },
  { path: '/register', form: { redirect_uris: CALLBACK } },
  { path: '/.well-known/oauth-authorization-server' },
];

async function run(library: Library, requests: readonly Asked[], registers: boolean): Promise<unknown[]> {
  const { router, bearer } = library;
  const seen: unknown[] = [];
  const provider = makeProvider(library, seen, registers);
  const app = express();
  const url = await serve(app);
  app.use(
    router.mcpAuthRouter({
      provider,
      issuerUrl: new URL(url),
      baseUrl: new URL(`${url}/base`),
      ...(!registers && { scopesSupported: ['read'], resourceName: 'Notes' }),
      serviceDocumentationUrl: new URL('https://docs.example/'),
    }),
  );
  const resourceServerUrl = new URL(`${url}/mcp`);
  const oauthMetadata = router.createOAuthMetadata({ provider, issuerUrl: new URL(url) });
  app.use(router.mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl }));
  const resourceMetadataUrl = 'https://self.example/.well-known/oauth-protected-resource';
  app.get('/mcp', bearer.requireBearerAuth({ verifier: provider, resourceMetadataUrl }), (request, response) => {
    response.json(request.auth);
  });
  const requiredScopes = ['read', 'admin'];
  app.get('/mcp/admin', bearer.requireBearerAuth({ verifier: provider, requiredScopes }), (_request, response) => {
    response.end();
  });
  const answers: unknown[] = [];
  for (const asked of requests) answers.push([asked, await ask(url, asked)]);
  return [...answers, seen.map((each) => JSON.parse(JSON.stringify(each)) as unknown)];
}

describe('the same as on the official SDK', () => {
  test('is what clients see of an authorization server, and what its provider is asked', async () => {
    expect(await run(OURS, REQUESTS, false)).toEqual(await run(THEIRS, REQUESTS, false));
  });

  test('is what registering clients see', async () => {
    expect(await run(OURS, REGISTRATIONS, true)).toEqual(await run(THEIRS, REGISTRATIONS, true));
  });

  test('is how often one address may call each endpoint', async () => {
    const counts = async (library: Library): Promise<unknown> => {
      const app = express();
      const url = await serve(app);
      const provider = makeProvider(library, [], true);
      const tokenOptions = {
        rateLimit: { limit: 2, handler: ((_req, res) => void res.status(503).end()) as RequestHandler },
      };
      app.use(library.router.mcpAuthRouter({ provider, issuerUrl: new URL(url), tokenOptions }));
      const statuses: Record<string, number[]> = {};
      for (const [path, calls] of Object.entries({ authorize: 101, register: 21, revoke: 51, token: 3 })) {
        statuses[path] = [];
        for (let call = 0; call < calls; call += 1) {
          const response = await fetch(`${url}/${path}`, { method: 'POST' });
          statuses[path].push(response.status);
          if (call === calls - 1) statuses[`${path} ${await response.text()}`] = [];
        }
      }
      return statuses;
    };
    expect(await counts(OURS)).toEqual(await counts(THEIRS));
  });

  test('is what an upstream server sees of the provider that passes everything on, and what becomes of its refusals', async () => {
    const pass = async ({ Proxy: Provider }: Library): Promise<unknown> => {
      const seen: unknown[] = [];
      const app = express();
      app.use(express.urlencoded({ extended: false }), express.json(), (request, response) => {
        const { 'content-type': type, accept } = request.headers;
        seen.push([request.method, request.path, type, accept, request.body]);
        if (Object.values(request.body as object).includes('refused'))
          response.status(400).json({ error: 'invalid_grant' });
        else if (request.path === '/register') response.json({ ...(request.body as object), client_id: 'new', odd: 1 });
        else response.json({ access_token: 'a', token_type: 'bearer', expires_in: '60', odd: 1 });
      });
      const url = await serve(app);
      const provider = new Provider({
        endpoints: {
          authorizationUrl: 'https://up.example/authorize',
          tokenUrl: `${url}/token`,
          revocationUrl: `${url}/revoke`,
          registrationUrl: `${url}/register`,
        },
        verifyAccessToken: async (given) => ({ token: given, clientId: 'c', scopes: [] }),
        getClient: async (id) => CLIENTS[id],
      });
      const client = CLIENTS['secret'] as OAuthClientInformationFull;
      const told = (call: Promise<unknown> | undefined): Promise<unknown> =>
        Promise.resolve(call).catch((error: Error) => [error.name, error.message, error.constructor.name]);
      const redirects: string[] = [];
      const res = { redirect: (to: string) => redirects.push(to) } as never;
      await provider.authorize(client, { codeChallenge: 'c', redirectUri: CALLBACK, scopes: ['a'], state: 's' }, res);
      const resource = new URL('https://r.example/mcp');
      return [
        await told(provider.exchangeAuthorizationCode(client, 'c', 'v', CALLBACK, resource)),
        await told(provider.exchangeAuthorizationCode(client, 'refused')),
        await told(provider.exchangeRefreshToken(client, 'r', ['a', 'b'], resource)),
        await told(provider.exchangeRefreshToken(client, 'refused')),
        await told(provider.revokeToken?.(client, { token: 't', token_type_hint: 'h' })),
        await told(provider.revokeToken?.(client, { token: 'refused' })),
        await told(Promise.resolve(provider.clientsStore.registerClient?.({ redirect_uris: [CALLBACK] }))),
        await told(
          Promise.resolve(
            provider.clientsStore.registerClient?.({ redirect_uris: [CALLBACK], client_name: 'refused' }),
          ),
        ),
        redirects,
        seen,
      ];
    };
    expect(await pass(OURS)).toEqual(await pass(THEIRS));
  });
});
