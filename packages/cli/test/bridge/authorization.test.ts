import { generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, UnauthorizedError } from 'crosspoint/client';
import { requireBearerAuth } from 'crosspoint/auth/server';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createAuthorizationServer, unattendedLogin } from '../../../authorization-server/src/index.ts';
import { sendJson, serve } from '../../../crosspoint/test/auth/serving.ts';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { program } from '../../../gateway/test/programs.ts';
import { Running } from './running.ts';

const AUDIENCE = 'https://mcp.example.com/mcp';
const SECRET = 'introspection-secret-0123456789abcdef';
const CHILD = ['--', process.execPath, program('child.mjs')];
const LOOPBACK = ['--listen', '127.0.0.1:0'];

const closing: (() => unknown)[] = [];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridge-auth-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(args: readonly string[], env: Record<string, string> = {}): Running {
  const one = new Running(args, env);
  closing.push(async () => {
    one.kill('SIGTERM');
    await one.ended;
  });
  return one;
}

async function listening(http: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

async function pidBy(url: string, token: string): Promise<string> {
  const client = new Client({ name: 'caller', version: '1.0.0' });
  await client.connect({ url, authProvider: { token: () => token } });
  closing.push(() => client.close());
  const [first] = (await client.callTool({ name: 'pid' })).content;
  return first?.type === 'text' ? first.text : '';
}

it('--issuer and --audience admit tokens that were signed for this address, and each user has a process', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' };
  const issuer = await serve((request, response) => {
    if (request.url === '/jwks') return sendJson(response, { keys: [jwk] });
    return sendJson(response, { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
  });
  closing.push(() => issuer.close());
  const token = (sub: string, aud = AUDIENCE): string => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer.url, aud, sub, client_id: 'app', scope: 'use', iat: now, exp: now + 300 };
    const signed = [{ alg: 'ES256', kid: 'one', typ: 'at+jwt' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const seal = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${seal.toString('base64url')}`;
  };
  const url = await start([
    ...LOOPBACK,
    '--issuer',
    issuer.url,
    '--audience',
    AUDIENCE,
    '--scope',
    'use',
    ...CHILD,
  ]).address();
  const [ada, bob, again] = await Promise.all(['ada', 'bob', 'ada'].map((sub) => pidBy(url, token(sub))));
  expect(ada).toBe(again);
  expect(ada).not.toBe(bob);
  await expect(pidBy(url, token('eve', 'https://other.example.com/mcp'))).rejects.toThrow(UnauthorizedError);
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
  expect(await metadata.json()).toMatchObject({ resource: AUDIENCE, authorization_servers: [issuer.url] });
});

/** An authorization server for one resource, with a service that gets tokens and a resource server that asks about them. */
async function authorizationServer(http: HttpServer, base: string, resource: string): Promise<void> {
  const authorization = createAuthorizationServer({
    issuer: base,
    resource,
    login: unattendedLogin({ sub: 'ada' }),
    clients: [
      { client_id: resource, client_secret: SECRET, token_endpoint_auth_method: 'client_secret_basic' },
      {
        client_id: 'service',
        client_secret: 'service-secret-0123456789abcdef0123',
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['client_credentials'],
      },
    ],
  });
  const { verifier } = authorization;
  const server = new McpServer({ name: 'remote', version: '1.0.0' });
  server.registerTool('who', {}, (ctx) => text(String(ctx.authInfo?.extra?.['sub'])));
  const auth = requireBearerAuth({ verifier, authorizationServers: [base], audience: resource });
  const handler = createMcpHandler(server, { auth, path: '/mcp' });
  http.on('request', (request, response) => {
    authorization.router(request, response, () => void handler.node(request, response));
  });
}

it('--introspection asks the issuer about opaque tokens', async () => {
  const http = createServer();
  const base = await listening(http);
  await authorizationServer(http, base, AUDIENCE);
  const answer = await fetch(`${base}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'service',
      client_secret: 'service-secret-0123456789abcdef0123',
      resource: AUDIENCE,
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const secret = join(folder, 'introspection');
  writeFileSync(secret, `${SECRET}\n`);
  chmodSync(secret, 0o600);
  const introspection = ['--introspection', `${base}/introspect`, '--introspection-client', AUDIENCE];
  const one = start([
    ...LOOPBACK,
    ...introspection,
    '--introspection-secret',
    `@${secret}`,
    '--issuer',
    base,
    '--audience',
    AUDIENCE,
    ...CHILD,
  ]);
  const url = await one.address();
  expect(Number(await pidBy(url, token))).toBeGreaterThan(0);
  await expect(pidBy(url, `${token}x`)).rejects.toThrow(UnauthorizedError);
  expect(one.stderr).not.toContain(SECRET);
});

proves('M-IOP-069').it('--login logs the bridge in when the server asks for it, and keeps the login', async () => {
  const http = createServer();
  const base = await listening(http);
  await authorizationServer(http, base, `${base}/mcp`);
  const credentials = join(folder, 'credentials.json');
  const args = [...LOOPBACK, '--login', '--credentials', credentials, `${base}/mcp`];
  const who = async (one: Running): Promise<unknown> => {
    const client = new Client({ name: 'caller', version: '1.0.0' });
    await client.connect(await one.address());
    closing.push(() => client.close());
    return (await client.callTool({ name: 'who' })).content;
  };
  // Without a display the address is printed.
  const first = start(args, { CI: '1' });
  const answer = who(first);
  await until(() => /http\S+\/authorize\S+/.test(first.stderr), 'the login page is named');
  const [page = ''] = /http\S+\/authorize\S+/.exec(first.stderr) ?? [];
  expect((await fetch(page)).status).toBe(200);
  expect(await answer).toEqual([{ type: 'text', text: 'ada' }]);
  expect(existsSync(credentials)).toBe(true);
  const second = start(args, { CI: '1' });
  expect(await who(second)).toEqual([{ type: 'text', text: 'ada' }]);
  expect(second.stderr).not.toContain('/authorize');
});
