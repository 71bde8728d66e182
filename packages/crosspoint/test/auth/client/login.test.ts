import { afterEach, describe, expect, it } from 'vitest';
import { proves } from '../../requirements/proves.ts';
import { approving, createWorld, failureOf, login, use, type World, type WorldOptions } from './world.ts';

const worlds: World[] = [];
async function made(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  worlds.push(world);
  return world;
}
afterEach(async () => {
  approving.pages = [];
  for (const world of worlds.splice(0)) await world.close();
});

describe('a login', () => {
  proves('L-AUTH-010, L-AUTH-024, M-AD-002').it(
    'begins when the server says 401, and the request goes through',
    async () => {
      const world = await made();
      expect(await use(world, login(world))).toBe('a user');
      const steps = world.log.map(({ at, method, path }) => `${at} ${method} ${path}`);
      const order = [
        'mcp POST /mcp',
        'mcp GET /.well-known/oauth-protected-resource/mcp',
        'as GET /.well-known/oauth-authorization-server',
        'as POST /register',
        'as GET /authorize',
        'as POST /token',
      ];
      expect(steps.slice(0, 6)).toEqual(order);
      expect(steps[6]).toBe('mcp POST /mcp');
    },
  );

  proves('L-AUTH-059, L-AUTH-060, L-AUTH-066, M-AF-020, M-AF-022').it(
    'names the server as resource in every question, and when it renews',
    async () => {
      const world = await made();
      const provider = login(world);
      await use(world, provider);
      world.expireAll();
      await use(world, provider);
      const [page] = world.seen('GET /authorize');
      const tokens = world.seen('POST /token');
      expect(tokens.map(({ form }) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token']);
      expect([page?.query.get('resource'), ...tokens.map(({ form }) => form.get('resource'))]).toEqual([
        world.mcp,
        world.mcp,
        world.mcp,
      ]);
    },
  );

  proves('L-AUTH-061, L-AUTH-062, M-AF-021, L-AUTH-064, L-AUTH-065, M-AF-024, M-AF-025').it.each([
    ['https://mcp.example/mcp#part', 'https://mcp.example/mcp'],
    ['https://mcp.example/', 'https://mcp.example'],
    ['HTTPS://MCP.Example/a', 'https://mcp.example/a'],
    ['https://mcp.example/a?x=1', 'https://mcp.example/a?x=1'],
  ])('the canonical address of %s is %s', async (given, canonical) => {
    const { canonicalResource } = await import('../../../src/auth/resource-identifier.ts');
    expect(canonicalResource(given)).toBe(canonical);
  });

  it('the resource is sent byte for byte as the metadata has it', async () => {
    const world = await made({ prm: (usual) => ({ ...usual, resource: new URL(String(usual['resource'])).origin }) });
    await use(world, login(world));
    expect(world.seen('GET /authorize')[0]?.query.get('resource')).toBe(new URL(world.mcp).origin);
  });

  proves('L-AUTH-099, L-AUTH-100, L-AUTH-102, M-ASEC-007, M-ASEC-008').it('protects the code with S256', async () => {
    const world = await made();
    await use(world, login(world));
    const [page] = world.seen('GET /authorize');
    const [token] = world.seen('POST /token');
    expect(page?.query.get('code_challenge_method')).toBe('S256');
    expect(page?.query.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(token?.form.get('code_verifier')).toMatch(/^[\w~.-]{43,128}$/);
  });

  proves('L-AUTH-101, M-ASEC-009').it.each([
    ['says nothing of PKCE', undefined],
    ['knows only plain', ['plain']],
  ])('is refused where the authorization server %s', async (_, methods) => {
    const world = await made({ metadata: (usual) => ({ ...usual, code_challenge_methods_supported: methods }) });
    expect((await failureOf(use(world, login(world)))).fault).toBe('no-pkce');
    expect(world.seen('GET /authorize')).toEqual([]);
  });

  proves('L-AUTH-101, M-ASEC-009').it('is refused where an OpenID server says nothing of PKCE', async () => {
    const world = await made({
      metadataPath: '/.well-known/openid-configuration',
      metadata: ({ code_challenge_methods_supported: _dropped, ...usual }) => usual,
    });
    expect((await failureOf(use(world, login(world)))).fault).toBe('no-pkce');
  });

  proves('L-AUTH-074, M-AF-032, M-AD-005').it('sends the server no token of another authorization server', async () => {
    const first = await made();
    const second = await made();
    let issuer = first.issuer;
    const moving = await made({ prm: (usual) => ({ ...usual, authorization_servers: [issuer] }) });
    const provider = login(moving);
    await failureOf(use(moving, provider));
    issuer = second.issuer;
    await failureOf(use(moving, provider));
    const sent = moving.log.filter(({ path }) => path === '/mcp').map(({ authorization }) => authorization);
    const firstOfSecond = sent.findIndex((value) => second.tokens.has(value?.replace('Bearer ', '') ?? ''));
    const after = sent.slice(firstOfSecond).filter((value) => first.tokens.has(value?.replace('Bearer ', '') ?? ''));
    expect(firstOfSecond).toBeGreaterThan(0);
    expect(after).toEqual([]);
    expect(second.seen('POST /token').every(({ form }) => form.get('grant_type') === 'authorization_code')).toBe(true);
  });

  proves('M-AF-037').it('works without a refresh token: the user is asked again', async () => {
    const world = await made({ refreshTokens: 'none' });
    const provider = login(world);
    await use(world, provider);
    world.expireAll();
    expect(await use(world, provider)).toBe('a user');
    expect(world.seen('GET /authorize')).toHaveLength(2);
  });

  it('a token that is refused right after the login ends it, with an error that says so', async () => {
    const world = await made({
      token: (_, usual) => ({ body: { ...(usual().body as object), access_token: 'of somebody else' } }),
    });
    const error = await failureOf(use(world, login(world)));
    expect(error.message).toContain('refuses the token that was just issued');
    expect(world.seen('GET /authorize').length).toBeLessThan(3);
  });

  it('is not begun again for a request that was sent before it ended', async () => {
    const { OAuthAuthorizer } = await import('../../../src/auth/client/oauth-authorizer.ts');
    const world = await made();
    const provider = login(world);
    await use(world, provider);
    const authorizer = new OAuthAuthorizer(provider, { serverUrl: world.mcp });
    const response = new Response(null, { status: 401 });
    const refused = { response, url: new URL(world.mcp), authorization: undefined, request: {} };
    expect(await authorizer.onRefused(refused)).toBe('retry');
    expect(world.seen('GET /authorize')).toHaveLength(1);
    expect(world.seen('POST /token')).toHaveLength(1);
  });

  it('happens once for many requests that have no token', async () => {
    const { withOAuth } = await import('../../../src/auth/index.ts');
    const world = await made();
    const guarded = withOAuth(login(world), world.mcp)(fetch);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => guarded(world.mcp, { method: 'POST', headers, body })),
    );
    expect(answers.every(({ status }) => status !== 401)).toBe(true);
    expect(world.seen('GET /authorize')).toHaveLength(1);
  });

  it('of programs that hand the answer over themselves goes on where it stopped', async () => {
    const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import('../../../src/client/index.ts');
    const world = await made();
    let page: URL | undefined;
    const provider = login(world, {
      userAgent: { ...approving, visit: async (url) => void (page = url) as undefined },
    });
    const transport = new StreamableHTTPClientTransport(world.mcp, { authProvider: provider });
    const client = new Client({ name: 'test', version: '1.0.0' });
    expect(await failureOf(client.connect(transport))).toBeInstanceOf(UnauthorizedError);
    const response = await fetch(page!, { redirect: 'manual' });
    await transport.finishAuth(new URL(response.headers.get('location')!).searchParams);
    await client.connect(new StreamableHTTPClientTransport(world.mcp, { authProvider: provider }));
    expect((await client.listTools()).tools).toHaveLength(1);
    await client.close();
  });
});

describe('scopes', () => {
  proves('L-AUTH-039, M-AF-007').it('that the challenge names are asked for, whatever the metadata lists', async () => {
    const world = await made({
      needs: () => 'files:read',
      prm: (usual) => ({ ...usual, scopes_supported: ['profile'] }),
    });
    await use(world, login(world));
    expect(world.seen('GET /authorize')[0]?.query.get('scope')).toBe('files:read');
  });

  proves('L-AUTH-038, M-AF-006, L-AUTH-041, M-AF-008').it(
    'without a challenge are those of the metadata, else none',
    async () => {
      const listed = await made({ prm: (usual) => ({ ...usual, scopes_supported: ['a', 'b'] }) });
      await use(listed, login(listed));
      const none = await made();
      await use(none, login(none));
      expect(listed.seen('GET /authorize')[0]?.query.get('scope')).toBe('a b');
      expect(none.seen('GET /authorize')[0]?.query.has('scope')).toBe(false);
    },
  );

  proves('L-AUTH-082, M-AF-010, M-AF-043').it(
    'grow with what a request needs, and none that was granted is lost',
    async () => {
      const world = await made({ needs: (method) => (method === 'tools/call' ? 'write' : 'read') });
      expect(await use(world, login(world))).toBe('a user');
      expect(world.seen('GET /authorize').map(({ query }) => query.get('scope'))).toEqual(['read', 'read write']);
    },
  );

  proves('L-AUTH-083, M-AF-044, M-AX-018').it('are not asked for a second time in vain', async () => {
    const world = await made({
      needs: (method) => (method === 'tools/call' ? 'write' : undefined),
      token: (_, usual) => {
        const answer = usual();
        for (const token of world.tokens.values()) token.scope = 'read';
        return answer;
      },
    });
    const error = await failureOf(use(world, login(world)));
    expect(error.fault).toBe('insufficient-scope');
    expect(error.message).toContain('"write"');
    expect(world.seen('GET /authorize')).toHaveLength(2);
  });

  proves('M-AF-036').it(
    'include offline access where the authorization server has it and the client wants it, and nowhere else',
    async () => {
      const asked = async (
        scopes: string[] | undefined,
        grants?: string[],
        scope: { scope?: string } = { scope: 'tools' },
      ): Promise<string | null | undefined> => {
        const world = await made({ metadata: (usual) => ({ ...usual, scopes_supported: scopes }) });
        await use(world, login(world, { ...scope, ...(grants && { clientMetadata: { grant_types: grants } }) }));
        return world.seen('GET /authorize')[0]?.query.get('scope');
      };
      expect(await asked(['tools', 'offline_access'])).toBe('tools offline_access');
      expect(await asked(['tools'])).toBe('tools');
      expect(await asked(undefined)).toBe('tools');
      expect(await asked(['tools', 'offline_access'], ['authorization_code'])).toBe('tools');
      // Alone it would take the place of the server's default.
      expect(await asked(['tools', 'offline_access'], undefined, {})).toBeNull();
    },
  );
});
