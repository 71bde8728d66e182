import express from 'express';
import { generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseChallenges } from '../../../src/auth/challenge.ts';
import {
  getOAuthProtectedResourceMetadataUrl,
  hasScopes,
  InvalidTokenError,
  requireBearerAuth,
  type BearerAuthOptions,
} from '../../../src/auth/server/index.ts';
import { protectedResourceMetadata } from '../../../src/auth/server/resource/protected-resource.ts';
import { McpServer, createMcpHandler } from '../../../src/server/index.ts';
import {
  HANDSHAKE,
  closeAll,
  listen,
  makeServer,
  openSession,
  send,
  serve,
  stateless,
  type Served,
} from '../../http/serving.ts';
import { Client } from '../../../src/client/index.ts';
import { InMemoryTransport } from '../../../src/transports/memory/in-memory-transport.ts';
import { proves } from '../../requirements/proves.ts';
import { until } from '../../until.ts';
import { startIssuer, type Issuer } from './issuer.ts';

const HERE = 'https://notes.example.com/mcp';
let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());
afterEach(closeAll);

function notesServer(): McpServer {
  const server = makeServer();
  server.registerTool('write', { inputSchema: z.object({}), scopes: ['notes:write'] }, async (_args, ctx) => ({
    content: [{ type: 'text', text: `written by ${String(ctx.authInfo?.extra?.['sub'])}` }],
  }));
  server.registerTool('admin', { visible: hasScopes('notes:admin') }, async () => ({ content: [] }));
  server.registerResource('secret', 'note://secret', { scopes: ['notes:read', 'notes:secret'] }, async (uri) => ({
    contents: [{ uri: uri.href, text: 'hidden' }],
  }));
  return server;
}

function protect(more: Partial<BearerAuthOptions> = {}): Promise<Served> {
  const auth = requireBearerAuth({ issuer: issuer.url, audience: HERE, scopes: ['notes:read'], ...more });
  return serve({ auth, path: '/mcp' }, {}, notesServer());
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const tokenFor = (more: object = {}): Promise<string> =>
  issuer.sign({ aud: HERE, sub: 'ada', client_id: 'desk', scope: 'notes:read', ...more });

function challengeOf(headers: Record<string, unknown>): Record<string, string> {
  return { ...parseChallenges(String(headers['www-authenticate']))[0]?.params };
}

describe('a protected server', () => {
  proves('L-AUTH-023, L-AUTH-028, M-AD-001, M-AD-006').test(
    'tells where to log in, under its own path and the bare one',
    async () => {
      const at = await protect({ resourceName: 'Notes' });
      for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
        const answer = await send(at, { method: 'GET', path });
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
        expect(await answer.json()).toEqual({
          resource: HERE,
          authorization_servers: [issuer.url],
          scopes_supported: ['notes:read'],
          bearer_methods_supported: ['header'],
          resource_name: 'Notes',
        });
      }
    },
  );

  proves('L-AUTH-009, L-AUTH-027, L-AUTH-037, L-SECURITY-040, M-AF-005, M-ASEC-041').test(
    'answers every method without a token with 401, the metadata and the scopes',
    async () => {
      const at = await protect();
      const bare = [
        stateless('tools/list'),
        { method: 'GET' },
        { method: 'DELETE', headers: { 'mcp-session-id': 'x' } },
        { method: 'GET', path: '/sse' },
      ];
      for (const request of bare) {
        const answer = await send(at, request);
        expect(answer.status).toBe(401);
        expect(challengeOf(answer.headers)).toEqual({
          resource_metadata: 'https://notes.example.com/.well-known/oauth-protected-resource/mcp',
          scope: 'notes:read',
        });
      }
    },
  );

  proves('L-AUTH-064, L-AUTH-070, L-AUTH-071, L-AUTH-072, M-AF-024, M-AF-029, M-AF-030, M-AF-031, M-ASEC-022').test(
    'refuses a token that is not for it, and says why',
    async () => {
      const at = await protect();
      const { privateKey } = await generateKeyPair('ES256');
      const faults: [string, string][] = [
        ['not.a.token', 'cannot be read'],
        [await tokenFor({ exp: Math.floor(Date.now() / 1000) - 600 }), 'expired'],
        [await tokenFor({ aud: 'https://other.example.com/mcp' }), 'another server'],
        [await tokenFor({ aud: 'https://notes.example.com' }), 'another server'],
        [await tokenFor({ aud: ['https://other.example.com', 'https://notes.example.com/mcp2'] }), 'another server'],
        [await tokenFor({ iss: 'https://evil.example.com' }), 'another issuer'],
        [await issuer.sign({ aud: HERE, sub: 'ada' }, { key: privateKey }), 'signature'],
        [await issuer.sign({ aud: HERE, sub: 'ada' }, { typ: 'dpop+jwt' }), 'not an access token'],
        [await tokenFor({ aud: undefined }), 'aud'],
      ];
      for (const [token, reason] of faults) {
        const answer = await send(at, stateless('tools/list', {}, { headers: bearer(token) }));
        expect([answer.status, challengeOf(answer.headers)['error']], reason).toEqual([401, 'invalid_token']);
        expect(challengeOf(answer.headers)['error_description']).toContain(reason);
        expect((await answer.json()).result).toBeUndefined();
      }
      expect((await send(at, stateless('tools/list', {}, { headers: bearer(await tokenFor()) }))).status).toBe(200);
      expect(
        (
          await send(
            at,
            stateless(
              'tools/list',
              {},
              { headers: bearer(await tokenFor({ aud: ['x', 'HTTPS://Notes.Example.com/mcp/'] })) },
            ),
          )
        ).status,
      ).toBe(200);
    },
  );

  proves('L-AUTH-078, M-AF-039').test('uses 401, 403 and 400 as they are meant', async () => {
    const at = await protect();
    const withScope = bearer(await tokenFor());
    const table: [Record<string, string>, number, string | undefined][] = [
      [{}, 401, undefined],
      [bearer('x.y.z'), 401, 'invalid_token'],
      [bearer(await tokenFor({ scope: 'other' })), 403, 'insufficient_scope'],
      [{ authorization: 'Bearer a b' }, 400, 'invalid_request'],
      [withScope, 200, undefined],
    ];
    for (const [headers, status, error] of table) {
      const answer = await send(at, stateless('tools/list', {}, { headers }));
      expect([answer.status, challengeOf(answer.headers)['error']]).toEqual([status, error]);
    }
  });

  proves('L-AUTH-073, M-ASEC-021, M-ASEC-035').test(
    'looks at every request by itself, and runs nothing for who is not let in',
    async () => {
      const at = await protect();
      const calls: string[] = [];
      at.server.registerTool('seen', {}, async () => {
        calls.push('seen');
        return { content: [] };
      });
      const session = await openSession(at, HANDSHAKE, {}, bearer(await tokenFor()));
      expect((await session.call(1, 'seen')).status).toBe(200);
      const expired = bearer(await tokenFor({ exp: Math.floor(Date.now() / 1000) - 600 }));
      const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'seen' } };
      for (const headers of [expired, bearer('junk'), { authorization: '' }]) {
        const answer = await (await session.post(call, headers)).finish();
        expect(answer.status).toBe(401);
        expect(answer.text).not.toContain('content');
      }
      expect(calls).toEqual(['seen']);
    },
  );

  proves('L-AUTH-079, L-AUTH-080, M-AF-040, M-AF-041').test(
    'asks once for all that a tool needs, before it runs',
    async () => {
      const at = await protect();
      const headers = bearer(await tokenFor());
      const session = await openSession(at, HANDSHAKE, {}, headers);
      const answers = [
        await send(at, stateless('tools/call', { name: 'write', arguments: {} }, { headers })),
        await session.call(1, 'write'),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(403);
        expect(challengeOf(answer.headers)).toEqual({
          error: 'insufficient_scope',
          error_description: 'This needs the scopes: notes:read notes:write.',
          resource_metadata: 'https://notes.example.com/.well-known/oauth-protected-resource/mcp',
          scope: 'notes:read notes:write',
        });
      }
      const read = await send(at, stateless('resources/read', { uri: 'note://secret' }, { headers }));
      expect([read.status, challengeOf(read.headers)['scope']]).toEqual([403, 'notes:read notes:secret']);
      const more = bearer(await tokenFor({ scope: 'notes:read notes:write' }));
      const done = await send(at, stateless('tools/call', { name: 'write', arguments: {} }, { headers: more }));
      expect(JSON.stringify((await done.json()).result)).toContain('written by ada');
    },
  );

  test('asks for them on the older transport as well', async () => {
    const at = await protect();
    const headers = bearer(await tokenFor());
    const stream = await send(at, { method: 'GET', path: '/sse', headers });
    await until(() => stream.frames.some((frame) => frame.event === 'endpoint'));
    const path = stream.frames.find((frame) => frame.event === 'endpoint')?.data ?? '';
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write', arguments: {} } };
    const refused = await send(at, { path, body, headers });
    expect([refused.status, challengeOf(refused.headers)['scope']]).toEqual([403, 'notes:read notes:write']);
    stream.abort();
  });

  test('a tool with scopes is open to who started the server, and to nobody over HTTP that nobody has verified', async () => {
    const server = notesServer();
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(near);
    expect(JSON.stringify(await client.callTool({ name: 'write', arguments: {} }))).toContain('written by');
    await client.close();
    const open = await serve({}, {}, notesServer());
    const answer = await (await send(open, stateless('tools/call', { name: 'write', arguments: {} }))).json();
    expect(answer.error?.message).toContain('needs a token with the scopes: notes:write');
  });

  test('asks for what the arguments call for', async () => {
    const at = await protect();
    at.server.registerTool(
      'send',
      {
        inputSchema: z.object({ to: z.string() }),
        scopes: ({ to }) => (String(to).endsWith('@example.com') ? [] : ['mail:outside']),
      },
      async () => ({ content: [{ type: 'text', text: 'sent' }] }),
    );
    const headers = bearer(await tokenFor());
    const sent = (to: unknown) => send(at, stateless('tools/call', { name: 'send', arguments: { to } }, { headers }));
    expect((await sent('ada@example.com')).status).toBe(200);
    const outside = await sent('eve@example.org');
    expect([outside.status, challengeOf(outside.headers)['scope']]).toEqual([403, 'notes:read mail:outside']);
    expect((await sent(7)).status).toBe(403);
  });

  proves('M-AF-045').test('lets a broader scope stand for a narrower one', async () => {
    const at = await protect({ scopeHierarchy: { 'notes:admin': ['notes:write'], 'notes:write': ['notes:read'] } });
    const headers = bearer(await tokenFor({ scope: 'notes:admin' }));
    expect((await send(at, stateless('tools/call', { name: 'write', arguments: {} }, { headers }))).status).toBe(200);
    const narrow = bearer(await tokenFor({ scope: 'notes:read' }));
    expect(
      (await send(at, stateless('tools/call', { name: 'write', arguments: {} }, { headers: narrow }))).status,
    ).toBe(403);
  });

  test('lists by the token that comes along and by nothing else, for its bearer alone', async () => {
    const at = await protect();
    const names = async (headers: Record<string, string>): Promise<[string[], string]> => {
      const answer = await (await send(at, stateless('tools/list', {}, { headers }))).json();
      const { tools, cacheScope } = answer.result as unknown as { tools: { name: string }[]; cacheScope: string };
      return [tools.map(({ name }) => name), cacheScope];
    };
    const plain = bearer(await tokenFor());
    const admin = bearer(await tokenFor({ sub: 'root', scope: 'notes:read notes:admin' }));
    const [before, scope] = await names(plain);
    expect(scope).toBe('private');
    expect(before).not.toContain('admin');
    expect(before).toContain('write');
    expect((await names(admin))[0]).toContain('admin');
    // What others ask in between changes nothing, and neither does another token of the same reach.
    expect(await names(plain)).toEqual([before, 'private']);
    expect((await names(bearer(await tokenFor({ sub: 'eve' }))))[0]).toEqual(before);
    const session = await openSession(at, HANDSHAKE, {}, plain);
    const listed = await (await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).finish();
    expect(listed.text).not.toContain('"admin"');
    const called = await (await send(at, stateless('tools/call', { name: 'admin' }, { headers: plain }))).json();
    expect(called.error?.message).toBe('Unknown tool: admin');
  });

  test('is not public where lists depend on the token', () => {
    const server = new McpServer(
      { name: 'x', version: '1' },
      { listHints: { tools: { cacheScope: 'public', ttlMs: 1 } } },
    );
    expect(() => server.registerTool('admin', { visible: hasScopes('a') }, async () => ({ content: [] }))).toThrow(
      'public',
    );
  });

  test('does not mistake a key server that is down for a bad token', async () => {
    const other = await startIssuer();
    const problems: string[] = [];
    const auth = requireBearerAuth({
      issuer: other.url,
      audience: HERE,
      onproblem: ({ message }) => problems.push(message),
    });
    const at = await serve({ auth });
    const headers = bearer(await other.sign({ aud: HERE, sub: 'ada' }));
    other.setDown(true);
    const down = await send(at, stateless('tools/list', {}, { headers }));
    expect([down.status, down.headers['retry-after'], down.headers['www-authenticate']]).toEqual([503, '5', undefined]);
    expect(problems[0]).toContain('503');
    other.setDown(false);
    expect((await send(at, stateless('tools/list', {}, { headers }))).status).toBe(200);
    await other.close();
  });

  test('fetches keys once, and again when an unknown one is used', async () => {
    const other = await startIssuer();
    let clock = Date.now();
    const { jwtVerifier } = await import('../../../src/auth/server/index.ts');
    const verifier = jwtVerifier({ issuer: other.url, audience: HERE, keysCooldownMs: 0, now: () => clock });
    for (let turn = 0; turn < 3; turn += 1) await verifier.verifyAccessToken(await other.sign({ aud: HERE, sub: 'a' }));
    expect(other.served.requests.filter((line) => line.endsWith('/keys'))).toHaveLength(1);
    const old = await other.sign({ aud: HERE, sub: 'a' });
    await other.rotate();
    clock += 1000;
    const { extra } = await verifier.verifyAccessToken(await other.sign({ aud: HERE, sub: 'b' }));
    expect(extra?.['sub']).toBe('b');
    expect(other.served.requests.filter((line) => line.endsWith('/keys'))).toHaveLength(2);
    await expect(verifier.verifyAccessToken(old)).rejects.toThrow(InvalidTokenError);
    await other.close();
  });
});

describe('the forms of the gate', () => {
  test('a middleware of Express leaves what it found, and the endpoint behind it asks for scopes in its words', async () => {
    const auth = requireBearerAuth({ issuer: issuer.url, audience: HERE });
    const handler = createMcpHandler(notesServer());
    const app = express();
    app.use(auth);
    app.all('/mcp', (request, response) => void handler.node(request, response));
    const { http, port } = await listen(app);
    const list = await send({ port }, stateless('tools/list'));
    expect([list.status, challengeOf(list.headers)['resource_metadata']]).toEqual([
      401,
      getOAuthProtectedResourceMetadataUrl(HERE),
    ]);
    const headers = bearer(await tokenFor());
    expect((await send({ port }, stateless('tools/list', {}, { headers }))).status).toBe(200);
    const refused = await send({ port }, stateless('tools/call', { name: 'write', arguments: {} }, { headers }));
    expect([refused.status, challengeOf(refused.headers)['scope']]).toEqual([403, 'notes:write']);
    expect((await send({ port }, { method: 'GET', path: '/.well-known/oauth-protected-resource/mcp' })).status).toBe(
      200,
    );
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });

  test('a web Request gets what its token is good for, or the answer', async () => {
    const auth = requireBearerAuth({ issuer: issuer.url, audience: HERE });
    const refused = await auth.authorize(new Request(HERE, { method: 'POST' }));
    expect(refused instanceof Response && refused.status).toBe(401);
    const found = await auth.authorize(new Request(HERE, { headers: bearer(await tokenFor()) }));
    expect(found).toMatchObject({ clientId: 'desk', scopes: ['notes:read'], extra: { sub: 'ada' } });
    const document = await auth.authorize(
      new Request('https://notes.example.com/.well-known/oauth-protected-resource/mcp'),
    );
    expect(document instanceof Response && document.status).toBe(200);
  });

  test('a verifier of the program is held to the audience, and fails closed', async () => {
    const verifier = {
      verifyAccessToken: async (token: string) => {
        if (token === 'broken') throw new Error('The directory is down.');
        return { token, clientId: 'c', scopes: [], ...(token === 'mine' && { resource: new URL(HERE) }) };
      },
    };
    const at = await serve({ auth: requireBearerAuth({ verifier, audience: HERE }) });
    const status = async (token: string): Promise<number> =>
      (await send(at, stateless('tools/list', {}, { headers: bearer(token) }))).status;
    expect([await status('mine'), await status('elsewhere'), await status('broken')]).toEqual([200, 401, 503]);
  });
});

describe('what cannot work is said at once', () => {
  proves('L-AUTH-025, M-AD-003').test('metadata without an authorization server', () => {
    expect(() => protectedResourceMetadata({ resource: HERE, authorizationServers: [] })).toThrow('at least one');
  });

  proves('M-AF-038').test('offline_access in challenge or metadata', () => {
    const verifier = { verifyAccessToken: () => Promise.reject(new Error('never')) };
    expect(() => requireBearerAuth({ verifier, audience: HERE, scopes: ['offline_access'] })).toThrow('offline_access');
    expect(() =>
      protectedResourceMetadata({
        resource: HERE,
        authorizationServers: ['https://as.example.com'],
        scopesSupported: ['offline_access'],
      }),
    ).toThrow('offline_access');
  });

  proves('L-AUTH-065, M-AF-025').test('a resource is named without a slash that means nothing', () => {
    const named = (resource: string): string =>
      protectedResourceMetadata({ resource, authorizationServers: ['https://as.example.com'] }).resource;
    expect(named('https://mcp.example.com/')).toBe('https://mcp.example.com');
    expect(named('HTTPS://MCP.example.com/Path')).toBe('https://mcp.example.com/Path');
    expect(() => named('https://mcp.example.com/#x')).toThrow('fragment');
  });

  test('a token source that is none', () => {
    expect(() => requireBearerAuth({ audience: HERE })).toThrow('issuer or a verifier');
    expect(() => requireBearerAuth({ issuer: 'https://as.example.com' })).toThrow('audience');
  });
});
