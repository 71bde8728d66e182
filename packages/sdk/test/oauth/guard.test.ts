import { OutboundError } from 'crosspoint/auth';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  auth,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type OAuthClientProvider,
} from '../../src/client/auth.ts';
import type { FetchLike } from '../../src/shared/transport.ts';
import { authorizationServer, goodResource, goodServer, type Answers } from './authorization-server.ts';
import { RecordingProvider } from './recording-provider.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const close of closing.splice(0)) await close();
});

async function served(answers: Answers) {
  const server = await authorizationServer(answers);
  closing.push(() => server.close());
  return server;
}

/** A `fetch` that answers by address, as mocks in tests of programs do: with objects that are no `Response`. */
function mocked(documents: Record<string, object>): FetchLike & { readonly sent: string[] } {
  const sent: string[] = [];
  const answer: FetchLike = async (url) => {
    sent.push(String(url));
    const body = documents[String(url)];
    return { ok: body !== undefined, status: body === undefined ? 404 : 200, json: async () => body } as Response;
  };
  return Object.assign(answer, { sent });
}

const MCP = 'https://mcp.example/mcp';
const RESOURCE = 'https://mcp.example/.well-known/oauth-protected-resource/mcp';
const named = (url: string): object => ({ resource: MCP, authorization_servers: [url] });

describe('requests of a login', () => {
  it('go through a fetch that the program put in place of the runtime’s', async () => {
    const fake = mocked({
      [RESOURCE]: named('https://login.example'),
      'https://login.example/.well-known/oauth-authorization-server': goodServer('https://login.example'),
      'https://login.example/clients': { client_id: 'new', redirect_uris: [] },
    });
    vi.stubGlobal('fetch', fake);
    const provider = new RecordingProvider();
    expect(await auth(provider, { serverUrl: MCP })).toBe('REDIRECT');
    expect(fake.sent).toEqual([
      RESOURCE,
      'https://login.example/.well-known/oauth-authorization-server',
      'https://login.example/clients',
    ]);
  });

  it.each([
    ['https://169.254.169.254', 'address'],
    ['https://10.0.0.8', 'address'],
    ['http://127.0.0.1:9', 'scheme'],
    ['http://login.example', 'scheme'],
  ])('are not sent to %s, whatever sends them', async (url, fault) => {
    const fake = mocked({ [RESOURCE]: named(url) });
    for (const options of [{ serverUrl: MCP, fetchFn: fake }, { serverUrl: MCP }]) {
      vi.stubGlobal('fetch', fake);
      await expect(auth(new RecordingProvider(), options)).rejects.toMatchObject({ name: 'OutboundError', fault });
    }
    expect(fake.sent).toEqual([RESOURCE, RESOURCE]);
  });

  it('are not sent to an address that a name resolves to, where the library connects', async () => {
    const server = await served({
      resource: (url) => ({ ...goodResource(url), authorization_servers: ['https://a.example'] }),
    });
    const policy = { resolve: async (host: string) => [host === 'a.example' ? '10.0.0.8' : host] };
    const failure: unknown = await auth(new RecordingProvider(), { serverUrl: `${server.url}/mcp`, policy }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(OutboundError);
    expect(failure).toMatchObject({ fault: 'address' });
  });

  it('are refused at an address of the challenge, too, which is no reason to look elsewhere', async () => {
    const fake = mocked({});
    const options = { serverUrl: MCP, fetchFn: fake, resourceMetadataUrl: new URL('https://169.254.169.254/latest') };
    await expect(auth(new RecordingProvider(), options)).rejects.toMatchObject({ fault: 'address' });
    expect(fake.sent).toEqual([]);
  });

  it('are not redirected to another origin', async () => {
    const sent: string[] = [];
    const fetchFn: FetchLike = async (url, init) => {
      sent.push(`${String(url)} ${init?.redirect}`);
      const { origin, pathname } = new URL(url);
      if (pathname === '/moved') return Response.json(goodServer(origin));
      const to = pathname.includes('openid') ? '/moved' : 'https://foe.example/moved';
      return new Response(null, { status: 307, headers: { location: to } });
    };
    await expect(discoverAuthorizationServerMetadata('https://login.example', { fetchFn })).rejects.toThrow('jwks_uri');
    expect(sent).toEqual([
      'https://login.example/.well-known/oauth-authorization-server manual',
      'https://login.example/.well-known/openid-configuration manual',
      'https://login.example/moved manual',
    ]);
  });

  it('that a browser does not send with a header are sent without', async () => {
    const sent: (string | null)[] = [];
    const fetchFn: FetchLike = async (_url, init) => {
      const version = new Headers(init?.headers).get('mcp-protocol-version');
      sent.push(version);
      if (version !== null) throw new TypeError('Failed to fetch');
      return Response.json(named('https://login.example'));
    };
    const found = await discoverOAuthProtectedResourceMetadata(MCP, { protocolVersion: '2025-06-18' }, fetchFn);
    expect(found.resource).toBe(MCP);
    expect(sent).toEqual(['2025-06-18', null]);
  });

  it('have the settings of the transport, and its headers at the server alone', async () => {
    const login = await served({ server: goodServer, register: { client_id: 'new', redirect_uris: [] } });
    const server = await served({ resource: (url) => ({ ...goodResource(url), authorization_servers: [login.url] }) });
    const requestInit = { headers: { 'x-mine': 'secret' } };
    await auth(new RecordingProvider(), { serverUrl: `${server.url}/mcp`, requestInit });
    expect(server.requests).toHaveLength(1);
    for (const request of server.requests) expect(request).toMatchObject({ 'x-mine': 'secret' });
    expect(login.requests).toHaveLength(2);
    for (const request of login.requests) expect(request).not.toHaveProperty('x-mine');
  });

  it('fail as those of fetch do where nobody listens', async () => {
    const server = await served({});
    await server.close();
    closing.splice(0);
    const provider = Object.assign(new RecordingProvider(), {
      client: { client_id: 'desk' },
      discoveryState: () => ({ authorizationServerUrl: server.url, resourceMetadata: goodResource(server.url) }),
    }) as OAuthClientProvider;
    const options = { serverUrl: `${server.url}/mcp`, authorizationCode: 'the-code' };
    await expect(auth(provider, options)).rejects.toThrow(new TypeError('fetch failed'));
  });
});

describe('a login stops before anything is registered or opened', () => {
  it.each<[what: string, change: object, message: RegExp]>([
    ['the metadata names another issuer', { issuer: 'https://foe.example' }, /issuer/],
    ['PKCE is not announced', { code_challenge_methods_supported: undefined }, /S256/],
    ['PKCE is announced without S256', { code_challenge_methods_supported: ['plain'] }, /S256/],
    ['the page to open is a file', { authorization_endpoint: 'file:///etc/passwd' }, /only https addresses/],
    ['the page to open is a script', { authorization_endpoint: 'javascript:alert(1)' }, /javascript/],
  ])('%s', async (_, change, message) => {
    const server = await served({
      resource: goodResource,
      server: (url) => ({ ...goodServer(url), ...change }),
      register: { client_id: 'new', redirect_uris: [] },
    });
    const provider = Object.assign(new RecordingProvider(), { client: { client_id: 'desk', issuer: server.url } });
    await expect(auth(provider, { serverUrl: `${server.url}/mcp` })).rejects.toThrow(message);
    expect(provider.calls).toEqual([]);
  });

  it('the iss beside the code is that of another authorization server', async () => {
    const server = await served({ resource: goodResource, server: goodServer });
    const provider = Object.assign(new RecordingProvider(), { client: { client_id: 'desk' } });
    const options = { serverUrl: `${server.url}/mcp`, authorizationCode: 'the-code' };
    await expect(auth(provider, { ...options, iss: 'https://foe.example' })).rejects.toMatchObject({
      name: 'IssuerMismatchError',
    });
    expect(server.requests).not.toContainEqual(expect.objectContaining({ method: 'POST' }));
    expect(await auth(provider, { ...options, iss: server.url })).toBe('AUTHORIZED');
  });
});

it('the metadata at the server’s own origin may name any issuer, because nobody has named one', async () => {
  const server = await served({ server: (url) => ({ ...goodServer(url), issuer: 'https://login.example' }) });
  const provider = Object.assign(new RecordingProvider(), { client: { client_id: 'desk' } });
  expect(await auth(provider, { serverUrl: `${server.url}/mcp` })).toBe('REDIRECT');
});

it('an issuer with a slash at its end and one without are the same, because both lead to the same metadata', async () => {
  const server = await served({
    resource: (url) => ({ ...goodResource(url), authorization_servers: [`${url}/`] }),
    server: goodServer,
  });
  const provider = Object.assign(new RecordingProvider(), { client: { client_id: 'desk', issuer: server.url } });
  expect(await auth(provider, { serverUrl: `${server.url}/mcp` })).toBe('REDIRECT');
});

it('corrections and providers of crosspoint/auth are for its own login', async () => {
  const server = await served({
    resource: goodResource,
    server: (url) => ({ ...goodServer(url), code_challenge_methods_supported: undefined }),
  });
  const provider = Object.assign(new RecordingProvider(), { client: { client_id: 'desk' } });
  const overrides = { metadata: { code_challenge_methods_supported: ['S256'] } };
  expect(await auth(provider, { serverUrl: `${server.url}/mcp`, overrides })).toBe('REDIRECT');
  const savePending = vi.fn();
  const keeping = Object.assign(new RecordingProvider(), { client: { client_id: 'desk' }, savePending });
  await expect(auth(keeping, { serverUrl: `${server.url}/mcp` })).rejects.toMatchObject({ name: 'AuthFlowError' });
});
