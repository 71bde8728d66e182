/** A protected server and the embedded authorization server, with nothing but `Request`, `Response` and web crypto. */
import { requireBearerAuth } from 'crosspoint/auth/server';
import { createAuthorizationServer, unattendedLogin } from '@crosspoint/authorization-server';
import { Client } from 'crosspoint/client';
import { createMcpHandler } from 'crosspoint/server';
import { createServer } from '../examples/runtimes/server.js';
import { attempt } from './checks.mjs';

const ORIGIN = 'http://localhost';
const CALLBACK = 'https://probe.example.com/callback';
const base64url = (bytes) =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

async function logIn(authorization) {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: 'probe',
    redirect_uri: CALLBACK,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  });
  const sent = await authorization.fetch(new Request(`${ORIGIN}/authorize?${asked}`, { redirect: 'manual' }));
  const code = new URL(sent.headers.get('location')).searchParams.get('code');
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'probe',
    code,
    code_verifier: verifier,
  });
  const answer = await authorization.fetch(new Request(`${ORIGIN}/token`, { method: 'POST', body }));
  return (await answer.json()).access_token;
}

async function callsWithToken() {
  const audience = `${ORIGIN}/mcp`;
  const authorization = createAuthorizationServer({
    issuer: ORIGIN,
    resource: audience,
    clients: [{ client_id: 'probe', redirect_uris: [CALLBACK] }],
    login: unattendedLogin({ sub: 'probe' }),
  });
  const auth = requireBearerAuth({ verifier: authorization.verifier, authorizationServers: [ORIGIN], audience });
  const handler = createMcpHandler(createServer(), { auth });
  const bare = await handler.fetch(new Request(audience, { method: 'POST', body: '{}' }));
  if (bare.status !== 401) throw new Error(`without a token: ${bare.status} instead of 401`);
  const headers = { authorization: `Bearer ${await logIn(authorization)}` };
  const client = new Client({ name: 'probe', version: '1.0.0' });
  await client.connect({
    url: audience,
    requestInit: { headers },
    fetch: (input, init) => handler.fetch(new Request(input, init)),
  });
  const { tools } = await client.listTools();
  if (tools.length === 0) throw new Error('with a token: nothing is listed');
  await client.close();
  await handler.close({ grace: 1000 });
}

export function throughTheGate() {
  return attempt('fetch: a protected server lets in who has logged in', callsWithToken);
}
