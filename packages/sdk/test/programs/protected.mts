import express from 'express';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { mcpAuthMetadataRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/sdk/server/auth/router.js';

/** A server that lets in whoever brings a token of the issuer at the same address. */
export function protect(app: express.Express, url: URL): void {
  const resource = new URL('/mcp', url);
  app.use(
    mcpAuthMetadataRouter({
      oauthMetadata: {
        issuer: url.origin,
        authorization_endpoint: new URL('/authorize', url).href,
        token_endpoint: new URL('/token', url).href,
        response_types_supported: ['code'],
      },
      resourceServerUrl: resource,
      scopesSupported: ['read'],
      resourceName: 'Vault',
    }),
  );
  const verifier = {
    async verifyAccessToken(token: string) {
      if (!token.startsWith('token-')) throw new InvalidTokenError('It is not one of ours');
      return { token, clientId: 'robot', scopes: ['read'], expiresAt: Math.floor(Date.now() / 1000) + 3600, resource };
    },
  };
  app.post(
    '/mcp',
    requireBearerAuth({
      verifier,
      requiredScopes: ['read'],
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource),
    }),
    express.json(),
    async (req, res) => {
      const server = new McpServer({ name: 'vault', version: '1.0.0' });
      server.registerTool('open', {}, ({ authInfo }) => ({
        content: [{ type: 'text', text: `for ${authInfo?.clientId} with ${authInfo?.scopes.join(' ')}` }],
      }));
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
      await server.connect(transport);
      await transport.handleRequest(req, res, req.body);
    },
  );
}
