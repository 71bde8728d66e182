// What stands between a client and the network.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import {
  applyMiddlewares,
  createMiddleware,
  withLogging,
  withOAuth,
} from '@modelcontextprotocol/sdk/client/middleware.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { protect } from '../protected.mjs';
import { say } from '../say.mjs';
import { issue } from '../small-issuer.mjs';

const issuer = await issue(protect);
const url = new URL('/mcp', issuer.url);

let tokens: OAuthTokens | undefined = { access_token: 'stale', token_type: 'Bearer', refresh_token: 'again' };
const provider: OAuthClientProvider = {
  redirectUrl: 'http://localhost/callback',
  clientMetadata: { redirect_uris: ['http://localhost/callback'], client_name: 'Middle' },
  clientInformation: (): OAuthClientInformationMixed => ({ client_id: 'public' }),
  tokens: () => tokens,
  saveTokens: (saved) => {
    tokens = saved;
  },
  redirectToAuthorization: () => say('sent away, which nobody wanted'),
  saveCodeVerifier: () => {},
  codeVerifier: () => 'unused',
};

const log: unknown[] = [];
const stamped = createMiddleware(async (next, input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('X-Stamp', 'middle');
  return next(input, { ...init, headers });
});
const throughAll = applyMiddlewares(
  stamped,
  withOAuth(provider, url),
  withLogging({
    includeRequestHeaders: true,
    statusLevel: 0,
    logger: ({ method, url: target, status, duration, requestHeaders }) => {
      log.push({
        method,
        path: new URL(target).pathname,
        status,
        timed: duration >= 0,
        stamp: requestHeaders?.get('x-stamp') ?? null,
      });
    },
  }),
)(fetch);

const answer = await throughAll(url, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'open' } }),
});
say('answer', { status: answer.status, body: await answer.json() });
say('log', log);
say(
  'grants',
  issuer.grants.map(({ grant, how }) => ({ grant, how })),
);
say('tokens', tokens?.access_token);

const quiet: number[] = [];
const failing = applyMiddlewares(withLogging({ statusLevel: 400, logger: ({ status }) => quiet.push(status) }))(fetch);
say('without a token', (await failing(url, { method: 'POST', body: '{}' })).status);
await failing(new URL('/.well-known/oauth-authorization-server', url));
say('logged from 400 on', quiet);

const client = new Client({ name: 'middle', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(url, { fetch: throughAll }));
say('through all', (await client.callTool({ name: 'open' })).content);
await client.close();
issuer.close();
say('done');
