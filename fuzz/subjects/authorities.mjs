// The authorization servers that are fuzzed, each with the parts it needs. All are at one issuer on this machine, and called without sockets
// but for the router of the older paths, which is Express's.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mcpAuthRouter } from '@crosspoint/sdk/server/auth/router.js';
import { InvalidTokenError, requireBearerAuth } from 'crosspoint/auth/server';
import { createAuthorizationServer, passwordLogin, upstreamLogin } from '@crosspoint/authorization-server';
import { createMcpHandler } from 'crosspoint/server';
import express from 'express';
import { createFuzzedServer } from './server.mjs';

export const ISSUER = 'http://127.0.0.1:9';
export const RESOURCE = `${ISSUER}/mcp`;
export const CALLBACK = 'https://client.example.com/callback';
export const HUB = 'https://hub.example.com';
/** A secret that only a person knows: a case without it must not end with a token. */
export const PASSWORD = 'engine-of-ada';
export const VERIFIER = 'v'.repeat(43);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

const FREE = { max: 1e9, windowMs: 60_000 };
const OPTIONS = {
  issuer: ISSUER,
  resource: RESOURCE,
  scopes: ['read', 'write', 'admin'],
  defaultScopes: ['read'],
  rateLimit: FREE,
  registration: { maxPerHour: 1e9, maxPerHourOfAll: 1e9, unusedMs: 2000 },
  clients: [
    { client_id: 'desk', client_name: 'Desk', redirect_uris: [CALLBACK] },
    {
      client_id: 'machine',
      client_secret: 'secret-of-the-machine',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials'],
      redirect_uris: [],
    },
  ],
};

const byPassword = () =>
  passwordLogin({
    maxFailures: 1e9,
    check: (name, password) => (name === 'ada' && password === PASSWORD ? { sub: 'ada', name: 'Ada' } : undefined),
  });

/**
 * Opens one of them anew. `documents` are the responses of the addresses that the case names, by address.
 * `isAutomatic`: the program's provider approves without asking, so tokens are no fault.
 */
export function openAuthority(name, documents) {
  const problems = [];
  const fetch = async (url) => {
    const found = documents[String(url)];
    if (found === undefined) return new Response('nothing', { status: 404 });
    return new Response(typeof found === 'string' ? found : JSON.stringify(found), {
      headers: { 'content-type': 'application/json' },
    });
  };
  const onproblem = (problem) => problems.push(problem);
  const made = ROOMS[name]({ ...OPTIONS, outbound: { fetch }, onproblem }, fetch);
  return { ...made, problems };
}

const ROOMS = {
  password: (options) => guarded(createAuthorizationServer({ ...options, login: byPassword() })),
  closed: (options) => guarded(createAuthorizationServer({ ...options, registration: false, login: byPassword() })),
  proxy: (options, fetch) =>
    guarded(
      createAuthorizationServer({
        ...options,
        login: upstreamLogin({
          name: 'Hub',
          endpoints: { authorizationUrl: `${HUB}/authorize`, tokenUrl: `${HUB}/token` },
          clientId: 'proxy',
          clientSecret: 's',
          scopes: ['repo'],
          recheckMs: 0,
          identify: () => ({ sub: 'ada', name: 'Ada' }),
          fetch,
        }),
      }),
    ),
  router: ({ onproblem }) => {
    const free = { rateLimit: false };
    const app = express();
    app.use(
      mcpAuthRouter({
        provider: makeProvider(),
        issuerUrl: new URL(ISSUER),
        resourceServerUrl: new URL(RESOURCE),
        scopesSupported: ['read'],
        authorizationOptions: free,
        tokenOptions: free,
        revocationOptions: free,
        clientRegistrationOptions: free,
      }),
      (error, _request, response, _next) => {
        onproblem(error);
        response.status(500).end();
      },
    );
    return { isAutomatic: true, ...overSocket(app) };
  },
};

/** Calls an application of Node like one of the web. */
function overSocket(app) {
  const http = createServer(app).listen(0, '127.0.0.1');
  const listening = once(http, 'listening');
  const fetched = async (request) => {
    await listening;
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    const headers = new Headers(request.headers);
    // A socket has a framing of its own: a wrong length would keep the sender waiting, not the server.
    for (const name of ['content-length', 'transfer-encoding', 'connection', 'expect']) headers.delete(name);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const url = `http://127.0.0.1:${http.address().port}${pathname}${search}`;
    return fetch(url, { method, headers, body, redirect: 'manual' });
  };
  const stop = async () => {
    await listening;
    http.closeAllConnections();
    http.close();
  };
  return { served: { fetch: fetched }, stop };
}

/** Adds a server that accepts its tokens. */
function guarded(as) {
  const auth = requireBearerAuth({ verifier: as.verifier, audience: RESOURCE, authorizationServers: [as.issuer] });
  const handler = createMcpHandler(createFuzzedServer(), { auth, path: '/mcp', sessions: false, legacySse: false });
  const fetch = (request) => {
    const { pathname } = new URL(request.url);
    return as.serves(pathname)
      ? as.fetch(request, { remoteAddress: '127.0.0.1' })
      : handler.fetch(request, { isLoopback: true });
  };
  return { served: { fetch }, stop: () => handler.close({ grace: 0 }) };
}

/** The smallest provider that a program could write. */
function makeProvider() {
  const clients = new Map();
  const codes = new Map();
  const tokens = new Map();
  let serial = 0;
  const issue = (params) => {
    const token = `token-${(serial += 1)}`;
    tokens.set(token, params);
    return { access_token: token, token_type: 'Bearer', refresh_token: `refresh-${token}` };
  };
  const known = (map, key) => {
    if (!map.has(key)) throw new InvalidTokenError('unknown');
    return map.get(key);
  };
  return {
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (client) => (clients.set(client.client_id, client), client),
    },
    async authorize(_client, params, res) {
      const code = `code-${(serial += 1)}`;
      codes.set(code, params);
      const url = new URL(params.redirectUri);
      url.searchParams.set('code', code);
      res.redirect(url.href);
    },
    challengeForAuthorizationCode: async (_client, code) => known(codes, code).codeChallenge,
    exchangeAuthorizationCode: async (_client, code) => issue(known(codes, code)),
    exchangeRefreshToken: async (_client, token) => issue(known(tokens, token.replace('refresh-', ''))),
    verifyAccessToken: async (token) => ({ token, clientId: 'c', scopes: known(tokens, token).scopes ?? [] }),
    revokeToken: async () => {},
  };
}
