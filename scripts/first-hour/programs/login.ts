import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogin } from 'crosspoint/auth/node';
import { requireBearerAuth } from 'crosspoint/auth/server';
import { createAuthorizationServer, unattendedLogin } from '@crosspoint/authorization-server';
import { Client, UnauthorizedError } from 'crosspoint/client';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';

const server = new McpServer({ name: 'notes', version: '1.0.0' });
server.registerTool('who', {}, ({ authInfo }) => text(`You are ${String(authInfo?.extra?.['sub'])}.`));

async function visit(url: string): Promise<void> {
  const stranger = new Client({ name: 'stranger', version: '1.0.0' });
  const refused = await stranger.connect(url).then(
    () => false,
    (error: unknown) => error instanceof UnauthorizedError,
  );
  const authProvider = createLogin({
    serverUrl: url,
    clientName: 'Visitor',
    say: () => {},
    // In the place of a browser: everybody is let in, and sent back at once.
    open: async (page) => void (await fetch(page)),
  });
  const client = new Client({ name: 'visitor', version: '1.0.0' });
  await client.connect({ url, authProvider });
  const { content } = await client.callTool({ name: 'who' });
  console.log(JSON.stringify([refused, content]));
  await client.close();
}

/** A protected server with a small authorization server beside it, a stranger who is refused, and somebody who logs in. */
async function main(): Promise<void> {
  const listener = createServer();
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const audience = `${origin}/mcp`;
  const login = unattendedLogin({ sub: 'ada' });
  const authorization = createAuthorizationServer({ issuer: origin, resource: audience, scopes: ['notes'], login });
  const { issuer, verifier } = authorization;
  const auth = requireBearerAuth({ verifier, authorizationServers: [issuer], audience, scopes: ['notes'] });
  const handler = createMcpHandler(server, { auth, path: '/mcp' });
  listener.on('request', (request, response) => {
    authorization.router(request, response, () => void handler.node(request, response));
  });
  await visit(audience);
  await handler.close({ grace: 1000 });
  listener.close();
  listener.closeAllConnections();
}

void main();
