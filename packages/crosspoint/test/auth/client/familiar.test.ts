import { afterEach, describe, expect, it } from 'vitest';
import {
  auth,
  buildDiscoveryUrls,
  ClientCredentialsProvider,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthMetadata,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  fetchToken,
  refreshAuthorization,
  registerClient,
  selectResourceURL,
  startAuthorization,
  withOAuth,
} from '../../../src/auth/index.ts';
import { approving, createWorld, failureOf, login, type World, type WorldOptions } from './world.ts';

const worlds: World[] = [];
async function made(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  worlds.push(world);
  return world;
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

describe('the names people know', () => {
  it('find everything out', async () => {
    const world = await made();
    const prm = await discoverOAuthProtectedResourceMetadata(world.mcp);
    expect(prm.authorization_servers).toEqual([world.issuer]);
    expect((await discoverAuthorizationServerMetadata(world.issuer))?.issuer).toBe(world.issuer);
    expect((await discoverAuthorizationServerMetadata(new URL(world.issuer)))?.issuer).toBe(world.issuer);
    expect((await discoverOAuthMetadata(world.issuer))?.token_endpoint).toBe(`${world.as}/token`);
    expect(await discoverOAuthServerInfo(world.mcp)).toMatchObject({ authorizationServerUrl: world.issuer });
    expect(buildDiscoveryUrls('https://as.example/t').map(({ type }) => type)).toEqual(['oauth', 'oidc', 'oidc']);
    expect((await selectResourceURL(world.mcp, login(world), prm))?.href).toBe(world.mcp);
    expect(computeScopeUnion('a b', undefined, 'b c')).toBe('a b c');
    const response = await fetch(world.mcp, { method: 'POST' });
    expect(extractWWWAuthenticateParams(response).resourceMetadataUrl?.pathname).toBe(
      '/.well-known/oauth-protected-resource/mcp',
    );
  });

  it('log in, one exchange after the other', async () => {
    const world = await made();
    const metadata = (await discoverAuthorizationServerMetadata(world.issuer))!;
    const redirectUrl = 'http://127.0.0.1:9/callback';
    const clientMetadata = { redirect_uris: [redirectUrl], client_name: 'Test' };
    const clientInformation = await registerClient(world.issuer, { metadata, clientMetadata });
    const { authorizationUrl, codeVerifier } = await startAuthorization(world.issuer, {
      metadata,
      clientInformation,
      redirectUrl,
      resource: new URL(world.mcp),
    });
    const callback = (await approving.visit(authorizationUrl))!;
    const tokens = await exchangeAuthorization(world.issuer, {
      metadata,
      clientInformation,
      authorizationCode: callback.get('code') ?? '',
      codeVerifier,
      redirectUri: redirectUrl,
      resource: world.mcp,
    });
    const fresh = await refreshAuthorization(world.issuer, {
      metadata,
      clientInformation,
      refreshToken: tokens.refresh_token ?? '',
    });
    expect(fresh.access_token).not.toBe(tokens.access_token);
    const service = new ClientCredentialsProvider({ clientId: 'c', clientSecret: 's' });
    expect((await fetchToken(service, world.issuer, { metadata, resource: world.mcp })).access_token).toMatch(
      /^token-/,
    );
  });

  it('make a fetch that logs in', async () => {
    const world = await made();
    const guarded = withOAuth(login(world), world.mcp)(fetch);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const response = await guarded(world.mcp, { method: 'POST', headers, body });
    expect(response.status).not.toBe(401);
    expect(world.seen('GET /authorize')).toHaveLength(1);
  });

  it('say where a page waits for its answer', async () => {
    const world = await made();
    const provider = login(world, { userAgent: { ...approving, visit: () => Promise.resolve(undefined) } });
    expect(await auth(provider, { serverUrl: world.mcp })).toBe('REDIRECT');
    const guarded = withOAuth(provider, world.mcp)(fetch);
    expect((await failureOf(guarded(world.mcp, { method: 'POST' }))).fault).toBe('needs-user');
  });
});
