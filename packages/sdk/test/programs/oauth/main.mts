import {
  UnauthorizedError,
  auth,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthMetadata } from '@modelcontextprotocol/sdk/shared/auth.js';
import { Person } from '../person.mjs';
import { say } from '../say.mjs';

const url = new URL(`${process.env['SERVER']}/mcp`);
const state = async (): Promise<unknown> => (await fetch(new URL('/state', url))).json();
const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };

const refused = await fetch(url, post);
const told = extractWWWAuthenticateParams(refused);
say('refused', { status: refused.status, metadata: told.resourceMetadataUrl?.pathname });
const resource = await discoverOAuthProtectedResourceMetadata(url);
say('resource', {
  resource: resource.resource,
  servers: resource.authorization_servers,
  scopes: resource.scopes_supported,
  name: resource.resource_name,
});
const issuer = (await discoverAuthorizationServerMetadata(String(resource.authorization_servers?.[0]))) as
  | OAuthMetadata
  | undefined;
say('issuer', {
  issuer: issuer?.issuer,
  authorize: issuer?.authorization_endpoint,
  token: issuer?.token_endpoint,
  register: issuer?.registration_endpoint,
  challenge: issuer?.code_challenge_methods_supported,
});

const person = new Person();
const first = new StreamableHTTPClientTransport(url, { authProvider: person });
const stranger = new Client({ name: 'person', version: '1.0.0' });
const failure = await stranger.connect(first).then(
  () => undefined,
  (error: unknown) => error,
);
say('sent away', { unauthorized: failure instanceof UnauthorizedError, events: person.events });
const { searchParams, pathname } = person.authorizationUrl;
say('asked', {
  pathname,
  type: searchParams.get('response_type'),
  method: searchParams.get('code_challenge_method'),
  challenge: (searchParams.get('code_challenge') ?? '').length > 40,
  scope: searchParams.get('scope'),
  state: searchParams.get('state'),
  resource: searchParams.get('resource'),
});
const { code, state: back } = await person.logIn();
say('back', { state: back });
await first.finishAuth(code);

const client = new Client({ name: 'person', version: '1.0.0' });
const transport = new StreamableHTTPClientTransport(url, { authProvider: person });
await client.connect(transport);
say('whoami', (await client.callTool({ name: 'whoami' })).content);

// The server forgets the access token: it is renewed without anybody being asked.
await fetch(new URL('/forget', url), { method: 'POST' });
say('renewed', (await client.callTool({ name: 'whoami' })).content);
say('state', await state());
say('events', person.events);
const admin = await fetch(new URL('/admin', url), {
  ...post,
  headers: { ...post.headers, authorization: `Bearer ${person.tokens()?.access_token}` },
});
say('more than granted', { status: admin.status, error: extractWWWAuthenticateParams(admin).error });
say('by hand', await auth(person, { serverUrl: url }));

const information = person.clientInformation() as { client_id: string; client_secret?: string };
const revoked = await fetch(String(issuer?.revocation_endpoint), {
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({
    token: person.tokens()?.access_token ?? '',
    client_id: information.client_id,
    client_secret: information.client_secret ?? '',
  }),
});
say('revoked', revoked.status);
const other = await fetch(String(issuer?.token_endpoint), {
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'made-up',
    code_verifier: 'x'.repeat(43),
    client_id: information.client_id,
    client_secret: information.client_secret ?? '',
  }),
});
say('a code that was made up', { status: other.status, error: ((await other.json()) as { error: string }).error });
const wrong = new URL(person.authorizationUrl);
wrong.searchParams.set('redirect_uri', 'https://foe.example/');
const trapped = await fetch(wrong, { redirect: 'manual' });
say('another redirect', { status: trapped.status, location: trapped.headers.get('location') });
await client.close();
say('done');
