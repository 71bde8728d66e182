import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requireBearerAuth } from 'crosspoint/auth/server';
import { createAuthorizationServer, unattendedLogin } from '../../../authorization-server/src/index.ts';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnauthorizedError } from '../../src/client/auth.ts';
import { Client } from '../../src/client/index.ts';
import { StreamableHTTPClientTransport } from '../../src/client/streamableHttp.ts';
import { RecordingProvider } from './recording-provider.ts';

/** Keeps the page that the user is sent to. */
class Browser extends RecordingProvider {
  page: URL | undefined;
  override redirectToAuthorization(url: URL): void {
    this.page = url;
  }
}

describe('a login of v1 at the authorization server of this library, which announces iss', () => {
  const http = createServer();
  let origin = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const audience = `${origin}/mcp`;
    const login = unattendedLogin({ sub: 'ann' });
    const authorization = createAuthorizationServer({ issuer: origin, resource: audience, login });
    const auth = requireBearerAuth({
      verifier: authorization.verifier,
      authorizationServers: [authorization.issuer],
      audience,
    });
    const server = new McpServer({ name: 'protected', version: '1.0.0' });
    server.registerTool('whoami', {}, (ctx) => text(String(ctx.principal !== undefined)));
    const handler = createMcpHandler(server, { auth, path: '/mcp' });
    http.on('request', (request, response) =>
      authorization.router(request, response, () => void handler.node(request, response)),
    );
  });
  afterAll(() => {
    http.close();
    http.closeAllConnections();
  });

  it('announces iss', async () => {
    const metadata = (await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).json()) as object;
    expect(metadata).toMatchObject({ authorization_response_iss_parameter_supported: true });
  });

  it('finishAuth(code), as every program for v1 calls it, ends it', async () => {
    const provider = new Browser();
    const open = (): StreamableHTTPClientTransport =>
      new StreamableHTTPClientTransport(new URL('/mcp', origin), { authProvider: provider });
    const first = open();
    const refused = new Client({ name: 'desk', version: '1.0.0' }).connect(first);
    await expect(refused).rejects.toBeInstanceOf(UnauthorizedError);

    const answered = await fetch(provider.page ?? '', { redirect: 'manual' });
    const callback = new URL(answered.headers.get('location') ?? '');
    expect(callback.searchParams.get('iss')).toBe(origin);
    await first.finishAuth(callback.searchParams.get('code') ?? '');

    const client = new Client({ name: 'desk', version: '1.0.0' });
    await client.connect(open());
    expect(await client.callTool({ name: 'whoami' })).toMatchObject({ content: [{ text: 'true' }] });
    await client.close();
  });

  it('an iss of another authorization server is refused, where the program hands it over', async () => {
    const provider = new Browser();
    const first = new StreamableHTTPClientTransport(new URL('/mcp', origin), { authProvider: provider });
    await expect(new Client({ name: 'desk', version: '1.0.0' }).connect(first)).rejects.toThrow();
    const answered = await fetch(provider.page ?? '', { redirect: 'manual' });
    const code = new URL(answered.headers.get('location') ?? '').searchParams.get('code') ?? '';
    await expect(first.finishAuth(code, 'https://evil.example')).rejects.toThrow('another authorization server');
    expect(provider.kept).toBeUndefined();
  });
});
