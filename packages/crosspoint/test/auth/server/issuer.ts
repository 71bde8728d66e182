import { SignJWT, exportJWK, generateKeyPair, type JWK, type JWTPayload } from 'jose';
import { sendJson, serve, type Served } from '../serving.ts';

/** An issuer of signed tokens, with its metadata and keys on a port of its own. */
export interface Issuer {
  readonly url: string;
  readonly served: Served;
  /** Makes another key the only one. */
  rotate(): Promise<void>;
  /** Answers everything with 503 from now on, or no longer. */
  setDown(isDown: boolean): void;
  sign(claims: JWTPayload, options?: { typ?: string; key?: CryptoKey; alg?: string }): Promise<string>;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  let serial = 0;
  let current: { kid: string; privateKey: CryptoKey; jwk: JWK };
  let isDown = false;
  const rotate = async (): Promise<void> => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    serial += 1;
    current = {
      kid: `k${serial}`,
      privateKey,
      jwk: { ...(await exportJWK(publicKey)), kid: `k${serial}`, alg: 'ES256' },
    };
  };
  await rotate();
  const served = await serve((request, response) => {
    if (isDown) return sendJson(response, {}, 503);
    if (request.url === '/.well-known/openid-configuration')
      return sendJson(response, { issuer: served.url, jwks_uri: `${served.url}/keys` });
    if (request.url === '/keys') return sendJson(response, { keys: [current.jwk] });
    sendJson(response, {}, 404);
  });
  return {
    url: served.url,
    served,
    rotate,
    setDown: (value) => (isDown = value),
    sign: (claims, { typ = 'at+jwt', key, alg = 'ES256' } = {}) =>
      new SignJWT({ iss: served.url, iat: Math.floor(Date.now() / 1000), ...claims })
        .setProtectedHeader({ alg, typ, kid: current.kid })
        .setExpirationTime(claims.exp ?? '5 minutes')
        .sign(key ?? current.privateKey),
    close: () => served.close(),
  };
}
