import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { afterEach, expect, test } from 'vitest';
import type { OAuthClient } from '../src/index.ts';
import {
  Browser,
  CALLBACK,
  authorizeUrl,
  closeStarted,
  pkce,
  postForm,
  register,
  start,
  type Pkce,
  type Started,
} from './login-kit.ts';

afterEach(closeStarted);

const { privateKey, publicKey } = await generateKeyPair('ES256');
const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const CLIENTS: readonly OAuthClient[] = [
  { client_id: 'open', redirect_uris: [CALLBACK] },
  { client_id: 'other', redirect_uris: [CALLBACK] },
  {
    client_id: 'secret',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'client_secret_basic',
    client_secret: 's',
  },
  {
    client_id: 'signer',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [await exportJWK(publicKey)] },
  },
];

/** A code that somebody has allowed a client. */
async function codeFor(at: Started, clientId: string): Promise<{ code: string; secret: Pkce }> {
  const secret = pkce();
  const browser = await new Browser().go(authorizeUrl(at, secret, { client_id: clientId }));
  await browser.logIn('ada');
  await browser.submit({ action: 'approve' });
  return { code: browser.params.get('code') ?? '', secret };
}

async function assertion(at: Started, id: string): Promise<Record<string, string>> {
  const text = await new SignJWT({ iss: id, sub: id, aud: at.url, jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('2 minutes')
    .sign(privateKey);
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: text,
  };
}

test('a code and a refresh token are good for the client that they were issued to', async () => {
  const at = await start({ as: { clients: CLIENTS } });
  const { code, secret } = await codeFor(at, 'open');
  const exchange = (more: Record<string, string>, headers: Record<string, string> = {}) =>
    postForm(
      `${at.url}/token`,
      { grant_type: 'authorization_code', code, code_verifier: secret.verifier, ...more },
      headers,
    );
  expect((await exchange({ client_id: 'other' })).body['error']).toBe('invalid_grant');
  expect((await exchange({}, basic('secret', 's'))).body['error']).toBe('invalid_grant');
  expect((await exchange(await assertion(at, 'signer'))).body['error']).toBe('invalid_grant');
  expect((await exchange({ client_id: 'open', code_verifier: pkce().verifier })).body['error']).toBe('invalid_grant');
  const { body } = await exchange({ client_id: 'open' });
  const refresh = (more: Record<string, string>, headers: Record<string, string> = {}) =>
    postForm(
      `${at.url}/token`,
      { grant_type: 'refresh_token', refresh_token: body['refresh_token'] ?? '', ...more },
      headers,
    );
  expect((await refresh({ client_id: 'other' })).body['error']).toBe('invalid_grant');
  expect((await refresh({}, basic('secret', 's'))).body['error']).toBe('invalid_grant');
  await postForm(`${at.url}/revoke`, { client_id: 'other', token: body['refresh_token'] ?? '' });
  // None of it has used the token up, nor revoked it.
  expect((await refresh({ client_id: 'open' })).status).toBe(200);
});

test('a client is believed in the one way that it is known for', async () => {
  const at = await start({ as: { clients: CLIENTS } });
  const { body: made } = await register(at, {
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'client_secret_basic',
  });
  const signed = await assertion(at, 'signer');
  const attempts: [string, Record<string, string>, Record<string, string>?][] = [
    ['an open client with a secret', { client_id: 'open', client_secret: 's' }],
    ['an open client with an empty secret', { client_id: 'open', client_secret: '' }],
    ['an open client in the header', {}, basic('open', '')],
    ['an open client with an assertion', { client_id: 'open', ...(await assertion(at, 'open')) }],
    ['a client with a secret, by its id', { client_id: 'secret' }],
    ['a client with a secret, with an empty one', { client_id: 'secret', client_secret: '' }],
    ['a client with a secret, with an assertion', { client_id: 'secret', ...(await assertion(at, 'secret')) }],
    ['a registered client, by its id', { client_id: made['client_id'] ?? '' }],
    ['a client with keys, by its id', { client_id: 'signer' }],
    ['a client with keys, with a secret', { client_id: 'signer', client_secret: 's' }],
    ['the assertion of another', { client_id: 'open', ...signed }],
    ['the header of another', { client_id: 'signer' }, basic('secret', 's')],
    ['a header and an assertion', signed, basic('secret', 's')],
    ['a header and a field', { client_id: 'secret', client_secret: 's' }, basic('secret', 's')],
    ['a field and an assertion', { client_id: 'signer', client_secret: 's', ...signed }],
    ['a header of another kind', { client_id: 'open' }, { authorization: 'Bearer x' }],
    ['nobody', {}],
  ];
  for (const path of ['token', 'revoke', 'introspect'])
    for (const [who, fields, headers] of attempts) {
      const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', ...fields };
      const { status, body } = await postForm(`${at.url}/${path}`, form, headers);
      expect(['invalid_client', 'invalid_request'], `${path}: ${who}`).toContain(body['error']);
      expect([400, 401], `${path}: ${who}`).toContain(status);
    }
  // The same assertion is good, as nobody has been believed because of it.
  const reply = await postForm(`${at.url}/token`, { grant_type: 'refresh_token', refresh_token: 'x', ...signed });
  expect(reply.body['error']).toBe('invalid_grant');
});
