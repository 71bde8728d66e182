import * as officialExtensions from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import * as official from '@modelcontextprotocol/sdk/client/auth.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as oursExtensions from '../../src/client/auth-extensions.ts';
import * as ours from '../../src/client/auth.ts';
import { authorizationServer, goodResource, goodServer, steady, type Answers } from './authorization-server.ts';
import { RecordingProvider } from './recording-provider.ts';

/** The functions of one package; the types of the other agree where it matters here. */
type Sdk = typeof ours & Pick<typeof oursExtensions, 'ClientCredentialsProvider'>;
const OFFICIAL = { ...official, ...officialExtensions } as unknown as Sdk;
const OURS = { ...ours, ...oursExtensions } as Sdk;

interface Situation {
  readonly answers: Answers;
  /** Does what a program does, and returns what it sees beside the calls of the provider. */
  readonly program: (sdk: Sdk, server: URL, provider: RecordingProvider) => Promise<unknown>;
}

const withRefreshToken = (provider: RecordingProvider): RecordingProvider => {
  provider.client = { client_id: 'desk', client_secret: 'hidden' };
  provider.kept = { access_token: 'stale', token_type: 'Bearer', refresh_token: 'again' };
  return provider;
};
const wholeServer = { resource: goodResource, server: goodServer, register: { client_id: 'new', redirect_uris: [] } };
const logIn = (sdk: Sdk, serverUrl: URL, provider: RecordingProvider): Promise<unknown> =>
  sdk.auth(provider, { serverUrl });
const refresh = (sdk: Sdk, server: URL, provider: RecordingProvider): Promise<unknown> =>
  logIn(sdk, server, withRefreshToken(provider));
const finish = (sdk: Sdk, serverUrl: URL, provider: RecordingProvider): Promise<unknown> => {
  provider.client = { client_id: 'desk' };
  return sdk.auth(provider, { serverUrl, authorizationCode: 'the-code' });
};
const refusedWith = (...tokens: NonNullable<Answers['tokens']>): Situation => ({
  answers: { ...wholeServer, tokens },
  program: refresh,
});

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'a first login registers and sends the user away': { answers: wholeServer, program: logIn },
  'a scope of the challenge is asked for': {
    answers: wholeServer,
    program: (sdk, serverUrl, provider) => sdk.auth(provider, { serverUrl, scope: 'offline_access' }),
  },
  'a code is exchanged': { answers: wholeServer, program: finish },
  'a code is exchanged where the authorization server announces iss': {
    answers: {
      ...wholeServer,
      server: (url) => ({ ...goodServer(url), authorization_response_iss_parameter_supported: true }),
    },
    program: finish,
  },
  'a refresh sends the resource and saves what came': { answers: wholeServer, program: refresh },
  'a refresh without resource metadata sends none': { answers: { server: goodServer }, program: refresh },
  'a server without any metadata has the default endpoints': {
    answers: { register: { client_id: 'new', redirect_uris: [] } },
    program: async (sdk, server, provider) => [
      await logIn(sdk, server, provider),
      await sdk.auth(provider, { serverUrl: server, authorizationCode: 'the-code' }),
    ],
  },
  'an authorization server that is named and has no metadata has them, too': {
    answers: { resource: goodResource },
    program: finish,
  },
  'an OpenID provider is found second': {
    answers: {
      resource: goodResource,
      openId: (url) => ({
        ...goodServer(url),
        jwks_uri: `${url}/keys`,
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
        another_member: 1,
      }),
    },
    program: async (sdk, server) => sdk.discoverAuthorizationServerMetadata(server.origin),
  },
  'metadata that is broken is told': { answers: { resource: 500, server: 500 }, program: logIn },
  'no client and no way to save one': {
    answers: wholeServer,
    program: (sdk, serverUrl, provider) =>
      sdk.auth(Object.assign(provider, { saveClientInformation: undefined }), { serverUrl }),
  },
  'no registration there': {
    answers: { ...wholeServer, server: (url) => ({ ...goodServer(url), registration_endpoint: undefined }) },
    program: logIn,
  },
  'a client of another authorization server is not sent': {
    answers: wholeServer,
    program: (sdk, serverUrl, provider) => {
      provider.client = { client_id: 'other', client_secret: 'secret', issuer: 'https://other.example' };
      provider.kept = { access_token: 'a', token_type: 'Bearer', refresh_token: 'r', issuer: 'https://other.example' };
      return sdk.auth(provider, { serverUrl });
    },
  },
  'an address of a client document that is none': {
    answers: wholeServer,
    program: (sdk, serverUrl, provider) =>
      sdk.auth(Object.assign(provider, { clientMetadataUrl: 'https://desk.example/' }), { serverUrl }),
  },
  'a client document is the id of the client': {
    answers: {
      ...wholeServer,
      server: (url) => ({ ...goodServer(url), client_id_metadata_document_supported: true }),
    },
    program: (sdk, serverUrl, provider) =>
      sdk.auth(Object.assign(provider, { clientMetadataUrl: 'https://desk.example/client.json' }), { serverUrl }),
  },
  'the provider chooses the resource': {
    answers: { ...wholeServer, resource: (url) => ({ ...goodResource(url), resource: 'https://other.example' }) },
    program: (sdk, serverUrl, provider) => {
      const validateResourceURL = async (server: string | URL, resource?: string): Promise<URL> => {
        provider.note('validateResourceURL', [server, resource]);
        return new URL('https://chosen.example/x');
      };
      return sdk.auth(Object.assign(provider, { validateResourceURL }), { serverUrl });
    },
  },
  'the metadata of another server': {
    answers: { ...wholeServer, resource: (url) => ({ ...goodResource(url), resource: 'https://other.example' }) },
    program: logIn,
  },
  'a discovery that was kept is not repeated': {
    answers: wholeServer,
    program: async (sdk, server, provider) => {
      let kept: ours.OAuthDiscoveryState | undefined;
      Object.assign(provider, {
        discoveryState: () => kept,
        saveDiscoveryState: (state: ours.OAuthDiscoveryState) => {
          provider.note('saveDiscoveryState', state);
          kept = state;
        },
      });
      return [await logIn(sdk, server, provider), await finish(sdk, server, provider)];
    },
  },
  'a program with a secret': {
    answers: wholeServer,
    program: async (sdk, serverUrl) => {
      const provider = new sdk.ClientCredentialsProvider({
        clientId: 'robot',
        clientSecret: 's',
        scope: 'read',
        expectedIssuer: serverUrl.origin,
      });
      return [await sdk.auth(provider, { serverUrl }), provider.tokens(), provider.clientMetadata];
    },
  },
  'a program whose secret is for another authorization server': {
    answers: wholeServer,
    program: async (sdk, serverUrl) => {
      const expectedIssuer = 'https://other.example';
      const provider = new sdk.ClientCredentialsProvider({ clientId: 'robot', clientSecret: 's', expectedIssuer });
      return sdk.auth(provider, { serverUrl });
    },
  },
  'invalid_client: everything is deleted, and the client registered again': refusedWith([
    401,
    { error: 'invalid_client', error_description: 'Gone' },
  ]),
  'invalid_grant: the tokens are deleted, and the user is asked': refusedWith([400, { error: 'invalid_grant' }]),
  'temporarily_unavailable is told, with its class': refusedWith([
    503,
    { error: 'temporarily_unavailable', error_description: 'Later', error_uri: 'https://errors.example/' },
  ]),
  'server_error: the user is asked': refusedWith([500, { error: 'server_error' }]),
  'an error without a class of its own: the user is asked': refusedWith([400, { error: 'odd' }]),
  'a page instead of an error: the user is asked': refusedWith([502, '<html>']),
  'a page instead of tokens for a code': {
    answers: { ...wholeServer, tokens: [[502, '<html>']] },
    program: finish,
  },
  'methods of client authentication': {
    answers: {},
    program: async ({ selectClientAuthMethod: select }) => {
      const clients = [
        { client_id: 'a' },
        { client_id: 'a', client_secret: 's' },
        { client_id: 'a', client_secret: 's', redirect_uris: [], token_endpoint_auth_method: 'client_secret_post' },
        { client_id: 'a', client_secret: 's', redirect_uris: [], token_endpoint_auth_method: 'tls_client_auth' },
      ];
      const lists = [[], ['none'], ['client_secret_post'], ['client_secret_basic', 'none'], ['tls_client_auth']];
      return clients.map((client) => lists.map((list) => select(client, list)));
    },
  },
  challenges: {
    answers: {},
    program: async ({ extractWWWAuthenticateParams: extract }) =>
      [
        'Bearer',
        'Basic realm="x"',
        'bearer realm="x", scope="a b", error="insufficient_scope"',
        'Bearer resource_metadata="https://a.example/x" scope="a"',
        'Bearer scope=a, resource_metadata=https://a.example/x',
        'Bearer resource_metadata="no address"',
      ].map((header) => extract(new Response(null, { headers: { 'www-authenticate': header } }))),
  },
};

async function seen(sdk: Sdk, { answers, program }: Situation): Promise<object> {
  const server = await authorizationServer(answers);
  const provider = new RecordingProvider();
  try {
    const outcome = await program(sdk, new URL(`${server.url}/mcp`), provider).then(
      (value) => ({ value }),
      (error: Error) => ({ class: error.constructor.name, message: error.message }),
    );
    return JSON.parse(steady(JSON.stringify({ outcome, calls: provider.calls, requests: server.requests }))) as object;
  } finally {
    await server.close();
  }
}

describe('a login is as in v1', () => {
  beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));
  afterEach(() => void vi.restoreAllMocks());

  it.each(Object.entries(SITUATIONS))('%s', async (_, situation) => {
    const [expected, actual] = [await seen(OFFICIAL, situation), await seen(OURS, situation)];
    expect(actual).toEqual(expected);
  });
});
