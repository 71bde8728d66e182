// Programs that log in by themselves: with a secret, with a key, and with an assertion made elsewhere.
import { SignJWT, exportPKCS8, generateKeyPair } from 'jose';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  StaticPrivateKeyJwtProvider,
  createPrivateKeyJwtAuth,
} from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { protect } from '../protected.mjs';
import { say } from '../say.mjs';
import { issue, robotSecret } from '../small-issuer.mjs';

const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
const issuer = await issue(protect, publicKey);
const expectedIssuer = issuer.url;
const audience = issuer.url;

async function enter(what: string, authProvider: OAuthClientProvider): Promise<void> {
  const client = new Client({ name: 'robot', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', issuer.url), { authProvider }));
  say(what, (await client.callTool({ name: 'open' })).content);
  say('tokens', (await authProvider.tokens())?.token_type.toLowerCase());
  await client.close();
}

await enter(
  'a secret',
  new ClientCredentialsProvider({ clientId: 'robot', clientSecret: robotSecret, clientName: 'Robot', expectedIssuer }),
);
await enter(
  'a key',
  new PrivateKeyJwtProvider({
    clientId: 'robot-with-key',
    privateKey: await exportPKCS8(privateKey),
    algorithm: 'ES256',
    expectedIssuer,
  }),
);
const jwtBearerAssertion = await new SignJWT({})
  .setProtectedHeader({ alg: 'ES256' })
  .setIssuer('made-elsewhere')
  .setSubject('made-elsewhere')
  .setAudience(audience)
  .setIssuedAt()
  .setExpirationTime('5m')
  .setJti('one')
  .sign(privateKey);
await enter(
  'an assertion',
  new StaticPrivateKeyJwtProvider({ clientId: 'made-elsewhere', jwtBearerAssertion, expectedIssuer }),
);
say(
  'grants',
  issuer.grants.map(({ grant, how }) => ({ grant, how })),
);

const sign = createPrivateKeyJwtAuth({
  issuer: 'me',
  subject: 'me',
  privateKey: await exportPKCS8(privateKey),
  alg: 'ES256',
  audience,
});
const params = new URLSearchParams();
await sign(new Headers(), params, `${issuer.url}/token`);
say('signed', [params.has('client_assertion'), params.get('client_assertion_type')]);
issuer.close();
say('done');
