import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { requireBearerAuth } from 'crosspoint/auth/server';
import { createAuthorizationServer, passwordLogin, thirdParty, type Person } from '@crosspoint/authorization-server';

export interface Hub {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface ServeOptions {
  readonly hub: (origin: string) => Promise<Hub>;
  readonly people: (name: string, password: string) => Person | undefined;
  readonly port: number;
}

/** A server whose tool uses its user's account at a third party. The user connects it on a page; the MCP client never sees the token. */
export async function serve({ hub: findHub, people, port }: ServeOptions) {
  const http = createServer();
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const audience = `${origin}/mcp`;
  const authorization = createAuthorizationServer({
    issuer: origin,
    resource: audience,
    login: passwordLogin({ check: people }),
  });
  const { url, clientId, clientSecret } = await findHub(origin);
  const hub = thirdParty({
    id: 'hub',
    name: 'Hub',
    issuer: url,
    clientId,
    clientSecret,
    scopes: ['repositories'],
    resource: `${url}/api`,
    baseUrl: origin,
    // The login of this server checks that the visitor of the page is the user who was asked.
    people: authorization,
  });

  const server = new McpServer({ name: 'hub-tools', version: '1.0.0' });
  server.registerTool('list_repositories', { description: 'Lists your repositories at Hub' }, async (ctx) => {
    const token = await hub.accessToken(ctx);
    const answer = await fetch(`${url}/api`, { headers: { authorization: `Bearer ${token}` } });
    return text(await answer.text());
  });

  const auth = requireBearerAuth({
    verifier: authorization.verifier,
    authorizationServers: [authorization.issuer],
    audience,
  });
  const handler = createMcpHandler(server, { auth, path: '/mcp' });
  http.on('request', (request, response) => {
    authorization.router(request, response, () =>
      hub.router(request, response, () => void handler.node(request, response)),
    );
  });
  return {
    url: audience,
    async close() {
      http.close();
      await handler.close({ grace: 1000 });
      http.closeAllConnections();
    },
  };
}
