import { afterEach, describe, expect, test } from 'vitest';
import { CALLBACK, authorizeUrl, closeStarted, pkce, register, start } from './login-kit.ts';
import { LOOPBACK, LOOPBACK_VARIANTS } from './redirect-variants.ts';

afterEach(closeStarted);

describe('the embedded authorization server', () => {
  test('takes an address that is written as it was registered, with a port of the own machine', async () => {
    const at = await start({
      as: {
        clients: [{ client_id: 'local', redirect_uris: [LOOPBACK, 'http://127.0.0.1/cb'] }],
        rateLimit: { max: 1000, windowMs: 60_000 },
      },
    });
    const visit = (uri: string) =>
      fetch(authorizeUrl(at, pkce(), { client_id: 'local', redirect_uri: uri }), { redirect: 'manual' });
    for (const uri of LOOPBACK_VARIANTS) {
      const { status, headers } = await visit(uri);
      expect([status, headers.get('location')], JSON.stringify(uri)).toEqual([400, null]);
    }
    for (const uri of [LOOPBACK, 'http://localhost:7/cb', 'http://127.0.0.1:65535/cb'])
      expect((await visit(uri)).status, uri).toBe(200);
  });

  test('registers no address that is read in two ways', async () => {
    const at = await start({ as: { registration: { maxPerHour: 1000 } } });
    for (const uri of [
      'https:\\\\client.example.com/cb',
      'https:client.example.com/cb',
      'https:/client.example.com/cb',
      'https://client.exa\tmple.com/cb',
      'https://client.example.com/cb ',
      'https://client.example.com/c b',
      'https://client.example.com/cb\u0000',
      'https://клиент.example.com/cb',
      'https://client.example.com\\@evil.example.com/cb',
      'https://@client.example.com/cb',
      'https://client.example.com/cb#',
    ]) {
      const { status, body } = await register(at, { redirect_uris: [uri] });
      expect([status, body['error']], JSON.stringify(uri)).toEqual([400, 'invalid_redirect_uri']);
    }
    expect((await register(at, { redirect_uris: [CALLBACK] })).status).toBe(201);
  });
});
