import { createHash } from 'node:crypto';
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { requireBearerAuth } from '../../../src/auth/server/index.ts';
import { memoryStore } from '../../../src/stores/memory.ts';
import { closeAll, send, serve, stateless, type Answer } from '../../http/serving.ts';
import { startIssuer, type Issuer } from './issuer.ts';
import {
  Browser,
  CALLBACK,
  authorizeUrl,
  closeStarted,
  pkce,
  postForm,
  start,
} from '../../../../authorization-server/test/login-kit.ts';

const HERE = 'https://notes.example.com/mcp';
let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());
afterEach(async () => {
  await closeAll();
  await closeStarted();
});

interface Key {
  readonly jwk: JWK;
  readonly jkt: string;
  proof(
    claims: { htm?: string; htu: string; token?: string; [claim: string]: unknown },
    header?: object,
  ): Promise<string>;
}

async function makeKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    jwk,
    jkt: await calculateJwkThumbprint(jwk),
    proof: ({ htm = 'POST', htu, token, ...more }, header = {}) =>
      new SignJWT({
        htm,
        htu,
        jti: crypto.randomUUID(),
        iat: Math.floor(Date.now() / 1000),
        ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
        ...more,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
        .sign(privateKey),
  };
}

const protect = (more: object = {}) =>
  serve({
    auth: requireBearerAuth({ issuer: issuer.url, audience: HERE, dpop: { store: memoryStore(), ...more } }),
    path: '/mcp',
  });
const boundToken = (jkt: string): Promise<string> =>
  issuer.sign({ aud: HERE, sub: 'ada', client_id: 'c', cnf: { jkt } });

function call(at: { port: number }, token: string, proof?: string, scheme = 'DPoP'): Promise<Answer> {
  const headers = { authorization: `${scheme} ${token}`, ...(proof !== undefined && { dpop: proof }) };
  return send(at, stateless('tools/list', {}, { headers }));
}

const reasonOf = (answer: Answer): string => String(answer.headers['www-authenticate']);

describe('a token that is bound to a key', () => {
  test('is good with a fresh proof by that key, for this request and this token', async () => {
    const at = await protect();
    const key = await makeKey();
    const token = await boundToken(key.jkt);
    expect((await call(at, token, await key.proof({ htu: HERE, token }))).status).toBe(200);
    const other = await makeKey();
    const faults: [string, string | undefined][] = [
      ['missing', undefined],
      ['another method', await key.proof({ htm: 'GET', htu: HERE, token })],
      ['another URL', await key.proof({ htu: 'https://notes.example.com/other', token })],
      ['another token', await key.proof({ htu: HERE, token: 'x' })],
      ['another token', await key.proof({ htu: HERE })],
      ['too old', await key.proof({ htu: HERE, token, iat: Math.floor(Date.now() / 1000) - 600 })],
      ['too old', await key.proof({ htu: HERE, token, iat: Math.floor(Date.now() / 1000) + 600 })],
      ['no id', await key.proof({ htu: HERE, token, jti: undefined })],
      ['not a DPoP proof', await key.proof({ htu: HERE, token }, { typ: 'JWT' })],
      ['not a DPoP proof', await key.proof({ htu: HERE, token }, { jwk: other.jwk })],
      ['not a DPoP proof', 'junk'],
      ['another key', await other.proof({ htu: HERE, token })],
    ];
    for (const [reason, proof] of faults) {
      const answer = await call(at, token, proof);
      expect(answer.status, reason).toBe(401);
      expect(reasonOf(answer)).toContain(reason);
      expect(reasonOf(answer)).toMatch(/^DPoP error="(?:invalid_dpop_proof|invalid_token)"/);
    }
  });

  test('is good with each proof once', async () => {
    const at = await protect();
    const key = await makeKey();
    const token = await boundToken(key.jkt);
    const proof = await key.proof({ htu: HERE, token });
    expect((await call(at, token, proof)).status).toBe(200);
    const again = await call(at, token, proof);
    expect([again.status, reasonOf(again).includes('used before')]).toEqual([401, true]);
  });

  test('is worth nothing as a bearer token, and a bearer token nothing with a proof', async () => {
    const at = await protect();
    const key = await makeKey();
    const token = await boundToken(key.jkt);
    expect((await call(at, token, await key.proof({ htu: HERE, token }), 'Bearer')).status).toBe(401);
    const free = await issuer.sign({ aud: HERE, sub: 'ada', client_id: 'c' });
    expect((await call(at, free, undefined, 'Bearer')).status).toBe(200);
    expect((await call(at, free, await key.proof({ htu: HERE, token: free }))).status).toBe(401);
    const without = await serve({ auth: requireBearerAuth({ issuer: issuer.url, audience: HERE }) });
    expect((await call(without, token, undefined, 'Bearer')).status).toBe(401);
  });

  test('may be the only kind that is accepted', async () => {
    const at = await protect({ required: true });
    const free = await issuer.sign({ aud: HERE, sub: 'ada', client_id: 'c' });
    expect((await call(at, free, undefined, 'Bearer')).status).toBe(401);
    const bare = await send(at, stateless('tools/list'));
    expect(reasonOf(bare)).toMatch(/^DPoP resource_metadata="[^"]+", algs="[^"]*ES256/);
    const document = await send(at, { method: 'GET', path: '/.well-known/oauth-protected-resource/mcp' });
    expect(await document.json()).toMatchObject({ dpop_bound_access_tokens_required: true });
  });

  test('needs a nonce of the server where that wants one', async () => {
    const at = await protect({ nonce: true });
    const key = await makeKey();
    const token = await boundToken(key.jkt);
    const first = await call(at, token, await key.proof({ htu: HERE, token }));
    const nonce = String(first.headers['dpop-nonce']);
    expect([first.status, reasonOf(first).includes('use_dpop_nonce')]).toEqual([401, true]);
    expect((await call(at, token, await key.proof({ htu: HERE, token, nonce }))).status).toBe(200);
    expect((await call(at, token, await key.proof({ htu: HERE, token, nonce: 'made up' }))).status).toBe(401);
  });
});

test('the embedded server binds its tokens to the key of a proof, refresh tokens too', async () => {
  const store = memoryStore();
  const at = await start({ auth: { dpop: { store, required: true } } });
  const key = await makeKey();
  const secret = pkce();
  const browser = await new Browser().go(authorizeUrl(at, secret));
  await browser.logIn('ada');
  await browser.submit({ action: 'approve' });
  const htu = `${at.url}/token`;
  const fields = {
    grant_type: 'authorization_code',
    client_id: 'desk',
    code: browser.params.get('code') ?? '',
    code_verifier: secret.verifier,
    redirect_uri: CALLBACK,
  };
  const bad = await postForm(htu, fields, { dpop: await key.proof({ htu: 'https://elsewhere.example.com/token' }) });
  expect([bad.status, bad.body['error']]).toEqual([400, 'invalid_dpop_proof']);
  const { body } = await postForm(htu, fields, { dpop: await key.proof({ htu }) });
  expect(body['token_type']).toBe('DPoP');
  const token = body['access_token'] ?? '';
  expect((await call(at, token, await key.proof({ htu: at.resource, token }))).status).toBe(200);
  const refresh = { grant_type: 'refresh_token', client_id: 'desk', refresh_token: body['refresh_token'] ?? '' };
  const stolen = await postForm(htu, refresh, { dpop: await (await makeKey()).proof({ htu }) });
  expect(stolen.body['error_description']).toContain('another key');
  expect((await postForm(htu, refresh, { dpop: await key.proof({ htu }) })).status).toBe(200);
});
