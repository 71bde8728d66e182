import { UnauthorizedError, discoverAuthorizationServerMetadata } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthMetadata } from '@modelcontextprotocol/sdk/shared/auth.js';
import { Person } from '../person.mjs';
import { say } from '../say.mjs';

const url = new URL(`${process.env['SERVER']}/mcp`);
const issuer = (await discoverAuthorizationServerMetadata(new URL('/', url).href)) as OAuthMetadata | undefined;
const here = (endpoint: string | undefined): boolean =>
  endpoint !== undefined && new URL(endpoint).origin === url.origin;
say(
  'endpoints',
  [
    issuer?.authorization_endpoint,
    issuer?.token_endpoint,
    issuer?.registration_endpoint,
    issuer?.revocation_endpoint,
  ].map(here),
);

const person = new Person();
const first = new StreamableHTTPClientTransport(url, { authProvider: person });
await new Client({ name: 'person', version: '1.0.0' }).connect(first).catch((error: unknown) => {
  say('sent away', error instanceof UnauthorizedError);
});
const begun = await fetch(person.authorizationUrl, { redirect: 'manual' });
const target = new URL(begun.headers.get('location') ?? '', url);
say('passed on', {
  elsewhere: target.origin !== url.origin,
  path: target.pathname,
  challenge: target.searchParams.has('code_challenge'),
});
const { code, state } = await person.logIn();
await first.finishAuth(code);
say('back', { state });

const client = new Client({ name: 'person', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(url, { authProvider: person }));
say('whoami', (await client.callTool({ name: 'whoami' })).content);
const information = person.clientInformation() as { client_id: string; client_secret?: string };
const form = (endpoint: string | undefined, fields: Record<string, string>): Promise<Response> =>
  fetch(String(endpoint), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      ...fields,
      client_id: information.client_id,
      client_secret: information.client_secret ?? '',
    }),
  });
const renewed = await form(issuer?.token_endpoint, {
  grant_type: 'refresh_token',
  refresh_token: person.tokens()?.refresh_token ?? '',
});
say('renewed', { status: renewed.status, type: ((await renewed.json()) as { token_type: string }).token_type });
say('revoked', (await form(issuer?.revocation_endpoint, { token: person.tokens()?.access_token ?? '' })).status);
say(
  'afterwards',
  (await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${person.tokens()?.access_token}` } })).status,
);
say('upstream', await (await fetch(new URL('/state', url))).json());
await client.close();
say('done');
