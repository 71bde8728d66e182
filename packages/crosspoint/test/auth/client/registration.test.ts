import { afterEach, describe, expect, it } from 'vitest';
import {
  ClientCredentialsProvider,
  clientMetadataDocument,
  validateClientMetadataUrl,
  type OAuthClientProvider,
} from '../../../src/auth/index.ts';
import { applicationType, checkRedirects } from '../../../src/auth/client/register-client.ts';
import { proves } from '../../requirements/proves.ts';
import { approving, createWorld, failureOf, login, use, type World, type WorldOptions } from './world.ts';

const worlds: World[] = [];
async function made(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  worlds.push(world);
  return world;
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const DOCUMENT = 'https://app.example/client.json';
const withoutRegistration = ({
  registration_endpoint: _dropped,
  ...usual
}: Record<string, unknown>): Record<string, unknown> => usual;

describe('becoming a client', () => {
  proves('M-AR-002, L-AUTH-021, L-AUTH-022, M-AR-016').it(
    'uses what was registered by hand before anything else',
    async () => {
      const world = await made({ metadata: (usual) => ({ ...usual, client_id_metadata_document_supported: true }) });
      await use(world, login(world, { client: { client_id: 'by-hand' }, clientMetadataUrl: DOCUMENT }));
      expect(world.seen('GET /authorize')[0]?.query.get('client_id')).toBe('by-hand');
      expect(world.seen('POST /register')).toEqual([]);
    },
  );

  proves('M-AR-002, M-AR-003, L-AUTH-043, L-AUTH-022, L-AUTH-056, M-DEP-007').it(
    'uses its document next, where that is supported',
    async () => {
      const world = await made({ metadata: (usual) => ({ ...usual, client_id_metadata_document_supported: true }) });
      await use(world, login(world, { clientMetadataUrl: DOCUMENT }));
      expect(world.seen('GET /authorize')[0]?.query.get('client_id')).toBe(DOCUMENT);
      expect(world.seen('POST /register')).toEqual([]);
    },
  );

  proves('M-AR-015, M-AR-017, M-AR-018, L-AUTH-017, L-AUTH-018, L-AUTH-022, L-AUTH-056, M-AF-035').it(
    'registers itself otherwise, as what it is',
    async () => {
      const world = await made();
      await use(world, login(world, { clientMetadataUrl: DOCUMENT }));
      expect(world.seen('POST /register')[0]?.json).toMatchObject({
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      });
    },
  );

  proves('L-AUTH-095, M-ASEC-011').it(
    'registers the address that codes come back to, and comes back to no other',
    async () => {
      const world = await made();
      await use(world, login(world));
      const [registration] = world.seen('POST /register');
      expect(registration?.json['redirect_uris']).toEqual(['http://127.0.0.1:9/callback']);
      expect(world.seen('GET /authorize')[0]?.query.get('redirect_uri')).toBe('http://127.0.0.1:9/callback');
    },
  );

  proves('L-AUTH-020, M-AR-001').it(
    'asks the user where there is no other way, and says so where nobody can be asked',
    async () => {
      const world = await made({ metadata: withoutRegistration });
      const error = await failureOf(use(world, login(world)));
      expect(error.fault).toBe('registration');
      expect(error.message).toContain('client_id');
      expect(world.seen('GET /authorize')).toEqual([]);
      const asked = login(world, {
        askForClient: ({ issuer }) => Promise.resolve({ client_id: `typed in for ${issuer}` }),
      });
      expect(await use(world, asked)).toBe('a user');
      expect(world.seen('GET /authorize')[0]?.query.get('client_id')).toBe(`typed in for ${world.issuer}`);
    },
  );

  proves('M-AR-020, M-AR-021').it(
    'that is refused for its redirect address is an error that says what to change',
    async () => {
      const body = { error: 'invalid_redirect_uri', error_description: 'loopback is not allowed' };
      const world = await made({ register: () => ({ status: 400, body }) });
      const error = await failureOf(use(world, login(world)));
      expect(error).toMatchObject({ name: 'RegistrationRejectedError', status: 400, code: 'invalid_redirect_uri' });
      expect(error.message).toMatch(/loopback is not allowed.*127\.0\.0\.1.*native/s);
    },
  );

  proves('M-AR-017, M-AR-018, M-AR-019').it.each([
    [['http://127.0.0.1:3000/callback'], 'native'],
    [['http://localhost/callback'], 'native'],
    [['com.example.app:/callback'], 'native'],
    [['https://app.example/callback'], 'web'],
    [['https://app.example/callback', 'http://localhost/callback'], 'native'],
  ])('with %s is of the type %s', (redirects, type) => {
    expect(applicationType(redirects)).toBe(type);
  });

  proves('L-AUTH-092, M-ASEC-006').it.each([
    'http://app.example/callback',
    'javascript:alert(1)',
    'http://10.0.0.1/callback',
    'https://app.example/#x',
    'nowhere',
  ])('does not let codes come back to %s', (redirect) =>
    expect(() => checkRedirects([redirect])).toThrow('redirect address'),
  );

  proves('L-AUTH-092, M-ASEC-006').it('lets codes come back to this machine and over https', () => {
    checkRedirects([
      'http://localhost:3000/callback',
      'http://127.0.0.1/callback',
      'http://[::1]/x',
      'https://app.example/x',
    ]);
  });
});

describe('a client metadata document', () => {
  proves('L-AUTH-045, L-AUTH-046, M-AR-006').it.each([
    'http://app.example/client.json',
    'https://app.example',
    'https://app.example/',
    'https://app.example/a#b',
    'https://u:p@app.example/a',
    'https://app.example/a/../b',
    'nowhere',
  ])('is not at %s', (url) => expect(() => validateClientMetadataUrl(url)).toThrow('clientMetadataUrl'));

  proves('L-AUTH-045, L-AUTH-046, M-AR-006').it('is at an https address with a path', () => {
    expect(() => validateClientMetadataUrl(DOCUMENT)).not.toThrow();
  });

  proves('L-AUTH-047, L-AUTH-048, M-AR-007, M-AR-008').it(
    'names its own address, the client and where codes come back to',
    () => {
      const redirect_uris = ['http://127.0.0.1/callback'];
      expect(clientMetadataDocument(DOCUMENT, { client_name: 'App', redirect_uris })).toMatchObject({
        client_id: DOCUMENT,
        client_name: 'App',
        redirect_uris,
      });
      expect(() => clientMetadataDocument(DOCUMENT, { redirect_uris })).toThrow('client_name');
      expect(() => clientMetadataDocument(DOCUMENT, { client_name: 'App', redirect_uris: [] })).toThrow(
        'redirect_uris',
      );
      const other = { client_name: 'App', redirect_uris, client_id: 'https://other.example/x' };
      expect(clientMetadataDocument(DOCUMENT, other).client_id).toBe(DOCUMENT);
    },
  );
});

describe('how a client shows who it is', () => {
  proves('M-AR-027').it.each([
    ['client_secret_basic', (secret: string) => secret.startsWith('Basic ')],
    ['client_secret_post', (secret: string) => secret === ''],
  ])('is %s where that is supported', async (method, isHeader) => {
    const world = await made({
      metadata: (usual) => ({ ...usual, token_endpoint_auth_methods_supported: [method] }),
      register: (_, usual) => ({ status: 201, body: { ...(usual().body as object), client_secret: 'a secret/+' } }),
    });
    const provider = login(world);
    await use(world, provider);
    world.expireAll();
    await use(world, provider);
    for (const { authorization = '', form } of world.seen('POST /token')) {
      expect(isHeader(authorization)).toBe(true);
      expect(form.get('client_secret')).toBe(method === 'client_secret_post' ? 'a secret/+' : null);
      if (authorization !== '')
        expect(Buffer.from(authorization.slice(6), 'base64').toString()).toMatch(/^client-[\w-]+:a\+secret%2F%2B$/);
    }
    expect(world.seen('POST /register')[0]?.json['token_endpoint_auth_method']).toBe(method);
  });
});

describe('several authorization servers', () => {
  proves('M-AD-004, M-AR-022, M-AR-023, M-AR-024, M-AD-005').it('have clients and tokens of their own', async () => {
    const [first, second] = [await made(), await made()];
    let issuer = first.issuer;
    const world = await made({ prm: (usual) => ({ ...usual, authorization_servers: [issuer] }) });
    const provider = login(world);
    // The tokens of either are no good here; what matters is who is shown what.
    await failureOf(use(world, provider));
    issuer = second.issuer;
    await failureOf(use(world, provider));
    const [mine] = first.seen('GET /authorize').map(({ query }) => query.get('client_id'));
    expect(second.seen('POST /register')).toHaveLength(1);
    for (const { form, query } of [...second.seen('POST /token'), ...second.seen('GET /authorize')]) {
      expect(form.get('client_id')).not.toBe(mine);
      expect(query.get('client_id')).not.toBe(mine);
    }
    expect((await provider.tokens({ issuer: first.issuer }))?.issuer).toBe(first.issuer);
    expect((await provider.tokens({ issuer: second.issuer }))?.issuer).toBe(second.issuer);
  });

  proves('M-AR-025').it('are not shown what was registered by hand with another one', async () => {
    const world = await made();
    const client = { client_id: 'by-hand', client_secret: 'secret', issuer: 'https://as.example' };
    const error = await failureOf(use(world, login(world, { client })));
    expect(error).toMatchObject({ name: 'AuthorizationServerMismatchError', recordedIssuer: 'https://as.example' });
    expect(world.log.filter(({ at, method }) => at === 'as' && method === 'POST')).toEqual([]);
  });

  proves('M-AR-022, M-AR-025').it(
    'are not shown a client of which only the first of them is known to know it',
    async () => {
      const [first, second] = [await made(), await made()];
      let issuer = first.issuer;
      const world = await made({ prm: (usual) => ({ ...usual, authorization_servers: [issuer] }) });
      const byHand = login(world, { client: { client_id: 'by-hand', client_secret: 'secret' } });
      const service = new ClientCredentialsProvider({ clientId: 'service', clientSecret: 'secret' });
      for (const provider of [byHand, service]) {
        issuer = first.issuer;
        await failureOf(use(world, provider));
        issuer = second.issuer;
        expect((await failureOf(use(world, provider))).name).toBe('AuthorizationServerMismatchError');
      }
      expect(first.seen('POST /token').length).toBeGreaterThan(0);
      expect(second.log.filter(({ method }) => method === 'POST')).toEqual([]);
    },
  );

  proves('M-AR-026').it('all know the client by its document', async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() => made({ metadata: (usual) => ({ ...usual, client_id_metadata_document_supported: true }) })),
    );
    let issuer = first!.issuer;
    const world = await made({ prm: (usual) => ({ ...usual, authorization_servers: [issuer] }) });
    const provider = login(world, { clientMetadataUrl: DOCUMENT });
    await failureOf(use(world, provider));
    issuer = second!.issuer;
    await failureOf(use(world, provider));
    expect(second!.seen('GET /authorize')[0]?.query.get('client_id')).toBe(DOCUMENT);
  });
});

describe('a provider written for other libraries', () => {
  it('is all that is needed', async () => {
    const world = await made();
    const kept: Record<string, unknown> = {};
    const provider: OAuthClientProvider = {
      redirectUrl: 'http://127.0.0.1:9/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'], client_name: 'Old' },
      clientInformation: () => kept['client'] as never,
      saveClientInformation: (client) => void (kept['client'] = client),
      tokens: () => kept['tokens'] as never,
      saveTokens: (tokens) => void (kept['tokens'] = tokens),
      redirectToAuthorization: async (page) => void (kept['callback'] = await approving.visit(page)),
      saveCodeVerifier: (verifier) => void (kept['verifier'] = verifier),
      codeVerifier: () => String(kept['verifier']),
    };
    const { Client, StreamableHTTPClientTransport } = await import('../../../src/client/index.ts');
    const transport = new StreamableHTTPClientTransport(world.mcp, { authProvider: provider });
    expect((await failureOf(new Client({ name: 'a', version: '1' }).connect(transport))).name).toBe(
      'UnauthorizedError',
    );
    await transport.finishAuth((kept['callback'] as URLSearchParams).get('code') ?? '');
    expect(await use(world, provider)).toBe('a user');
    world.expireAll();
    expect(await use(world, provider)).toBe('a user');
    expect(world.seen('GET /authorize')).toHaveLength(1);
  });

  proves('M-AD-005').it(
    'that keeps tokens without their issuer shows them to no other than the one it recorded',
    async () => {
      const [first, second] = [await made(), await made()];
      let issuer = first.issuer;
      const world = await made({ prm: (usual) => ({ ...usual, authorization_servers: [issuer] }) });
      const kept: Record<string, never> = {};
      const keep =
        (name: string) =>
        (value: unknown): void =>
          void (kept[name] = value as never);
      const provider: OAuthClientProvider = {
        redirectUrl: 'http://127.0.0.1:9/callback',
        clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'], client_name: 'Old' },
        clientInformation: () => kept['client'],
        saveClientInformation: keep('client'),
        tokens: () => kept['tokens'],
        saveTokens: ({ access_token, token_type, refresh_token }) =>
          keep('tokens')({ access_token, token_type, refresh_token }),
        redirectToAuthorization: (page) => approving.visit(page),
        saveCodeVerifier: keep('verifier'),
        codeVerifier: () => kept['verifier'] ?? '',
        saveDiscoveryState: keep('state'),
        discoveryState: () => kept['state'],
      };
      await failureOf(use(world, provider));
      issuer = second.issuer;
      await failureOf(use(world, provider));
      expect(first.seen('POST /token').length).toBeGreaterThan(0);
      const grants = second.seen('POST /token').map(({ form }) => form.get('grant_type'));
      expect(new Set(grants)).toEqual(new Set(['authorization_code']));
    },
  );
});
