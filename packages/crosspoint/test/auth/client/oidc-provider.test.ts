import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainAuth, StoredProvider, type UserAgent } from '../../../src/auth/index.ts';
import { Client } from '../../../src/client/index.ts';
import { createMcpHandler, McpServer, text } from '../../../src/server/index.ts';
import { startOidcProvider, type RunningProvider } from '../../fixtures/auth/oidc-provider.mjs';
import { proves } from '../../requirements/proves.ts';
import { sendJson, serve, type Served } from '../serving.ts';

let as: RunningProvider;
let mcp: Served;
let refuseAll = false;
const resource = (): string => `${mcp.url}/mcp`;

beforeAll(async () => {
  as = await startOidcProvider({ resource });
  const keys = createRemoteJWKSet(new URL(`${as.issuer}/jwks`));
  const server = new McpServer({ name: 'guarded', version: '1.0.0' });
  server.registerTool('whoami', {}, () => text('alice'));
  const handler = createMcpHandler(server);
  const metadata = '/.well-known/oauth-protected-resource/mcp';
  mcp = await serve(async (request, response, body) => {
    if (request.url === metadata)
      return sendJson(response, {
        resource: resource(),
        authorization_servers: [as.issuer],
        scopes_supported: ['tools'],
      });
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const isGood = await jwtVerify(token, keys, { issuer: as.issuer, audience: resource() }).then(
      ({ payload }) => payload['scope'] === 'tools' && !refuseAll,
      () => false,
    );
    refuseAll = false;
    if (!isGood)
      return sendJson(response, {}, 401, { 'WWW-Authenticate': `Bearer resource_metadata="${mcp.url}${metadata}"` });
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const init = { method: request.method ?? '', headers, ...(request.method === 'POST' && { body }) };
    const answer = await handler.fetch(new Request(resource(), init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
}, 60_000);
afterAll(async () => {
  await mcp.close();
  await as.close();
});

/** A browser that keeps cookies and follows everything until it is sent back. */
const browser: UserAgent = {
  begin: () => Promise.resolve('http://127.0.0.1:9/callback'),
  async visit(page) {
    const cookies = new Map<string, string>();
    for (let url = page, hops = 0; hops < 10; hops += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${response.status} ${await response.text()}`);
      url = new URL(location, url);
      if (url.port === '9') return url.searchParams;
    }
    throw new Error('There was no way back.');
  },
  end: () => Promise.resolve(),
};

describe('an authorization server that somebody else wrote', () => {
  proves('L-AUTH-005').it('lets us in: registration, login, resource, issuer, and renewal with rotation', async () => {
    const authProvider = new StoredProvider({ serverUrl: resource(), clientName: 'Test', userAgent: browser });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect({ url: resource(), authProvider });
    expect((await client.callTool({ name: 'whoami', arguments: {} })).content).toEqual([
      { type: 'text', text: 'alice' },
    ]);
    const first = await authProvider.tokens();
    expect(first).toMatchObject({ issuer: as.issuer, resource: resource() });
    expect(first?.refresh_token).toBeDefined();
    refuseAll = true;
    await client.callTool({ name: 'whoami', arguments: {} });
    const second = await authProvider.tokens();
    expect(second?.access_token).not.toBe(first?.access_token);
    expect(as.requests.filter((what) => what === 'GET /auth')).toHaveLength(1);
    await client.close();
  });

  it('can be explained', async () => {
    const { ok, steps } = await explainAuth(resource());
    expect(ok).toBe(true);
    expect(steps.map(({ step, verdict }) => `${step}: ${verdict}`)).toEqual([
      'request without a token: good',
      'protected-resource metadata: good',
      'authorization-server metadata: good',
      'resource: good',
      'PKCE: good',
      'client registration: good',
      'scope: good',
      'issuer of the answer: good',
    ]);
  });
});
