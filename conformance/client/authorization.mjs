import { Client } from 'crosspoint/client';
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  StoredProvider,
  WorkloadIdentityProvider,
} from 'crosspoint/auth';
import { connectTo, isThroughBridge } from './connect.mjs';

const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** The suite's page approves by itself: the address to which it redirects is the answer. */
const userAgent = {
  begin: async () => 'http://localhost:3000/callback',
  visit: async (page) => {
    const response = await fetch(page, { redirect: 'manual' });
    return new URL(response.headers.get('location')).searchParams;
  },
  end: async () => {},
};

async function visit(url, authProvider) {
  const client = new Client({ name: 'crosspoint-conformance', version: '1.0.0' });
  const end = await connectTo(client, url, { authProvider });
  try {
    await client.listTools();
    await client.callTool({ name: 'test-tool', arguments: {} });
    return client.getClientCapabilities();
  } finally {
    await end();
  }
}

const login = (url, options = {}) =>
  new StoredProvider({ serverUrl: url, clientName: 'crosspoint-conformance', userAgent, ...options });

const withDocument = (url) => visit(url, login(url, { clientMetadataUrl: CLIENT_METADATA_URL }));

/** The login has to fail on this rule, and on no other; behind a bridge, whose login it is, the client learns only that it failed. */
const refusedBy = (fault) => async (url) => {
  const error = await visit(url, login(url)).then(
    () => new Error('The login was not refused.'),
    (failure) => failure,
  );
  const isRefused = isThroughBridge ? error.code !== undefined : error.fault === fault;
  if (!isRefused) throw error;
};

const PLAIN = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  '2025-03-26-oauth-metadata-backcompat',
  '2025-03-26-oauth-endpoint-fallback',
  'offline-access-scope',
  'offline-access-not-supported',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'dpop',
  'dpop-nonce',
];

/** The behaviour of the client in each authorization scenario. */
export const playAuthorization = {
  ...Object.fromEntries(PLAIN.map((name) => [`auth/${name}`, withDocument])),
  'auth/scope-retry-limit': refusedBy('insufficient-scope'),
  'auth/resource-mismatch': refusedBy('resource-mismatch'),
  'auth/metadata-issuer-mismatch': refusedBy('issuer-mismatch'),
  'auth/iss-supported-missing': refusedBy('callback'),
  'auth/iss-wrong-issuer': refusedBy('callback'),
  'auth/iss-unexpected': refusedBy('callback'),
  'auth/iss-normalized': refusedBy('callback'),
  'auth/pre-registration': (url, { client_id, client_secret, issuer }) =>
    visit(url, login(url, { client: { client_id, client_secret, ...(issuer && { issuer }) } })),
  'auth/client-credentials-basic': (url, { client_id, client_secret }) =>
    visit(url, new ClientCredentialsProvider({ clientId: client_id, clientSecret: client_secret })),
  'auth/client-credentials-jwt': (url, { client_id, private_key_pem, signing_algorithm = 'ES256' }) =>
    visit(
      url,
      new PrivateKeyJwtProvider({ clientId: client_id, privateKey: private_key_pem, algorithm: signing_algorithm }),
    ),
  'auth/wif-jwt-bearer': (url, { client_id, valid_jwt }) =>
    visit(url, new WorkloadIdentityProvider({ clientId: client_id, assertion: valid_jwt })),
  'auth/enterprise-managed-authorization': (url, context) =>
    visit(
      url,
      new CrossAppAccessProvider({
        clientId: context.client_id,
        clientSecret: context.client_secret,
        assertion: async ({ authorizationServerUrl, resourceUrl }) => {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            tokenEndpoint: context.idp_token_endpoint,
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: context.idp_id_token,
            clientId: context.idp_client_id,
          });
          return jwtAuthGrant;
        },
      }),
    ),
};
