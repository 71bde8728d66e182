import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryCredentials } from 'crosspoint/auth';
import { createLogin } from 'crosspoint/auth/node';
import { requireBearerAuth } from 'crosspoint/auth/server';
import type { HttpTarget } from 'crosspoint/client';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { createAuthorizationServer, unattendedLogin } from '../../../authorization-server/src/index.ts';
import { bridge } from '../../src/index.ts';
import { FAMILIES, atEnd, closeAll, connected, serveHttp, type FamilyName } from '../carriers.ts';
import { authenticate } from '../raw/callers.ts';
import { oldHttp, sender, session } from '../raw/faces.ts';
import { rawHttp, type Came, type Reply } from '../raw/http.ts';
import { newServer, says } from '../raw/words.ts';

afterEach(closeAll);

/** A server that wants a token, and says 403 to a weak one. */
function guarded(kind: string): (came: Came, reply: Reply) => void {
  const on = ({ body, method }: Came, reply: Reply): void => {
    if (method === 'GET') return reply.open();
    if (body?.['method'] === 'tools/call')
      reply.json({ id: body['id'], result: { resultType: 'complete', ...says('in') } });
  };
  const inside =
    kind === 'old'
      ? oldHttp(on)
      : (came: Came, reply: Reply) =>
          newServer({ on: () => on(came, reply) })(came.body ?? {}, {
            send: (one: object) => reply.json(one),
          } as never);
  return (came, reply) => {
    const token = came.headers.authorization;
    if (token === 'Bearer of-the-bridge') return inside(came, reply);
    if (token === 'Bearer weak')
      return reply.status(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="more"' });
    reply.status(401, { 'www-authenticate': 'Bearer' });
  };
}

async function before(kind: string, target: Partial<HttpTarget> = {}) {
  const server = await rawHttp(guarded(kind));
  const problems: Error[] = [];
  const face = bridge({ url: server.url, ...target }, { onproblem: (problem) => problems.push(problem) });
  const where = await serveHttp(face, { authenticate });
  atEnd(() => face.close());
  return { server, where, send: sender(where, {}, { authorization: 'Bearer of-the-caller' }) };
}

describe.each(['old', 'new'])('a guarded %s server', (kind) => {
  it('is reached with the token of the bridge, and never with that of the caller', async () => {
    const { server, where, send } = await before(kind, { authProvider: { token: async () => 'of-the-bridge' } });
    expect((await (await send('tools/call', { name: 'one' })).answer(1))['result']).toMatchObject(says('in'));
    const client = await session(where, {}, { headers: { authorization: 'Bearer of-the-caller' } });
    expect(
      (await (await client.post({ id: 1, method: 'tools/call', params: { name: 'one' } })).answer(1))['result'],
    ).toMatchObject(says('in'));
    expect(server.came.length).toBeGreaterThan(3);
    for (const { headers } of server.came) expect(headers.authorization).toBe('Bearer of-the-bridge');
    expect(JSON.stringify(server.came)).not.toContain('of-the-caller');
  });

  it.each([
    ['401', {}],
    ['403', { authProvider: { token: async () => 'weak' } }],
  ])('whose %s the bridge cannot settle is a clear error, and no login of the caller', async (status, target) => {
    const { server, send } = await before(kind, target);
    const answer = await send('tools/call', { name: 'one' });
    const { error } = await answer.answer(1);
    expect(error.code).toBe(-32603);
    expect(error.message).toContain('server behind the bridge');
    expect(error.message).toMatch(new RegExp(`${status}|log in|scope|authori[sz]`, 'i'));
    expect(answer.response.status).toBe(200);
    expect(answer.response.headers.get('www-authenticate')).toBeNull();
    expect(JSON.stringify(server.came)).not.toContain('of-the-caller');
    expect(error.message).not.toContain('weak');
  });
});

/** A server with a login of its own, one of whose tools needs a further scope. */
async function withLogin(revisions: FamilyName): Promise<string> {
  const http = createServer().listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const audience = `${issuer}/mcp`;
  const authorization = createAuthorizationServer({
    issuer,
    resource: audience,
    scopes: ['notes:read', 'notes:write'],
    defaultScopes: ['notes:read'],
    login: unattendedLogin({ sub: 'ada' }),
  });
  const { verifier } = authorization;
  const server = new McpServer({ name: 'notes', version: '1.0.0' }, { revisions });
  const scopesOf = { scopes: ['notes:write'] };
  server.registerTool('read', {}, (ctx) => text(ctx.authInfo?.scopes.join(' ') ?? ''));
  server.registerTool('write', scopesOf, (ctx) => text(ctx.authInfo?.scopes.join(' ') ?? ''));
  const auth = requireBearerAuth({ verifier, authorizationServers: [issuer], audience, scopes: ['notes:read'] });
  const handler = createMcpHandler(server, { auth, path: '/mcp' });
  http.on('request', (request, response) =>
    authorization.router(request, response, () => void handler.node(request, response)),
  );
  atEnd(async () => {
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    http.close();
  });
  return audience;
}

describe.each(FAMILIES.flatMap((down) => FAMILIES.map((up) => ({ down, up }))))(
  'a $up server with a login of its own, for a $down client',
  ({ down, up }) => {
    it('has the bridge log in, and once more for a tool that needs more rights', async () => {
      const url = await withLogin(up);
      const pages: string[] = [];
      const login = createLogin({
        serverUrl: url,
        clientName: 'bridge',
        credentials: new MemoryCredentials(),
        open: async (page) => {
          pages.push(page.searchParams.get('scope') ?? '');
          await fetch(page);
        },
      });
      const face = bridge({ url, authProvider: login });
      atEnd(() => face.close());
      const client = await connected(await serveHttp(face), { revisions: down });
      expect((await client.callTool({ name: 'read' })).content).toEqual([{ type: 'text', text: 'notes:read' }]);
      expect(pages).toEqual(['notes:read']);
      const { content } = await client.callTool({ name: 'write' });
      expect(content).toMatchObject([{ text: expect.stringContaining('notes:write') }]);
      expect(pages).toHaveLength(2);
      await client.callTool({ name: 'write' });
      expect(pages).toHaveLength(2);
    });
  },
);
