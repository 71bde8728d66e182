// Everything of a login is passed on to another authorization server, which lives under another port.
import type { AddressInfo } from 'node:net';
import express from 'express';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { ProxyOAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/providers/proxyProvider.js';
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { MemoryProvider } from '../memory-provider.mjs';

const noLimit = { rateLimit: false } as const;
const options = {
  authorizationOptions: noLimit,
  tokenOptions: noLimit,
  revocationOptions: noLimit,
  clientRegistrationOptions: noLimit,
};
const listening = async (app: express.Express, port: number): Promise<URL> => {
  const listener = app.listen(port, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  return new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
};

const upstream = new MemoryProvider();
const far = express();
const farUrl = await listening(far, 0);
far.use(mcpAuthRouter({ provider: upstream, issuerUrl: farUrl, ...options }));

const provider = new ProxyOAuthServerProvider({
  endpoints: {
    authorizationUrl: new URL('/authorize', farUrl).href,
    tokenUrl: new URL('/token', farUrl).href,
    revocationUrl: new URL('/revoke', farUrl).href,
    registrationUrl: new URL('/register', farUrl).href,
  },
  verifyAccessToken: async (token) => {
    upstream.asked.push('verified');
    return upstream.verifyAccessToken(token);
  },
  getClient: async (id) => upstream.clients.get(id),
});

const app = express();
const url = await listening(app, Number(process.env['PORT']));
app.use(
  mcpAuthRouter({
    provider,
    issuerUrl: url,
    resourceServerUrl: new URL('/mcp', url),
    scopesSupported: ['notes'],
    ...options,
  }),
);
app.post('/mcp', requireBearerAuth({ verifier: provider }), express.json(), async (req, res) => {
  const server = new McpServer({ name: 'behind', version: '1.0.0' });
  server.registerTool('whoami', {}, ({ authInfo }) => ({
    content: [
      {
        type: 'text',
        text: JSON.stringify({ known: upstream.clients.has(authInfo?.clientId ?? ''), scopes: authInfo?.scopes }),
      },
    ],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.get('/state', (_req, res) => {
  res.json({ asked: [...new Set(upstream.asked)], clients: upstream.clients.size });
});
console.log(`listening on ${url.port}`);
