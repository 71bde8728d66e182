import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod/v4';
import {
  OAuthErrorCode,
  assertSecureTokenEndpoint,
  isStrictScopeSuperset,
  parseErrorResponse,
  resolveClientMetadata,
  validateAuthorizationResponseIssuer,
} from '../../src/auth/index.ts';
import {
  bearerAuthChallengeResponse,
  checkResourceAllowed,
  oauthMetadataResponse,
  requireBearerAuth,
  resourceUrlFromServerUrl,
  verifyBearerToken,
} from '../../src/auth/server/index.ts';
import {
  Client,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '../../src/client/index.ts';
import {
  LATEST_PROTOCOL_VERSION,
  PARSE_ERROR,
  SUPPORTED_PROTOCOL_VERSIONS,
  assertCompleteRequestPrompt,
  createFetchWithInit,
  deserializeMessage,
  getDisplayName,
  isCallToolResult,
  isInitializeRequest,
  isInputRequiredResult,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isJsonContentType,
  isTaskAugmentedRequestParams,
  parseJSONRPCMessage,
  protocolRevisions,
  serializeMessage,
  type CallToolRequest,
  type CompleteRequest,
  type RequestTypeMap,
} from '../../src/index.ts';
import {
  McpServer,
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  originValidationResponse,
  validateHostHeader,
  validateOriginHeader,
  type McpRequestContext,
} from '../../src/server/index.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';
import { InMemoryTransport } from '../../src/testing/index.ts';
import { listen } from '../../../sdk/test/listening.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function linked(server: McpServer, options: ConstructorParameters<typeof Client>[1] = {}): Promise<Client> {
  const client = new Client({ name: 'new', version: '1.0.0' }, options);
  open.push(client);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}
const makeServer = () => new McpServer({ name: 'new', version: '1.0.0' });

describe('createMcpHandler with a function that makes servers', () => {
  test('makes one for each request, which knows who asks, and tells of changes to those that listen', async () => {
    const contexts: McpRequestContext[] = [];
    const handler = createMcpHandler((context) => {
      contexts.push(context);
      const server = makeServer();
      const who = context.authInfo?.clientId ?? 'nobody';
      server.registerTool(`greet-${who}`, {}, () => ({ content: [{ type: 'text', text: who }] }));
      return server;
    });
    const http = await listen((request, response) => {
      const who = request.headers['x-who'];
      if (typeof who === 'string') Object.assign(request, { auth: { token: 't', clientId: who, scopes: [] } });
      void handler.node(request, response);
    });
    open.push({ close: () => handler.close({ grace: 0 }) }, http);
    const connect = async (who: string, family: 'handshake' | 'per-request') => {
      const client = new Client({ name: 'new', version: '1.0.0' }, { revisions: family });
      open.push(client);
      const headers = { 'x-who': who };
      await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
      return client;
    };
    for (const family of ['handshake', 'per-request'] as const) {
      const [ada, bob] = await Promise.all([connect('ada', family), connect('bob', family)]);
      expect((await ada.listTools()).tools.map(({ name }) => name)).toEqual(['greet-ada']);
      expect((await bob.listTools()).tools.map(({ name }) => name)).toEqual(['greet-bob']);
      expect((await bob.callTool({ name: 'greet-bob' })).content).toEqual([{ type: 'text', text: 'bob' }]);
      await expect(bob.callTool({ name: 'greet-ada' })).rejects.toMatchObject({ code: -32602 });
    }
    expect(new Set(contexts.map(({ era }) => era))).toEqual(new Set(['legacy', 'modern']));
    const listener = await connect('eve', 'per-request');
    const changed = new Promise<void>((resolve) =>
      listener.setNotificationHandler('notifications/tools/list_changed', () => resolve()),
    );
    const subscription = await listener.listen({ toolsListChanged: true });
    expect(subscription.honoredFilter).toMatchObject({ toolsListChanged: true });
    expect(handler.health).toMatchObject({ ready: true, streams: 1 });
    handler.notify.toolsChanged();
    await changed;
    subscription.close();
  });
});

describe('a handler of v2', () => {
  test('finds the request under mcpReq, and the HTTP behind it under http', async () => {
    const server = makeServer();
    server.registerTool('look', { inputSchema: z.object({ n: z.number() }) }, async ({ n }, ctx) => {
      const { mcpReq } = ctx;
      const answer = await mcpReq.elicitInput({
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
      });
      const roots = await mcpReq.send({ method: 'roots/list' });
      const read = await mcpReq.send({ method: 'roots/list' }, z.object({ roots: z.array(z.unknown()) }));
      const seen = [n, mcpReq.method, mcpReq.id === ctx.requestId, mcpReq.signal.aborted, ctx.http, answer.action];
      return { content: [{ type: 'text', text: JSON.stringify([...seen, roots.roots.length, read.roots.length]) }] };
    });
    const client = await linked(server, {
      capabilities: { elicitation: {}, roots: {} },
      versionNegotiation: { mode: 'legacy', probe: { timeoutMs: 5000 } },
    });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { sure: true } }));
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///a' }] }));
    expect(client.family).toBe('handshake');
    const { content } = await client.callTool({ name: 'look', arguments: { n: 3 } });
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual([
      3,
      'tools/call',
      true,
      false,
      null,
      'accept',
      1,
      1,
    ]);
  });

  test('versionNegotiation pins a revision, or leaves the choice', async () => {
    const [newest, ...older] = protocolRevisions.map(({ id }) => id);
    const pinned = await linked(makeServer(), { versionNegotiation: { mode: { pin: older[1] ?? '' } } });
    expect(pinned.getNegotiatedProtocolVersion()).toBe(older[1]);
    const free = await linked(makeServer(), { versionNegotiation: { mode: 'auto' } });
    expect(free.getNegotiatedProtocolVersion()).toBe(newest);
    expect([LATEST_PROTOCOL_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS.slice(1)]).toEqual(older);
  });

  test('fromJsonSchema describes and checks arguments, by this library or by another', async () => {
    const server = makeServer();
    const json = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    const other = {
      getValidator:
        <T>() =>
        (input: unknown) =>
          (input as { n?: unknown }).n === 42
            ? { valid: true as const, data: input as T, errorMessage: undefined }
            : { valid: false as const, data: undefined, errorMessage: 'not the answer' },
    };
    const answer = ({ n }: { n: number }) => ({ content: [{ type: 'text' as const, text: String(n + 1) }] });
    server.registerTool('own', { inputSchema: fromJsonSchema<{ n: number }>(json) }, answer);
    server.registerTool('other', { inputSchema: fromJsonSchema<{ n: number }>(json, other) }, answer);
    const client = await linked(server);
    expect((await client.listTools()).tools[0]?.inputSchema).toMatchObject(json);
    const call = async (name: string, n: unknown) => {
      const result = await client.callTool({ name, arguments: { n } }).catch((error: unknown) => error);
      return JSON.stringify(result, Object.getOwnPropertyNames(Object(result)).concat('text', 'content', 'message'));
    };
    expect(await call('own', 1)).toContain('"2"');
    expect(await call('own', 'x')).toContain('number');
    expect(await call('other', 42)).toContain('"43"');
    expect(await call('other', 1)).toContain('not the answer');
  });
});

describe('errors', () => {
  test('of a peer are of the class of their kind', async () => {
    const server = makeServer();
    const errors: Record<string, ProtocolError> = {
      missing: new ResourceNotFoundError('mem://gone'),
      capability: new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } }),
      version: new UnsupportedProtocolVersionError({ supported: ['a'], requested: 'b' }),
      url: new UrlElicitationRequiredError([{ message: 'Go', url: 'https://a.example/' }]),
      number: new ProtocolError(ProtocolErrorCode.InvalidRequest, 'No', { why: 1 }),
    };
    server.server.setRequestHandler('com.example/fail', ({ params }) => {
      throw errors[String(params['what'])];
    });
    // Some kinds have a number of their own in one family alone.
    const handshake = await linked(server, { versionNegotiation: { mode: 'legacy' } });
    const stateless = await linked(server);
    const failure = (what: string, client = handshake) =>
      client.request({ method: 'com.example/fail', params: { what } }).catch((error: unknown) => error);
    const missing = await failure('missing');
    expect(missing).toBeInstanceOf(ResourceNotFoundError);
    expect((missing as ResourceNotFoundError).uri).toBe('mem://gone');
    const capability = await failure('capability', stateless);
    expect(capability).toBeInstanceOf(MissingRequiredClientCapabilityError);
    expect((capability as MissingRequiredClientCapabilityError).requiredCapabilities).toEqual({ sampling: {} });
    const version = await failure('version', stateless);
    expect(version).toBeInstanceOf(UnsupportedProtocolVersionError);
    expect(version).toMatchObject({ supported: ['a'], requested: 'b' });
    const url = await failure('url');
    expect(url).toBeInstanceOf(UrlElicitationRequiredError);
    expect((url as UrlElicitationRequiredError).elicitations).toMatchObject([{ url: 'https://a.example/' }]);
    const number = await failure('number');
    expect(number).toBeInstanceOf(ProtocolError);
    expect(number).not.toBeInstanceOf(ResourceNotFoundError);
    expect(number).toMatchObject({ code: ProtocolErrorCode.InvalidRequest, data: { why: 1 } });
  });

  test('of this side are SdkErrors, with the status where it was HTTP', async () => {
    const server = makeServer();
    server.registerTool('slow', {}, () => new Promise<never>(() => {}));
    const client = await linked(server);
    const late: unknown = await client.callTool({ name: 'slow' }, { timeout: 20 }).catch((error: unknown) => error);
    expect(late).toBeInstanceOf(SdkError);
    expect(late).toMatchObject({ code: SdkErrorCode.RequestTimeout });
    const http = await listen((_request, response) => void response.writeHead(418).end('teapot'));
    open.push(http);
    const refused: unknown = await new Client({ name: 'new', version: '1.0.0' })
      .connect(new StreamableHTTPClientTransport(new URL(http.url)))
      .catch((error: unknown) => error);
    const found = [refused, (refused as Error).cause].find((error) => error instanceof SdkHttpError);
    expect(found).toMatchObject({ status: 418, data: { status: 418 } });
  });

  test('of OAuth have their codes by name', async () => {
    const error = await parseErrorResponse(Response.json({ error: 'invalid_grant', error_description: 'Gone' }));
    expect(error.code).toBe(OAuthErrorCode.InvalidGrant);
    expect(error.toResponseObject()).toEqual({ error: 'invalid_grant', error_description: 'Gone' });
  });
});

describe('messages', () => {
  test('are told apart and written', () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
    const error = { jsonrpc: '2.0', id: 1, error: { code: PARSE_ERROR, message: 'No' } } as const;
    expect([isJSONRPCRequest(request), isJSONRPCNotification(request), isJSONRPCResponse(request)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([isJSONRPCErrorResponse(error), isJSONRPCResponse(error)]).toEqual([true, true]);
    expect(deserializeMessage(serializeMessage(request))).toEqual(request);
    expect(serializeMessage(request).endsWith('\n')).toBe(true);
    expect(() => parseJSONRPCMessage({ id: 1 })).toThrow(ProtocolError);
    const initialize = {
      method: 'initialize',
      params: { protocolVersion: 'x', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    };
    expect([isInitializeRequest(initialize), isInitializeRequest({ ...initialize, params: {} })]).toEqual([
      true,
      false,
    ]);
    expect([isCallToolResult({ content: [{ type: 'text', text: '' }] }), isCallToolResult({})]).toEqual([true, false]);
    expect([isInputRequiredResult({ resultType: 'input_required' }), isInputRequiredResult({})]).toEqual([true, false]);
    expect([isTaskAugmentedRequestParams({ task: {} }), isTaskAugmentedRequestParams({ task: 1 })]).toEqual([
      true,
      false,
    ]);
    const completion: CompleteRequest = {
      method: 'completion/complete',
      params: { ref: { type: 'ref/resource', uri: 'a://b' }, argument: { name: 'a', value: '' } },
    };
    expect(() => assertCompleteRequestPrompt(completion)).toThrow(TypeError);
    expect(['application/json; charset=utf-8', 'text/plain', undefined].map(isJsonContentType)).toEqual([
      true,
      false,
      false,
    ]);
    expect(getDisplayName({ name: 'a', title: 'A' })).toBe('A');
    const typed: RequestTypeMap['tools/call'] = { method: 'tools/call', params: { name: 'a' } };
    expect((typed satisfies CallToolRequest).params.name).toBe('a');
  });

  test('of both families are told apart before they are served', async () => {
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
    const [newest] = protocolRevisions;
    const plain = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const claimed = {
      ...plain,
      params: { _meta: { 'io.modelcontextprotocol/protocolVersion': newest?.id ?? '' } },
    };
    const request = post(claimed);
    expect(await isLegacyRequest(request)).toBe(false);
    expect(await request.json()).toEqual(claimed);
    expect(await isLegacyRequest(post(plain))).toBe(true);
    expect(await isLegacyRequest(post(plain), claimed)).toBe(false);
    expect(await isLegacyRequest(post(plain, { 'mcp-protocol-version': newest?.id ?? '' }))).toBe(false);
    expect(await isLegacyRequest(new Request('http://localhost/mcp'))).toBe(true);
    expect(await isLegacyRequest(new Request('http://localhost/mcp', { method: 'POST', body: '{' }))).toBe(true);
  });
});

describe('parts of an endpoint of one’s own', () => {
  test('check the host and the origin', async () => {
    const allowed = localhostAllowedHostnames();
    expect(validateHostHeader('localhost:3000', allowed)).toEqual({ ok: true, hostname: 'localhost' });
    expect(validateHostHeader(undefined, allowed)).toMatchObject({ ok: false, errorCode: 'missing_host' });
    expect(validateHostHeader('a@localhost', allowed)).toMatchObject({ errorCode: 'invalid_host_header' });
    expect(validateHostHeader('evil.example', allowed)).toMatchObject({ errorCode: 'invalid_host' });
    expect(validateOriginHeader(null, allowed)).toEqual({ ok: true });
    expect(validateOriginHeader('http://[::1]:80', allowed)).toMatchObject({ ok: true });
    expect(validateOriginHeader('null', allowed)).toMatchObject({ errorCode: 'invalid_origin_header' });
    expect(validateOriginHeader('https://evil.example', allowed)).toMatchObject({ errorCode: 'invalid_origin' });
    const request = (headers: Record<string, string>) => ({ headers: new Headers(headers) }) as Request;
    expect(hostHeaderValidationResponse(request({ host: 'localhost' }), allowed)).toBeUndefined();
    expect(hostHeaderValidationResponse(request({ host: 'evil.example' }), allowed)?.status).toBe(403);
    const refused = originValidationResponse(request({ origin: 'https://evil.example' }), allowed);
    expect(await refused?.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
  });

  test('verify a bearer token and challenge who has none', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 60;
    const resource = new URL('https://mcp.example/mcp');
    const verifier = {
      verifyAccessToken: async (token: string) => {
        if (token === 'broken') throw new Error('secret detail');
        return { token, clientId: 'desk', scopes: ['read'], resource, ...(token !== 'endless' && { expiresAt }) };
      },
    };
    const verify = (header: string | undefined, more: object = {}) =>
      verifyBearerToken(header, { verifier, ...more }).catch((error: unknown) => error);
    expect(await verify('Bearer good', { requiredScopes: ['read'], expectedResource: resource })).toMatchObject({
      clientId: 'desk',
    });
    expect(await verify(undefined)).toMatchObject({ code: 'invalid_token' });
    expect(await verify('Bearer endless')).toMatchObject({ code: 'invalid_token' });
    expect(await verify('Bearer good', { requiredScopes: ['write'] })).toMatchObject({ code: 'insufficient_scope' });
    expect(await verify('Bearer good', { expectedResource: new URL('https://other.example/') })).toMatchObject({
      code: 'invalid_token',
    });
    const options = { requiredScopes: ['write'], resourceMetadataUrl: 'https://mcp.example/meta' };
    const challenge = bearerAuthChallengeResponse(await verify('Bearer good', options), options);
    expect(challenge.status).toBe(403);
    expect(challenge.headers.get('www-authenticate')).toContain('scope="write"');
    expect(challenge.headers.get('www-authenticate')).toContain('resource_metadata="https://mcp.example/meta"');
    const broken = bearerAuthChallengeResponse(await verify('Bearer broken'));
    expect([broken.status, await broken.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    const gate = requireBearerAuth({ verifier });
    const asked = (token: string) =>
      gate(new Request('https://mcp.example/mcp', { headers: { authorization: `Bearer ${token}` } }));
    expect(await asked('good')).toMatchObject({ clientId: 'desk' });
    expect(await gate(new Request('https://mcp.example/mcp'))).toBeInstanceOf(Response);
  });

  test('serve the metadata of a protected server', async () => {
    const options = {
      oauthMetadata: { issuer: 'https://as.example', response_types_supported: ['code'] },
      resourceServerUrl: 'https://mcp.example/mcp',
    };
    const get = (path: string, method = 'GET') =>
      oauthMetadataResponse(new Request(`https://mcp.example${path}`, { method }), options);
    const found = get('/.well-known/oauth-protected-resource/mcp');
    expect(await found?.json()).toMatchObject({
      resource: 'https://mcp.example/mcp',
      authorization_servers: ['https://as.example'],
    });
    expect(get('/.well-known/oauth-protected-resource/mcp', 'POST')?.status).toBe(405);
    expect(get('/mcp')).toBeUndefined();
  });

  test('compare resources and scopes, and check the ways of a login', () => {
    const allows = (configuredResource: string, requestedResource: string) =>
      checkResourceAllowed({ configuredResource, requestedResource });
    expect(allows('https://a.example/', 'https://a.example/mcp')).toBe(true);
    expect(allows('https://a.example/mcp', 'https://a.example/mcpx')).toBe(false);
    expect(resourceUrlFromServerUrl('https://a.example/mcp#x').href).toBe('https://a.example/mcp');
    expect([isStrictScopeSuperset('a b', 'a'), isStrictScopeSuperset('a', 'a')]).toEqual([true, false]);
    expect(assertSecureTokenEndpoint('http://localhost:1/token').port).toBe('1');
    expect(() => assertSecureTokenEndpoint('http://as.example/token')).toThrow('not https');
    const check = (iss: string | undefined, issParameterSupported: boolean) => () =>
      validateAuthorizationResponseIssuer({ iss, expectedIssuer: 'https://as.example', issParameterSupported });
    expect(check('https://as.example', true)).not.toThrow();
    expect(check(undefined, false)).not.toThrow();
    expect(check(undefined, true)).toThrow('does not name its issuer');
    expect(check('https://evil.example', false)).toThrow('another authorization server');
    const provider = { clientMetadata: { redirect_uris: [] }, redirectUrl: 'http://localhost/cb' };
    expect(resolveClientMetadata(provider)).toEqual({ redirect_uris: ['http://localhost/cb'] });
  });

  test('give fetch options of its own', async () => {
    const http = createServer((request, response) => void response.end(JSON.stringify(request.headers)));
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => void http.close(resolve)) });
    const fetched = createFetchWithInit(fetch, { headers: { 'x-a': '1', 'x-b': '1' } });
    const { port } = http.address() as { port: number };
    const response = await fetched(`http://127.0.0.1:${port}`, { headers: { 'x-b': '2', connection: 'close' } });
    expect(await response.json()).toMatchObject({ 'x-a': '1', 'x-b': '2' });
    expect(createFetchWithInit(fetch)).toBe(fetch);
  });
});
