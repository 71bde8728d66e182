import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requireBearerAuth, type AuthInfo } from 'crosspoint/auth/server';
import { createAuthorizationServer, unattendedLogin } from '@crosspoint/authorization-server';

export const HUB_CLIENT = { clientId: 'notes-at-hub', clientSecret: 'a secret between the two' };

/** A third party for the example: an API with its own authorization server, at which every user is the same person. */
export async function startHub(redirectUri: (origin: string) => string, user: { sub: string }) {
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const authorization = createAuthorizationServer({
    issuer: url,
    resource: `${url}/api`,
    scopes: ['repositories'],
    clients: [
      {
        client_id: HUB_CLIENT.clientId,
        client_secret: HUB_CLIENT.clientSecret,
        token_endpoint_auth_method: 'client_secret_basic',
        redirect_uris: [redirectUri(url)],
      },
    ],
    login: unattendedLogin(user),
  });
  const auth = requireBearerAuth({ verifier: authorization.verifier, audience: `${url}/api` });
  http.on('request', (request: IncomingMessage & { auth?: AuthInfo }, response) => {
    authorization.router(request, response, () =>
      auth(request, response, () => response.end(`repositories of ${String(request.auth?.extra?.['sub'])}`)),
    );
  });
  return { url, close: () => (http.closeAllConnections(), http.close()) };
}
