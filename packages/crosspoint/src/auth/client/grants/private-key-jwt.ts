import { importJWK, importPKCS8, SignJWT, type CryptoKey, type JWK } from 'jose';
import { AuthFlowError } from '../flow-error.ts';
import type { AddClientAuthentication } from '../oauth-client-provider.ts';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export type PrivateKeyInput = string | Uint8Array | Readonly<Record<string, unknown>>;

export interface PrivateKeyJwtAuthOptions {
  /** The client id, for both. */
  readonly issuer: string;
  readonly subject: string;
  readonly privateKey: PrivateKeyInput;
  readonly alg: string;
  /** Audience; the issuer of the authorization server when absent. */
  readonly audience?: string | URL | undefined;
  readonly lifetimeSeconds?: number | undefined;
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** Authenticates a client by an assertion signed with its key (RFC 7523 section 2.2). The key is neither logged nor included in errors. */
export function createPrivateKeyJwtAuth(options: PrivateKeyJwtAuthOptions): AddClientAuthentication {
  let key: Promise<CryptoKey | Uint8Array> | undefined;
  return async (_headers, params, url, metadata) => {
    key ??= importKey(options.privateKey, options.alg);
    const assertion = await new SignJWT({ ...options.claims })
      .setProtectedHeader({ alg: options.alg, typ: 'JWT' })
      .setIssuer(options.issuer)
      .setSubject(options.subject)
      .setAudience(String(options.audience ?? metadata?.issuer ?? url))
      .setIssuedAt()
      .setExpirationTime(`${options.lifetimeSeconds ?? 300}s`)
      .setJti(crypto.randomUUID())
      .sign(await key);
    params.set('client_id', options.issuer);
    params.set('client_assertion', assertion);
    params.set('client_assertion_type', ASSERTION_TYPE);
  };
}

async function importKey(key: PrivateKeyInput, alg: string): Promise<CryptoKey | Uint8Array> {
  try {
    if (key instanceof Uint8Array) return key;
    if (typeof key !== 'string') return await importJWK(key as JWK, alg);
    return alg.startsWith('HS') ? new TextEncoder().encode(key) : await importPKCS8(key, alg);
  } catch {
    // The original error may quote the key.
    throw new AuthFlowError(
      'configuration',
      `The private key cannot be read as one for ${alg}: give a PEM in PKCS #8 form, or a JWK.`,
    );
  }
}
