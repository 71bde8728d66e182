import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from 'crosspoint/server';
import { requireBearerAuth } from 'crosspoint/auth/server';
import { createAuthorizationServer, passwordLogin, type Person } from '@crosspoint/authorization-server';
import { createNotesServer } from './notes-server.ts';

/** The notes, protected, with a small authorization server beside them. */
export async function serve(people: (name: string, password: string) => Person | undefined, port: number) {
  const http = createServer();
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const audience = `${origin}/mcp`;

  const authorization = createAuthorizationServer({
    issuer: origin,
    resource: audience,
    scopes: ['notes:read', 'notes:write'],
    defaultScopes: ['notes:read'],
    login: passwordLogin({ check: people }),
  });

  // These three lines protect the server. With an authorization server elsewhere, its address as `issuer` replaces the first two.
  const { issuer, verifier } = authorization;
  const auth = requireBearerAuth({ verifier, authorizationServers: [issuer], audience, scopes: ['notes:read'] });
  const handler = createMcpHandler(createNotesServer(), { auth, path: '/mcp' });

  http.on('request', (request, response) => {
    authorization.router(request, response, () => void handler.node(request, response));
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
