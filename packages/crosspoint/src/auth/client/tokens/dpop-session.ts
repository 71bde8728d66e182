import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK } from 'jose';
import type { DpopAlgorithm } from './dpop-proofs.ts';
import { sha256Base64Url } from '../../../runtime/sha256.ts';

export interface DpopProofRequest {
  readonly method: string;
  readonly url: string | URL;
  /** Token that the proof belongs to; absent at the token endpoint. */
  readonly accessToken?: string | undefined;
}

/** A key that tokens are bound to, with the nonces that servers require in proofs. Printing it reveals neither. */
export class DpopSession {
  readonly alg: DpopAlgorithm;
  readonly publicJwk: JWK;
  readonly thumbprint: string;
  readonly #key: CryptoKey;
  readonly #privateJwk: JWK | undefined;
  /** Nonces by origin. A server that requires nonces sends a new one with every response. */
  readonly #nonces = new Map<string, string>();

  private constructor(parts: {
    alg: DpopAlgorithm;
    publicJwk: JWK;
    thumbprint: string;
    key: CryptoKey;
    privateJwk: JWK | undefined;
  }) {
    this.alg = parts.alg;
    this.publicJwk = parts.publicJwk;
    this.thumbprint = parts.thumbprint;
    this.#key = parts.key;
    this.#privateJwk = parts.privateJwk;
  }

  /** Generates a key, or imports a private JWK that `exportKey` returned. `extractable`: the key can be exported and stored. */
  static async create(
    options: { alg?: DpopAlgorithm; privateJwk?: JWK; extractable?: boolean } = {},
  ): Promise<DpopSession> {
    const { privateJwk, extractable = false } = options;
    const alg = options.alg ?? (privateJwk?.alg as DpopAlgorithm | undefined) ?? 'ES256';
    if (privateJwk !== undefined) {
      const publicJwk = publicPart(privateJwk);
      const key = (await importJWK(privateJwk, alg)) as CryptoKey;
      return new DpopSession({ alg, publicJwk, thumbprint: await calculateJwkThumbprint(publicJwk), key, privateJwk });
    }
    const pair = await generateKeyPair(alg, { extractable });
    const publicJwk = publicPart(await exportJWK(pair.publicKey));
    const kept = extractable ? { ...(await exportJWK(pair.privateKey)), alg } : undefined;
    return new DpopSession({
      alg,
      publicJwk,
      thumbprint: await calculateJwkThumbprint(publicJwk),
      key: pair.privateKey,
      privateJwk: kept,
    });
  }

  /** The private key, to be stored with the tokens; `undefined` when it is not extractable. */
  exportKey(): JWK | undefined {
    return this.#privateJwk;
  }

  nonceFor(url: string | URL): string | undefined {
    return this.#nonces.get(new URL(url).origin);
  }

  rememberNonce(url: string | URL, nonce: string): void {
    this.#nonces.set(new URL(url).origin, nonce);
  }

  /** Remembers the nonce of a response. True when it is new. */
  observeNonce(response: Response, url: string | URL): boolean {
    const nonce = response.headers.get('dpop-nonce');
    if (nonce === null || nonce === this.nonceFor(url)) return false;
    this.rememberNonce(url, nonce);
    return true;
  }

  /** Signs a proof for one request; every request needs its own. */
  async buildProof({ method, url, accessToken }: DpopProofRequest): Promise<string> {
    const target = new URL(url);
    const nonce = this.nonceFor(target);
    return new SignJWT({
      jti: crypto.randomUUID(),
      htm: method.toUpperCase(),
      htu: `${target.origin}${target.pathname}`,
      ...(nonce !== undefined && { nonce }),
      ...(accessToken !== undefined && { ath: await sha256Base64Url(accessToken) }),
    })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: this.alg, jwk: this.publicJwk })
      .setIssuedAt()
      .sign(this.#key);
  }
}

function publicPart(jwk: JWK): JWK {
  const { kty, crv, x, y, n, e } = jwk;
  return Object.fromEntries(Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined));
}
