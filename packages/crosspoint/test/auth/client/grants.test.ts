import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  StaticPrivateKeyJwtProvider,
  WorkloadIdentityProvider,
} from '../../../src/auth/index.ts';
import { Client, StreamableHTTPClientTransport } from '../../../src/client/index.ts';
import { proves } from '../../requirements/proves.ts';
import { sendJson, serve, type Served } from '../serving.ts';
import { createWorld, failureOf, use, type World, type WorldOptions } from './world.ts';

const open: { close(): Promise<void> }[] = [];
async function made(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  open.push(world);
  return world;
}
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const methods =
  (...list: string[]) =>
  (usual: Record<string, unknown>): Record<string, unknown> => ({
    ...usual,
    token_endpoint_auth_methods_supported: list,
  });

interface DeclaredMessage extends Record<string, unknown> {
  readonly params: { _meta: { 'io.modelcontextprotocol/clientCapabilities': { extensions: object } } };
}

describe('a client that acts for itself', () => {
  proves('M-AX-002, M-AX-006').it(
    'asks with its secret, for this resource and with a scope, and registers nowhere',
    async () => {
      const world = await made({ metadata: methods('client_secret_basic') });
      const provider = new ClientCredentialsProvider({ clientId: 'service', clientSecret: 's3cret', scope: 'read' });
      expect(await use(world, provider)).toBe('a user');
      const [request] = world.seen('POST /token');
      expect(Object.fromEntries(request!.form)).toEqual({
        grant_type: 'client_credentials',
        resource: world.mcp,
        scope: 'read',
      });
      expect(request?.authorization).toBe(`Basic ${Buffer.from('service:s3cret').toString('base64')}`);
      expect(world.seen('POST /register')).toEqual([]);
      expect(world.seen('GET /authorize')).toEqual([]);
    },
  );

  proves('M-AX-002').it('puts its secret into the body where the server wants that', async () => {
    const world = await made({ metadata: methods('client_secret_post') });
    await use(world, new ClientCredentialsProvider({ clientId: 'service', clientSecret: 's3cret' }));
    expect(world.seen('POST /token')[0]?.form.get('client_secret')).toBe('s3cret');
  });

  proves('M-AX-002, M-AX-006').it('signs a new assertion for every request', async () => {
    const world = await made({ metadata: methods('private_key_jwt') });
    const provider = new PrivateKeyJwtProvider({ clientId: 'service', privateKey: pem, algorithm: 'ES256' });
    await use(world, provider);
    world.expireAll();
    await use(world, provider);
    const requests = world.seen('POST /token');
    const ids = new Set<unknown>();
    for (const { form } of requests) {
      expect(form.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      expect(form.get('resource')).toBe(world.mcp);
      const { payload } = await jwtVerify(
        form.get('client_assertion') ?? '',
        createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        {
          issuer: 'service',
          subject: 'service',
          audience: world.issuer,
        },
      );
      ids.add(payload.jti);
    }
    expect(ids.size).toBe(2);
  });

  it('takes an assertion that was signed elsewhere', async () => {
    const world = await made({ metadata: methods('private_key_jwt') });
    await use(world, new StaticPrivateKeyJwtProvider({ clientId: 'service', jwtBearerAssertion: 'a.b.c' }));
    expect(world.seen('POST /token')[0]?.form.get('client_assertion')).toBe('a.b.c');
  });

  it('shows its secret to the authorization server it belongs to, and to no other', async () => {
    const world = await made({ metadata: methods('client_secret_basic') });
    const provider = new ClientCredentialsProvider({
      clientId: 'c',
      clientSecret: 's',
      expectedIssuer: 'https://as.example',
    });
    expect((await failureOf(use(world, provider))).name).toBe('AuthorizationServerMismatchError');
    expect(world.seen('POST /token')).toEqual([]);
  });

  proves('M-AX-008').it('declares the extension that it uses', async () => {
    const world = await made();
    const declared = async (authProvider: ClientCredentialsProvider): Promise<string[]> => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(world.mcp, { authProvider }));
      await client.close();
      const [{ json }] = world.log.filter(({ path }) => path === '/mcp') as unknown as [{ json: DeclaredMessage }];
      return Object.keys(json.params._meta['io.modelcontextprotocol/clientCapabilities'].extensions);
    };
    const service = new ClientCredentialsProvider({ clientId: 'c', clientSecret: 's' });
    expect(await declared(service)).toContain('io.modelcontextprotocol/oauth-client-credentials');
    world.log.length = 0;
    const managed = new CrossAppAccessProvider({ clientId: 'c', clientSecret: 's', assertion: () => 'a.b.c' });
    expect(await declared(managed)).toContain('io.modelcontextprotocol/enterprise-managed-authorization');
  });
});

describe('workload identity', () => {
  it('gets its token for the token of the workload, which is read every time', async () => {
    const world = await made();
    let reads = 0;
    const provider = new WorkloadIdentityProvider({ clientId: 'workload', assertion: () => `jwt-${(reads += 1)}` });
    await use(world, provider);
    world.expireAll();
    await use(world, provider);
    const forms = world.seen('POST /token').map(({ form }) => form);
    expect(forms.map((form) => form.get('grant_type'))).toEqual(
      Array(2).fill('urn:ietf:params:oauth:grant-type:jwt-bearer'),
    );
    expect(forms.map((form) => form.get('assertion'))).toEqual(['jwt-1', 'jwt-2']);
  });

  it.each(['invalid_grant', 'invalid_scope', 'unauthorized_client'])(
    'that is refused with %s tries nothing else',
    async (error) => {
      const world = await made({ token: () => ({ status: 400, body: { error } }) });
      const failure = await failureOf(use(world, new WorkloadIdentityProvider({ clientId: 'w', assertion: 'a.b.c' })));
      expect(failure.code).toBe(error);
      expect(world.seen('POST /token')).toHaveLength(1);
    },
  );
});

describe('enterprise-managed authorization', () => {
  async function identityProvider(): Promise<
    Served & { forms: URLSearchParams[]; authorizations: (string | undefined)[] }
  > {
    const forms: URLSearchParams[] = [];
    const authorizations: (string | undefined)[] = [];
    const served = await serve(async (request, response, body) => {
      if (request.url === '/.well-known/openid-configuration')
        return sendJson(response, { issuer: served.url, token_endpoint: `${served.url}/token` });
      if (request.url !== '/token') return void response.writeHead(404).end();
      const form = new URLSearchParams(body);
      forms.push(form);
      authorizations.push(request.headers.authorization);
      if (form.get('subject_token') !== 'id-token') return sendJson(response, { error: 'invalid_grant' }, 400);
      const grant = await new SignJWT({ resource: form.get('resource'), client_id: 'mcp-client' })
        .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt' })
        .setAudience(form.get('audience') ?? '')
        .sign(privateKey);
      sendJson(response, {
        access_token: grant,
        issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        token_type: 'N_A',
      });
    });
    open.push(served);
    return { ...served, forms, authorizations };
  }

  proves('M-AX-009, M-AX-010, M-AX-015, M-AX-017').it(
    'exchanges the identity for a grant and the grant for a token, and opens no page',
    async () => {
      const idp = await identityProvider();
      const world = await made({ metadata: methods('client_secret_basic') });
      const provider = new CrossAppAccessProvider({
        clientId: 'mcp-client',
        clientSecret: 'mcp-secret',
        assertion: async ({ authorizationServerUrl, resourceUrl, scope }) => {
          const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
            idpUrl: idp.url,
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: 'id-token',
            clientId: 'idp-client',
            clientSecret: 'idp-secret',
            ...(scope !== undefined && { scope }),
          });
          return jwtAuthGrant;
        },
      });
      expect(await use(world, provider)).toBe('a user');
      expect(Object.fromEntries(idp.forms[0]!)).toEqual({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        audience: world.issuer,
        resource: world.mcp,
        subject_token: 'id-token',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      });
      expect(idp.authorizations[0]).toBe(`Basic ${Buffer.from('idp-client:idp-secret').toString('base64')}`);
      const [request] = world.seen('POST /token');
      expect(request?.form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
      expect(decodeProtectedHeader(request?.form.get('assertion') ?? '').typ).toBe('oauth-id-jag+jwt');
      expect(decodeJwt(request?.form.get('assertion') ?? '').aud).toBe(world.issuer);
      expect(request?.authorization).toBe(`Basic ${Buffer.from('mcp-client:mcp-secret').toString('base64')}`);
      expect(world.seen('GET /authorize')).toEqual([]);
    },
  );

  it('does not take something else for the grant', async () => {
    const idp = await serve((_, response) => sendJson(response, { access_token: 'x', token_type: 'Bearer' }));
    open.push(idp);
    const asked = {
      tokenEndpoint: `${idp.url}/token`,
      audience: 'https://as.example',
      resource: 'https://mcp.example',
      idToken: 'id-token',
      clientId: 'c',
    };
    expect((await failureOf(requestJwtAuthorizationGrant(asked))).message).toContain(
      'did not issue an identity assertion',
    );
  });
});
