import { EmbeddedJWK, calculateJwkThumbprint, jwtVerify } from 'jose';
import type { JWK } from 'jose';
import type { Store } from '../../../stores/store.ts';
import { OAuthFault } from '../http/oauth-fault.ts';
import { isSameSecret } from '../http/secret-text.ts';
import { sha256Base64Url } from '../../../runtime/sha256.ts';
import { toBase64Url } from '../../../runtime/base64url.ts';

export const DPOP_ALGORITHMS: readonly string[] = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];

export interface DpopOptions {
  /** Whether to refuse tokens that are not bound to a key; `false` when absent. */
  readonly required?: boolean;
  /** Storage for the ids of used proofs. */
  readonly store: Store;
  /** Largest age of a proof, and largest clock difference; 60 seconds when absent. */
  readonly maxAgeSeconds?: number;
  /** Whether proofs must contain a nonce of this server, so that none can be made in advance; `false` when absent. */
  readonly nonce?: boolean;
  readonly now?: () => number;
}

export interface ProofFacts {
  readonly method: string;
  /** URL of the request without query and fragment, as the client sees it. */
  readonly url: string;
  /** Access token sent with the proof; `undefined` at a token endpoint. */
  readonly token: string | undefined;
}

/** Checks proofs of possession (RFC 9449). Nonces are derived from the time and a key of this process. */
export class DpopProofs {
  readonly algorithms: readonly string[] = DPOP_ALGORITHMS;
  readonly required: boolean;
  readonly #store: Store;
  readonly #maxAge: number;
  readonly #wantsNonce: boolean;
  readonly #now: () => number;
  readonly #secret: Uint8Array = crypto.getRandomValues(new Uint8Array(32));

  constructor({ required = false, store, maxAgeSeconds = 60, nonce = false, now = Date.now }: DpopOptions) {
    this.required = required;
    this.#store = store;
    this.#maxAge = maxAgeSeconds;
    this.#wantsNonce = nonce;
    this.#now = now;
  }

  /** Returns the thumbprint of the key that signed the proof. Rejects with `invalid_dpop_proof` or `use_dpop_nonce`. */
  async check(proof: string | undefined, facts: ProofFacts): Promise<string> {
    if (proof === undefined || proof === '') throw bad('The DPoP header is missing.');
    if (proof.includes(',')) throw bad('The request has more than one DPoP header.');
    const { payload, jwk } = await this.#read(proof);
    if (payload['htm'] !== facts.method) throw bad('The proof was made for another method (htm).');
    if (!isSameUrl(payload['htu'], facts.url)) throw bad('The proof was made for another URL (htu).');
    const { iat, jti } = payload;
    if (typeof iat !== 'number' || Math.abs(this.#now() / 1000 - iat) > this.#maxAge)
      throw bad('The proof is too old, or the clock of the client is wrong (iat).');
    if (typeof jti !== 'string' || jti === '' || jti.length > 200) throw bad('The proof has no id (jti).');
    if (facts.token !== undefined) {
      const { ath } = payload;
      if (typeof ath !== 'string' || !(await isSameSecret(ath, await sha256Base64Url(facts.token))))
        throw bad('The proof was made for another token (ath).');
    }
    if (this.#wantsNonce && !(await this.#isOwnNonce(payload['nonce'])))
      throw new OAuthFault('use_dpop_nonce', 'The proof must hold the nonce of this server.', { status: 401 });
    const thumbprint = await calculateJwkThumbprint(jwk, 'sha256');
    const key = `dpop:${await sha256Base64Url(`${thumbprint} ${jti}`)}`;
    if ((await this.#store.put(key, 1, { ifVersion: null, ttlMs: 2 * this.#maxAge * 1000 })) === undefined)
      throw bad('The proof was used before (jti).');
    return thumbprint;
  }

  /** The value for the `DPoP-Nonce` header; `undefined` when nonces are not required. */
  async nonce(): Promise<string | undefined> {
    return this.#wantsNonce ? this.#nonceOf(this.#window()) : undefined;
  }

  #window(): number {
    return Math.floor(this.#now() / 1000 / this.#maxAge);
  }

  async #isOwnNonce(nonce: unknown): Promise<boolean> {
    if (typeof nonce !== 'string') return false;
    const window = this.#window();
    const own = await Promise.all([this.#nonceOf(window), this.#nonceOf(window - 1)]);
    return own.includes(nonce);
  }

  async #nonceOf(window: number): Promise<string> {
    const key = await crypto.subtle.importKey(
      'raw',
      new Uint8Array(this.#secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    );
    return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(String(window)))));
  }

  async #read(proof: string): Promise<{ payload: Record<string, unknown>; jwk: JWK }> {
    try {
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: [...this.algorithms],
        currentDate: new Date(this.#now()),
        clockTolerance: this.#maxAge,
      });
      const { jwk } = protectedHeader;
      if (jwk === undefined || 'd' in jwk) throw bad('The proof must hold the public key alone.');
      return { payload, jwk };
    } catch (error) {
      if (error instanceof OAuthFault) throw error;
      // The key comes with the proof, so a key that cannot be imported makes the proof invalid.
      throw bad('The proof is not a DPoP proof, or its signature is wrong.', error);
    }
  }
}

function isSameUrl(claimed: unknown, url: string): boolean {
  if (typeof claimed !== 'string' || !URL.canParse(claimed) || !URL.canParse(url)) return false;
  const [one, other] = [new URL(claimed), new URL(url)];
  return one.origin === other.origin && one.pathname === other.pathname;
}

function bad(message: string, cause?: unknown): OAuthFault {
  return new OAuthFault('invalid_dpop_proof', message, { cause, status: 401 });
}
