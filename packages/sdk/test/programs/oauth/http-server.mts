// An authorization server and what it protects, in one application.
import type { AddressInfo } from 'node:net';
import express from 'express';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import {
  createOAuthMetadata,
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { MemoryProvider } from '../memory-provider.mjs';

const app = express();
const provider = new MemoryProvider();
const listener = app.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  const { port } = listener.address() as AddressInfo;
  const issuerUrl = new URL(`http://127.0.0.1:${port}`);
  const resourceServerUrl = new URL('/mcp', issuerUrl);
  const noLimit = { rateLimit: false } as const;
  app.use(
    mcpAuthRouter({
      provider,
      issuerUrl,
      resourceServerUrl,
      resourceName: 'Notes',
      scopesSupported: ['notes', 'admin'],
      serviceDocumentationUrl: new URL('https://notes.example/docs'),
      authorizationOptions: noLimit,
      tokenOptions: noLimit,
      revocationOptions: noLimit,
      clientRegistrationOptions: { ...noLimit, clientSecretExpirySeconds: 0 },
    }),
  );
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl);
  const serve: express.RequestHandler = async (req, res) => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    server.registerTool('whoami', {}, ({ authInfo }) => ({
      content: [
        {
          type: 'text',
          text: JSON.stringify({ known: provider.clients.has(authInfo?.clientId ?? ''), scopes: authInfo?.scopes }),
        },
      ],
    }));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  };
  app.post(
    '/mcp',
    requireBearerAuth({ verifier: provider, requiredScopes: ['notes'], resourceMetadataUrl }),
    express.json(),
    serve,
  );
  app.post(
    '/admin',
    requireBearerAuth({ verifier: provider, requiredScopes: ['admin'], resourceMetadataUrl }),
    express.json(),
    serve,
  );
  app.post('/forget', (_req, res) => {
    for (const [token, { expiresAt }] of provider.grants) if (expiresAt !== undefined) provider.grants.delete(token);
    res.json({});
  });
  app.get('/state', (_req, res) => {
    const { scopes_supported, revocation_endpoint } = createOAuthMetadata({
      provider,
      issuerUrl,
      scopesSupported: ['notes'],
    });
    res.json({ asked: provider.asked, clients: provider.clients.size, scopes_supported, revocation_endpoint });
  });
  console.log(`listening on ${port}`);
});
