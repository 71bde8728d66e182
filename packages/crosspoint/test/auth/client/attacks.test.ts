import { afterEach, describe, expect, it } from 'vitest';
import { SSEClientTransport } from '../../../src/client/index.ts';
import { sendJson, serve, type Served } from '../serving.ts';
import { approving, createWorld, failureOf, login, use, type World, type WorldOptions } from './world.ts';

const open: { close(): Promise<void> }[] = [];
async function made(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  open.push(world);
  return world;
}
async function served(...args: Parameters<typeof serve>): Promise<Served> {
  const server = await serve(...args);
  open.push(server);
  return server;
}
afterEach(async () => {
  approving.pages = [];
  for (const each of open.splice(0)) await each.close();
});

describe('a hostile server', () => {
  it.each(['/token', '/register'])('whose %s redirects gets nothing sent there', async (path) => {
    const thief = await served((_, response) =>
      sendJson(response, { access_token: 'x', token_type: 'Bearer', client_id: 'x' }),
    );
    const mover = await served((_, response) => response.writeHead(307, { Location: `${thief.url}/stolen` }).end());
    const name = path === '/token' ? 'token_endpoint' : 'registration_endpoint';
    const world = await made({ metadata: (usual) => ({ ...usual, [name]: `${mover.url}${path}` }) });
    const error = await failureOf(use(world, login(world)));
    expect(error).toMatchObject({ name: 'OutboundError', fault: 'redirect' });
    expect(mover.requests).toEqual([`POST ${path}`]);
    expect(thief.requests).toEqual([]);
  });

  it('whose challenge names a metadata service reaches nothing', async () => {
    const world = await made({ challenge: () => ({ resource_metadata: 'http://169.254.169.254/latest/meta-data/' }) });
    const error = await failureOf(use(world, login(world)));
    expect(error).toMatchObject({ name: 'OutboundError', fault: 'scheme' });
    expect(error.message).toContain('169.254.169.254');
  });

  it('whose authorization server has a name that resolves to a metadata service reaches nothing', async () => {
    const world = await made({ prm: (usual) => ({ ...usual, authorization_servers: ['https://as.evil.example'] }) });
    const outbound = { resolve: (host: string) => Promise.resolve([host === '127.0.0.1' ? host : '169.254.169.254']) };
    const error = await failureOf(use(world, login(world), { outbound }));
    expect(error).toMatchObject({ name: 'OutboundError', fault: 'address' });
  });

  it('whose metadata never ends does not hold anybody for long', async () => {
    const endless = await served(
      (_, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{'),
    );
    const world = await made({ prm: (usual) => ({ ...usual, authorization_servers: [endless.url] }) });
    const error = await failureOf(use(world, login(world), { outbound: { timeoutMs: 300 } }));
    expect(error).toMatchObject({ name: 'OutboundError', fault: 'timeout' });
  });

  it('whose page is a script, a file or a command opens nothing', async () => {
    for (const page of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'cmd:/c calc']) {
      const world = await made({ metadata: (usual) => ({ ...usual, authorization_endpoint: page }) });
      expect((await failureOf(use(world, login(world)))).fault).toBe('server-metadata');
    }
    expect(approving.pages).toEqual([]);
  });

  it('whose authorization server is no address, or no place on the web, is an error that says so', async () => {
    for (const server of ['nowhere', 'javascript:alert(1)', 'data:text/html,x', 'mailto:a@b.example']) {
      const world = await made({ prm: (usual) => ({ ...usual, authorization_servers: [server] }) });
      const error = await failureOf(use(world, login(world)));
      expect([error.name, error.fault], server).toEqual(['AuthFlowError', 'resource-metadata']);
    }
  });

  it('that registers a client without a name for it is refused', async () => {
    for (const id of ['', undefined, 7]) {
      const world = await made({ register: () => ({ status: 201, body: { client_id: id } }) });
      expect((await failureOf(use(world, login(world)))).name).toBe('RegistrationRejectedError');
    }
  });

  it('whose token cannot be sent is refused', async () => {
    for (const token of ['芀ood', 'two\r\nx-lines: 1', 'nul\0', 'ä']) {
      const answer = { body: { access_token: token, token_type: 'Bearer' } };
      const world = await made({ token: () => answer });
      const error = await failureOf(use(world, login(world)));
      expect([error.name, error.fault], token).toEqual(['AuthFlowError', 'token-answer']);
      expect(error.message).not.toContain(token);
    }
  });

  it('that asks for ever more rights is not followed', async () => {
    let count = 0;
    const world = await made({ needs: (method) => (method === 'tools/call' ? `scope-${(count += 1)}` : undefined) });
    const error = await failureOf(use(world, login(world)));
    expect(error.fault).toBe('insufficient-scope');
    expect(world.seen('GET /authorize').length).toBeLessThanOrEqual(3);
  });

  it('learns no secret from an error', async () => {
    const world = await made({
      token: ({ form }) => ({
        status: 400,
        body: {
          error: 'invalid_request',
          error_description: `your code_verifier=${form.get('code_verifier')} token=abcdefgh`,
        },
      }),
    });
    const error = await failureOf(use(world, login(world)));
    const [request] = world.seen('POST /token');
    expect(error.message).not.toContain('abcdefgh');
    expect(JSON.stringify(error) + String(error.stack)).not.toContain(request?.form.get('code'));
  });
});

describe('the older transport', () => {
  it('logs in as well', async () => {
    const world = await made();
    const sse = await served((request, response) => {
      if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true)
        return sendJson(response, { resource: `${sse.url}/sse`, authorization_servers: [world.issuer] });
      if (!world.tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? ''))
        return sendJson(response, {}, 401);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('event: endpoint\ndata: /messages\n\n');
    });
    const target = { ...world, mcp: `${sse.url}/sse` } as World;
    const transport = new SSEClientTransport(target.mcp, { authProvider: login(target, { serverUrl: target.mcp }) });
    await transport.start();
    expect(world.seen('GET /authorize')).toHaveLength(1);
    await transport.close();
  });
});
