import { generateKeyPairSync } from 'node:crypto';
import { SignJWT, exportJWK, generateKeyPair, type JWK } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import { createAuthorizationServer, type OAuthClient } from '../src/index.ts';
import { memoryStore } from 'crosspoint/server';
import {
  CALLBACK,
  byPassword,
  closeStarted,
  postForm,
  register,
  start,
  type Started,
  type TokenReply,
} from './login-kit.ts';

afterEach(closeStarted);

const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
const good = await exportJWK(publicKey);
const rsa = (bits: number): JWK =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' }) as JWK;
const small = rsa(512);

/** An assertion of a client, with a header of the test's choice. */
function assertion(at: Started, id: string, header: { alg: string; kid?: string } = { alg: 'ES256' }): Promise<string> {
  const claims = { iss: id, sub: id, aud: at.url, jti: crypto.randomUUID() };
  const signer = new SignJWT(claims).setProtectedHeader({ ...header, alg: 'ES256' }).setExpirationTime('2 minutes');
  return signer.sign(privateKey).then((text) => {
    const [, ...rest] = text.split('.');
    return [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
  });
}

const ask = (at: Started, text: string, more: Record<string, string> = {}): Promise<TokenReply> =>
  postForm(`${at.url}/token`, {
    grant_type: 'authorization_code',
    code: 'x',
    code_verifier: 'v'.repeat(43),
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: text,
    ...more,
  });

const unusable: [string, unknown, string?][] = [
  ['no object', 'keys'],
  ['no list', { keys: 'x' }],
  ['no keys', { keys: [] }],
  ['keys that are none', { keys: [null, 1, 'x', []] }],
  ['a key without a kind', { keys: [{}] }],
  ['a key of an unknown kind', { keys: [{ kty: 'XX' }] }],
  ['a shared secret', { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }],
  ['a key of an unknown curve', { keys: [{ ...good, crv: 'P-999' }] }],
  ['a point that is not on the curve', { keys: [{ ...good, x: good.y, y: good.x }] }],
  ['a point that is no number', { keys: [{ ...good, x: '!!' }] }],
  ['a point of hostile types', { keys: [{ ...good, x: { toString: 1 } }] }],
  ['a key without its numbers', { keys: [{ kty: 'EC', crv: 'P-256' }] }],
  ['a small RSA key', { keys: [small] }, 'RS256'],
  ['an RSA key without its numbers', { keys: [{ kty: 'RSA' }] }, 'RS256'],
  ['an RSA key of nonsense', { keys: [{ kty: 'RSA', n: 'A'.repeat(400), e: 'AQAB' }] }, 'RS256'],
  ['a huge RSA key', { keys: [{ kty: 'RSA', n: `v${'x'.repeat(12_000)}`, e: 'AQAB' }] }, 'RS256'],
  ['a huge exponent', { keys: [{ ...rsa(2048), e: `v${'x'.repeat(340)}` }] }, 'RS256'],
  ['a key for encryption', { keys: [{ ...good, use: 'enc' }] }],
  ['a key for another algorithm', { keys: [{ ...good, alg: 'ES384' }] }],
  ['an algorithm of hostile type', { keys: [{ ...good, alg: { toString: 1 } }] }],
  ['a key that may not verify', { keys: [{ ...good, key_ops: ['sign'] }] }],
  ['an Ed25519 key of the wrong size', { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }] }, 'EdDSA'],
];

describe('keys of a client that cannot be used', () => {
  test('are refused at the token endpoint as the keys of no client', async () => {
    const store = memoryStore();
    const at = await start({ as: { store, rateLimit: { max: 1000, windowMs: 60_000 } } });
    const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' };
    const { body } = await register(at, { ...metadata, jwks: { keys: [good] } });
    const id = body['client_id'] ?? '';
    const known = await ask(at, await assertion(at, id));
    expect(known.body['error']).toBe('invalid_grant');
    const key = `oauth:client:${id}`;
    const kept = (await store.get(key))?.value as Record<string, string>;
    for (const [reason, jwks, alg = 'ES256'] of unusable) {
      await store.put(key, { ...kept, jwks } as never);
      const reply = await ask(at, await assertion(at, id, { alg }));
      expect([reply.status, reply.body['error']], reason).toEqual([401, 'invalid_client']);
    }
    expect(at.problems).toEqual([]);
  });

  test('are refused when a program registers with them', async () => {
    const at = await start({ as: { registration: { maxPerHour: 1000 } } });
    const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' };
    const more: [string, unknown][] = [
      ['a private key', { keys: [await exportJWK(privateKey)] }],
      ['too many keys', { keys: Array.from({ length: 21 }, () => good) }],
    ];
    for (const [reason, jwks] of [...unusable, ...more]) {
      const { status, body } = await register(at, { ...metadata, jwks });
      expect([status, body['error']], reason).toEqual([400, 'invalid_client_metadata']);
    }
    for (const uri of ['http://keys.example.com', `https://keys.example.com/${'x'.repeat(3000)}`, 'https:', 7, {}])
      expect((await register(at, { ...metadata, jwks_uri: uri })).status, JSON.stringify(uri).slice(0, 40)).toBe(400);
    expect(
      (await register(at, { ...metadata, jwks: { keys: [good] }, jwks_uri: 'https://k.example.com/k' })).status,
    ).toBe(400);
    expect(at.problems).toEqual([]);
  });

  test('do not keep it from registering with others beside them that are for something else', async () => {
    const store = memoryStore();
    const at = await start({ as: { store } });
    const { status, body } = await register(at, {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: {
        keys: [{ ...good, kid: 'one', use: 'sig', note: 'x'.repeat(1000) }, { ...good, use: 'enc' }, { kty: 'AKP' }],
      },
    });
    expect(status).toBe(201);
    const { kty, crv, x, y } = good;
    expect(body['jwks']).toEqual({ keys: [{ kty, crv, x, y, kid: 'one', use: 'sig' }] });
  });

  test('are told to the operator who configures them', () => {
    const make = (jwks: object) => () =>
      createAuthorizationServer({
        issuer: 'https://as.example.com',
        resource: 'https://as.example.com/mcp',
        login: byPassword,
        clients: [
          {
            client_id: 'signer',
            token_endpoint_auth_method: 'private_key_jwt',
            jwks: jwks as NonNullable<OAuthClient['jwks']>,
          },
        ],
      });
    expect(make({ keys: [small] })).toThrow('signer');
    expect(make({ keys: [] })).toThrow('signer');
    expect(make({ keys: [good] })).not.toThrow();
  });

  test('are refused when the address that they are at gives something else, or is none of the network', async () => {
    const id = 'https://stranger.example.com/client.json';
    const document = {
      client_id: id,
      client_name: 'Stranger',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://stranger.example.com/keys',
    };
    const json = { headers: { 'content-type': 'application/json' } };
    const answers: (() => Response)[] = [
      ...unusable.map(
        ([, jwks]) =>
          () =>
            new Response(JSON.stringify(jwks), json),
      ),
      () => new Response('<html>', json),
      () => new Response('', { status: 500 }),
      () => Response.error(),
      () => {
        throw new TypeError('fetch failed');
      },
      () => new Response('x'.repeat(20_000), json),
    ];
    for (const answer of answers) {
      const fetcher = async (url: string | URL): Promise<Response> =>
        String(url) === id ? new Response(JSON.stringify(document), json) : answer();
      const at = await start({ as: { outbound: { fetch: fetcher } } });
      const reply = await ask(at, await assertion(at, id), { client_id: id });
      expect([reply.status, reply.body['error']], answer.toString()).toEqual([401, 'invalid_client']);
      expect(at.problems).toEqual([]);
      await closeStarted();
    }
    const store = memoryStore();
    const inside = await start({ as: { store, outbound: { resolve: async () => ['10.0.0.7'] } } });
    const made = await register(inside, { ...document, jwks_uri: 'https://intranet.example.com/keys' });
    const reply = await ask(inside, await assertion(inside, made.body['client_id'] ?? ''));
    expect([reply.status, reply.body['error'], inside.problems]).toEqual([401, 'invalid_client', []]);
  });

  test('are not used for an assertion whose id is no text', async () => {
    const at = await start();
    const metadata = {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [good] },
    };
    const id = (await register(at, metadata)).body['client_id'] ?? '';
    for (const jti of [7, null, [], { toString: 1 }, '', 'x'.repeat(5000)]) {
      const text = await new SignJWT({ iss: id, sub: id, aud: at.url, jti: jti as never })
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime('2 minutes')
        .sign(privateKey);
      const reply = await ask(at, text);
      expect([reply.status, reply.body['error']], JSON.stringify(jti).slice(0, 40)).toEqual([401, 'invalid_client']);
    }
    expect(at.problems).toEqual([]);
  });

  test('are not found by an assertion whose subject is no text', async () => {
    const at = await start();
    for (const sub of [7, null, [], ['x'], {}, { toString: 1 }, '', 'x'.repeat(5000)]) {
      const text = `e30.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.x`;
      const reply = await ask(at, text);
      expect([reply.status, reply.body['error']], JSON.stringify(sub).slice(0, 40)).toEqual([401, 'invalid_client']);
    }
    expect(at.problems).toEqual([]);
  });

  test('make no proof of possession', async () => {
    const at = await start();
    for (const [reason, jwks, alg = 'ES256'] of unusable) {
      const [jwk] = (jwks as { keys?: unknown[] }).keys ?? [];
      const header = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg, jwk })).toString('base64url');
      // Node reads no larger header.
      if (header.length > 10_000) continue;
      const [, ...rest] = (await assertion(at, 'x')).split('.');
      const reply = await postForm(
        `${at.url}/token`,
        { grant_type: 'refresh_token', client_id: 'desk', refresh_token: 'x' },
        { dpop: [header, ...rest].join('.') },
      );
      expect([reply.status, reply.body['error']], reason).toEqual([400, 'invalid_dpop_proof']);
    }
    expect(at.problems).toEqual([]);
  });
});
