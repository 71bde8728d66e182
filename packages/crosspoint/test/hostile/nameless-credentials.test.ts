import { afterEach, describe, expect, test } from 'vitest';
import { hasScopes, requireBearerAuth, verifyBearerToken } from '../../src/auth/server/index.ts';
import { McpServer, createMcpHandler, text, type McpHandlerOptions } from '../../src/server/index.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';
import { expiryOf, tokenLife } from '../../src/transports/auth-info.ts';
import { closeAll, initialize, listen, send, serve, stateless, type Sent } from '../http/serving.ts';
import { NOBODY, soon } from './nobody.ts';

afterEach(closeAll);

const WAYS_IN: readonly Sent[] = [
  stateless('tools/list'),
  stateless('server/discover'),
  { body: initialize() },
  { method: 'GET', headers: { 'mcp-session-id': 'x' } },
  { method: 'GET', path: '/sse' },
  { path: '/messages?sessionId=x', body: initialize('2024-11-05') },
];

describe('authenticate', () => {
  test.each(NOBODY)('that gives %s lets nobody in', async (_what, given) => {
    for (const authenticate of [() => given, async () => given]) {
      const at = await serve({ authenticate: authenticate as never });
      for (const sent of WAYS_IN) expect((await send(at, sent)).status).toBe(401);
    }
  });

  test('tells the program once what is wrong with what it gives, and the caller nothing', async () => {
    const at = await serve({ authenticate: () => ({ token: 't', clientId: '', scopes: [] }) });
    const refused = await send(at, stateless('tools/list'));
    expect(JSON.stringify(await refused.json())).not.toContain('clientId');
    await send(at, stateless('tools/list'));
    expect(at.problems.map(({ message }) => message)).toEqual([expect.stringContaining('clientId')]);
  });

  test('that names a caller lets it in, with or without what is optional', async () => {
    for (const more of [{}, { scopes: ['read'], expiresAt: soon() }, { expiresAt: (soon() + 60) * 1000 }]) {
      const at = await serve({ authenticate: () => ({ token: 't', clientId: 'ada', scopes: [], ...more }) });
      expect((await send(at, stateless('tools/list'))).status).toBe(200);
    }
  });
});

describe('what the program has verified before', () => {
  const given = NOBODY.filter(([, value]) => value !== undefined && value !== null);

  test.each(given)('lets nobody in when it is %s', async (_what, auth) => {
    const handler = createMcpHandler(new McpServer({ name: 's', version: '1' }));
    const { http, port } = await listen((request, response) => {
      Object.assign(request, { auth });
      void handler.node(request, response);
    });
    for (const sent of WAYS_IN) expect((await send({ port }, sent)).status).toBe(401);
    const { body, headers } = stateless('tools/list');
    const request = new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
    expect((await handler.fetch(request, { authInfo: auth as never })).status).toBe(401);
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    http.close();
  });
});

describe('a verifier of tokens', () => {
  const bearer = { authorization: 'Bearer token' };

  test.each(NOBODY)('that gives %s lets nobody in', async (_what, given) => {
    const problems: Error[] = [];
    const verifier = { verifyAccessToken: async () => given as never };
    const gates = [
      requireBearerAuth({ verifier, onproblem: (problem) => problems.push(problem) }),
      requireBearerAuth({ verifier: async () => given as never }),
    ];
    for (const auth of gates) {
      const at = await serve({ auth } as McpHandlerOptions);
      const refused = await send(at, stateless('tools/list', {}, { headers: bearer }));
      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toContain('invalid_token');
      const asked = await auth.authorize(new Request('http://127.0.0.1/mcp', { headers: bearer }));
      expect(asked).toBeInstanceOf(Response);
    }
    await expect(verifyBearerToken('Bearer token', { verifier })).rejects.toMatchObject({ code: 'invalid_token' });
  });
});

describe('scopes in one text', () => {
  const authInfo = { token: 't', clientId: 'ada', scopes: 'readadmin' as never };

  test('cover nothing, neither a part of the text nor a letter of it', async () => {
    for (const scope of ['admin', 'readadmin', 'a']) expect(hasScopes(scope)({ authInfo })).toBe(false);
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('wipe', { scopes: ['admin'] }, () => text('wiped'));
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    const answers: any[] = [];
    near.onmessage = (message) => answers.push(message);
    await near.start();
    const { body } = stateless('tools/call', { name: 'wipe', arguments: {} });
    near.send(body as never, { authInfo });
    await expect.poll(() => answers.length).toBe(1);
    expect(answers[0].result).toBeUndefined();
    expect(answers[0].error.message).toContain('admin');
    await near.close();
  });
});

test('a moment in milliseconds is understood, and what is no moment has passed', () => {
  const at = (expiresAt: unknown): never => ({ token: 't', clientId: 'c', scopes: [], expiresAt }) as never;
  expect(expiryOf(at(1_800_000_000))).toBe(1_800_000_000_000);
  expect(expiryOf(at(1_800_000_000_000))).toBe(1_800_000_000_000);
  expect([tokenLife(undefined), tokenLife(at(undefined))]).toEqual([Infinity, Infinity]);
  for (const none of [Number.NaN, '1800000000', null, {}]) expect(tokenLife(at(none))).toBe(0);
  expect(tokenLife(at(10), 20_000)).toBe(20_000);
});
