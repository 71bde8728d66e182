import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import {
  JWT_BEARER,
  assertionGrant,
  createAuthorizationServer,
  type GrantHandler,
  type OAuthClient,
} from '../src/index.ts';
import { memoryStore } from 'crosspoint/server';
import {
  Browser,
  CALLBACK,
  CLIENT,
  authorizeUrl,
  byPassword,
  closeStarted,
  obtain,
  pkce,
  postForm,
  register,
  start,
  type Started,
  type TokenReply,
} from './login-kit.ts';

afterEach(closeStarted);

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const SCOPES = ['read', 'write', 'admin'];
const DOCUMENT = 'https://stranger.example.com/client.json';
const { privateKey, publicKey } = await generateKeyPair('ES256');
const jwks = { keys: [await exportJWK(publicKey)] };

const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

/** The form with which a client asks for tokens in its own name, signed with its key. */
async function signed(at: Started, clientId: string, more: Record<string, string> = {}): Promise<TokenReply> {
  const assertion = await new SignJWT({ iss: clientId, sub: clientId, aud: at.url, jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('2 minutes')
    .sign(privateKey);
  return postForm(`${at.url}/token`, {
    grant_type: 'client_credentials',
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: assertion,
    ...more,
  });
}

const documented = (document: object): typeof fetch =>
  (async () =>
    new Response(JSON.stringify(document), { headers: { 'content-type': 'application/json' } })) as typeof fetch;

const secretClient = (more: Partial<OAuthClient> = {}): OAuthClient => ({
  client_id: 'machine',
  client_secret: 's',
  token_endpoint_auth_method: 'client_secret_basic',
  grant_types: ['client_credentials'],
  ...more,
});

const askAs = (at: Started, id: string, more: Record<string, string> = {}): Promise<TokenReply> =>
  postForm(`${at.url}/token`, { grant_type: 'client_credentials', ...more }, basic(id, 's'));

describe('a client that nobody has configured gets no token without a login', () => {
  test('when it registers for a grant that asks nobody', async () => {
    const at = await start({ as: { scopes: SCOPES } });
    for (const type of ['client_credentials', JWT_BEARER, 'urn:ietf:params:oauth:grant-type:token-exchange'])
      for (const types of [[type], ['authorization_code', type]]) {
        const { status, body } = await register(at, {
          redirect_uris: [CALLBACK],
          grant_types: types,
          token_endpoint_auth_method: 'client_secret_basic',
        });
        expect([status, body['error'], body['client_id']], types.join()).toEqual([
          400,
          'invalid_client_metadata',
          undefined,
        ]);
      }
  });

  test('when its registration of an older release is still in the store', async () => {
    const store = memoryStore();
    const at = await start({ as: { scopes: SCOPES, store } });
    const { body } = await register(at, {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    const id = body['client_id'] ?? '';
    const key = `oauth:client:${id}`;
    const kept = (await store.get(key))?.value as Record<string, string>;
    for (const origin of ['registered', 'configured']) {
      await store.put(key, { ...kept, origin, grant_types: ['authorization_code', 'client_credentials'] });
      const reply = await postForm(
        `${at.url}/token`,
        { grant_type: 'client_credentials', scope: 'read write admin' },
        basic(id, body['client_secret'] ?? ''),
      );
      expect([reply.status, reply.body['error']], origin).toEqual([400, 'unauthorized_client']);
    }
  });

  test('when it is known by a document of its own, with keys of its own', async () => {
    const document = {
      client_id: DOCUMENT,
      client_name: 'Stranger',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks,
    };
    const asks = { ...document, grant_types: ['authorization_code', 'client_credentials'] };
    const at = await start({ as: { scopes: SCOPES, registration: false, outbound: { fetch: documented(asks) } } });
    const refused = await signed(at, DOCUMENT, { client_id: DOCUMENT, scope: 'read write admin' });
    expect([refused.status, refused.body['error']]).toEqual([401, 'invalid_client']);
    expect(refused.body['error_description']).toContain('client_credentials');
    const silent = await start({ as: { scopes: SCOPES, outbound: { fetch: documented(document) } } });
    const reply = await signed(silent, DOCUMENT, { client_id: DOCUMENT, scope: 'read write admin' });
    expect([reply.status, reply.body['error']]).toEqual([400, 'unauthorized_client']);
  });

  test('when its document of an older release is still in the store', async () => {
    const store = memoryStore();
    const document = {
      client_id: DOCUMENT,
      client_name: 'Stranger',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks,
    };
    const at = await start({ as: { scopes: SCOPES, store, outbound: { fetch: documented(document) } } });
    await new Browser().go(authorizeUrl(at, pkce(), { client_id: DOCUMENT }));
    const [key = ''] = await store.keys('oauth:document:');
    const kept = (await store.get(key))?.value as Record<string, string>;
    await store.put(key, { ...kept, origin: 'configured', grant_types: ['client_credentials'] });
    const reply = await signed(at, DOCUMENT, { client_id: DOCUMENT });
    expect([reply.status, reply.body['error']]).toEqual([400, 'unauthorized_client']);
  });

  test('when it uses a grant that the program has added', async () => {
    const calls: string[] = [];
    const own: GrantHandler = async ({ client }) => {
      calls.push(client.client_id);
      return { access_token: 'x', token_type: 'Bearer' };
    };
    const grantHandlers = new Map([
      ['urn:example:own', own],
      [JWT_BEARER, assertionGrant({ trusted: [{ issuer: 'https://idp.example.com', jwks }] })],
    ]);
    const at = await start({
      as: {
        grantHandlers,
        clients: [secretClient({ grant_types: ['urn:example:own'] }), secretClient({ client_id: 'other' })],
      },
    });
    const { body } = await register(at, {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    for (const type of grantHandlers.keys()) {
      const reply = await postForm(
        `${at.url}/token`,
        { grant_type: type, assertion: 'a.b.c' },
        basic(body['client_id'] ?? '', body['client_secret'] ?? ''),
      );
      expect([reply.status, reply.body['error']], type).toEqual([400, 'unauthorized_client']);
    }
    // A configured client uses the grants that are configured for it, and no others.
    expect((await askAs(at, 'other', { grant_type: 'urn:example:own' })).body['error']).toBe('unauthorized_client');
    expect((await askAs(at, 'machine', { grant_type: 'urn:example:own' })).status).toBe(200);
    expect(calls).toEqual(['machine']);
  });
});

describe('a client that acts for itself has the scopes that are configured for it', () => {
  test('and none when there are none', async () => {
    const at = await start({ as: { scopes: SCOPES, clients: [secretClient()] } });
    const { status, body } = await askAs(at, 'machine');
    expect([status, body['scope']]).toEqual([200, '']);
    for (const scope of ['read', 'read write admin'])
      expect((await askAs(at, 'machine', { scope })).body['error'], scope).toBe('invalid_scope');
    const signer: OAuthClient = {
      client_id: 'signer',
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: ['client_credentials'],
      scope: 'read write',
      jwks,
    };
    const other = await start({ as: { scopes: SCOPES, clients: [signer] } });
    expect((await signed(other, 'signer')).body['scope']).toBe('read write');
    expect((await signed(other, 'signer', { scope: 'read' })).body['scope']).toBe('read');
    // The description names the scope that is refused, whatever else was asked for.
    expect((await signed(other, 'signer', { scope: 'read admin' })).body).toMatchObject({
      error: 'invalid_scope',
      error_description: 'The client may not ask for the scope admin.',
    });
  });

  test('within the defaults of the server when it asks for none in particular', async () => {
    const clients = [secretClient({ scope: 'read admin nonsense' })];
    const at = await start({ as: { scopes: SCOPES, defaultScopes: ['read', 'write'], clients } });
    expect((await askAs(at, 'machine')).body['scope']).toBe('read');
    expect((await askAs(at, 'machine', { scope: 'admin' })).body['scope']).toBe('admin');
    expect((await askAs(at, 'machine', { scope: 'nonsense' })).body['error']).toBe('invalid_scope');
  });

  test('and is refused at once when it has no credentials to act with', () => {
    const make = (client: OAuthClient) => () =>
      createAuthorizationServer({
        issuer: 'https://as.example.com',
        resource: 'https://as.example.com/mcp',
        login: byPassword,
        clients: [client],
      });
    expect(make({ client_id: 'open', grant_types: ['client_credentials'] })).toThrow('open');
    expect(make(secretClient())).not.toThrow();
  });

  test('and is told of the grant only where a client may use it', async () => {
    const without = await start();
    expect(without.as.metadata.grant_types_supported).toEqual(['authorization_code', 'refresh_token']);
    const withOne = await start({ as: { clients: [secretClient()] } });
    expect(withOne.as.metadata.grant_types_supported).toContain('client_credentials');
  });
});

describe('an assertion of an identity provider', () => {
  async function assert(at: Started, claims: object, scope?: string): Promise<TokenReply> {
    const assertion = await new SignJWT({ client_id: 'agent', resource: at.resource, sub: 'ada', ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt' })
      .setIssuer('https://idp.example.com')
      .setAudience(at.url)
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey);
    const fields = { grant_type: JWT_BEARER, assertion, ...(scope !== undefined && { scope }) };
    return askAs(at, 'agent', fields);
  }
  const startFor = (client: Partial<OAuthClient>): Promise<Started> =>
    start({
      as: {
        scopes: SCOPES,
        clients: [secretClient({ client_id: 'agent', grant_types: [JWT_BEARER], ...client })],
        grantHandlers: new Map([
          [JWT_BEARER, assertionGrant({ trusted: [{ issuer: 'https://idp.example.com', jwks }] })],
        ]),
      },
    });

  test('gives what it names, and what is configured for the client where it names nothing', async () => {
    const open = await startFor({});
    expect((await assert(open, { scope: 'read' })).body['scope']).toBe('read');
    expect((await assert(open, { scope: 'read' }, 'read write')).body).toMatchObject({
      error: 'invalid_scope',
      error_description: 'The assertion does not allow the scope write.',
    });
    expect((await assert(open, {})).body['scope']).toBe('');
    expect((await assert(open, { scope: '' })).body['scope']).toBe('');
    for (const scope of ['"', ['read'], 7, null])
      expect((await assert(open, { scope })).body['error'], JSON.stringify(scope)).toBe('invalid_grant');
    expect((await assert(open, {}, 'admin')).body['error']).toBe('invalid_scope');
    const limited = await startFor({ scope: 'read' });
    expect((await assert(limited, {})).body['scope']).toBe('read');
    expect((await assert(limited, { scope: '' })).body['scope']).toBe('');
    expect((await assert(limited, { scope: 'read admin' }, 'admin')).body['error']).toBe('invalid_scope');
    expect((await assert(limited, { scope: 'read' })).body['scope']).toBe('read');
  });

  test('that is no object is refused', async () => {
    const at = await startFor({});
    for (const body of ['null', '1', '"x"', '[]', '{"iss":{}}']) {
      const assertion = `e30.${Buffer.from(body).toString('base64url')}.x`;
      const reply = await askAs(at, 'agent', { grant_type: JWT_BEARER, assertion });
      expect([reply.status, reply.body['error']], body).toEqual([400, 'invalid_grant']);
    }
  });
});

describe('a client that somebody logs in with', () => {
  const consentOf = async (at: Started, more: Record<string, string | undefined>): Promise<Browser> =>
    (await new Browser().go(authorizeUrl(at, pkce(), more))).logIn('ada');

  test('that registered itself may ask for the scopes that the operator has opened to such clients', async () => {
    const at = await start({ as: { scopes: SCOPES, openScopes: ['read', 'write'] } });
    const { body } = await register(at, { redirect_uris: ['http://127.0.0.1/cb'], scope: 'read admin nonsense' });
    expect(body['scope']).toBe('read');
    const mine = { client_id: body['client_id'], redirect_uri: 'http://127.0.0.1/cb' };
    const told = await fetch(authorizeUrl(at, pkce(), { ...mine, scope: 'read admin' }), { redirect: 'manual' });
    expect(new URL(told.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_scope');
    expect((await consentOf(at, { ...mine, scope: undefined })).html).toContain('<dd>read</dd>');
    // The user decides about more than the client has registered: clients register with the first challenge they see.
    expect((await consentOf(at, { ...mine, scope: 'read write' })).html).toContain('<dd>read, write</dd>');
    // Those of the operator are not limited by it.
    expect((await consentOf(at, { scope: 'admin' })).html).toContain('<dd>admin</dd>');
    const unnamed = await register(at, { redirect_uris: ['http://127.0.0.1/cb'] });
    const page = await consentOf(at, { ...mine, client_id: unnamed.body['client_id'], scope: undefined });
    expect(page.html).toContain('<dd>read, write</dd>');
  });

  test('that is known by its document is limited in the same way', async () => {
    const document = { client_id: DOCUMENT, client_name: 'S', redirect_uris: ['http://127.0.0.1/cb'] };
    const at = await start({
      as: { scopes: SCOPES, openScopes: ['read'], outbound: { fetch: documented({ ...document, scope: 'admin' }) } },
    });
    const mine = { client_id: DOCUMENT, redirect_uri: 'http://127.0.0.1/cb' };
    const told = await fetch(authorizeUrl(at, pkce(), { ...mine, scope: 'admin' }), { redirect: 'manual' });
    expect(new URL(told.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_scope');
    expect((await consentOf(at, { ...mine, scope: undefined })).html).toContain('<dd>read</dd>');
  });

  test('may refresh to less, never to more, and not to what was taken from it', async () => {
    const store = memoryStore();
    const at = await start({ as: { scopes: SCOPES, store } });
    const { tokens } = await obtain(at, 'ada', { scope: 'read write' });
    const refresh = (to: Started, token: string | undefined, more: Record<string, string> = {}): Promise<TokenReply> =>
      postForm(`${to.url}/token`, {
        grant_type: 'refresh_token',
        client_id: CLIENT.client_id,
        refresh_token: token ?? '',
        ...more,
      });
    const more = await refresh(at, tokens['refresh_token'], { scope: 'read write admin' });
    expect(more.body['error']).toBe('invalid_scope');
    const less = await refresh(at, tokens['refresh_token'], { scope: 'read' });
    expect(less.body['scope']).toBe('read');
    const narrowed = await start({ as: { scopes: SCOPES, store, clients: [{ ...CLIENT, scope: 'read' }] } });
    expect((await refresh(narrowed, less.body['refresh_token'])).body['scope']).toBe('read');
  });

  test('gets what was on the page that its user agreed to', async () => {
    let scopes = ['read'];
    const store = memoryStore();
    const secret = new Uint8Array(32);
    const options = { scopes: SCOPES, store, secret };
    const at = await start({ as: { ...options, defaultScopes: scopes } });
    const browser = await consentOf(at, { scope: undefined });
    expect(browser.html).toContain('<dd>read</dd>');
    // Another node of the same service whose defaults are wider: the page was not about those.
    scopes = SCOPES;
    const wide = createAuthorizationServer({
      ...options,
      issuer: at.url,
      resource: at.resource,
      clients: [CLIENT],
      defaultScopes: scopes,
      login: byPassword,
    });
    const token = /name="token" value="([^"]+)"/.exec(browser.html)?.[1] ?? '';
    const [cookie] = [...(browser.cookies.get(at.url) ?? new Map<string, string>())];
    const answer = await wide.fetch(
      new Request(browser.url, {
        method: 'POST',
        body: new URLSearchParams({ action: 'approve', token }),
        headers: { origin: at.url, cookie: (cookie ?? []).join('=') },
      }),
    );
    expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
  });
});
