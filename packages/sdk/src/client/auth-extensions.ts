import { createPrivateKeyJwtAuth as signedBy } from 'crosspoint/auth';
import { GrantProvider } from '../internal/oauth/grant-provider.ts';
import type { AddClientAuthentication } from '../internal/oauth/provider.ts';

type PrivateKey = string | Uint8Array | Record<string, unknown>;

/** Authenticates a client by an assertion that is signed with its key (RFC 7523, section 2.2). */
export function createPrivateKeyJwtAuth(options: {
  /** The client id, for both. */
  issuer: string;
  subject: string;
  /** PEM (PKCS #8), as a text or as its bytes; a JWK; or a shared secret for HS algorithms. */
  privateKey: PrivateKey;
  alg: string;
  /** Audience; the issuer of the authorization server when absent. */
  audience?: string | URL | undefined;
  /** Lifetime of each assertion; 300 when absent. */
  lifetimeSeconds?: number | undefined;
  claims?: Record<string, unknown> | undefined;
}): AddClientAuthentication {
  const { alg, privateKey: given } = options;
  const isPemBytes = given instanceof Uint8Array && !alg.startsWith('HS');
  const privateKey = isPemBytes ? new TextDecoder().decode(given) : given;
  const sign: AddClientAuthentication = signedBy({ ...options, privateKey }) as AddClientAuthentication;
  return async (headers, params, url, metadata) => {
    if (globalThis.crypto === undefined)
      throw new TypeError(
        'crypto is not available, please ensure you add have Web Crypto API support for older Node.js versions',
      );
    if (typeof privateKey === 'string' && !/^(?:RS|ES|PS|HS|Ed)/.test(alg))
      throw new Error(`Unsupported algorithm ${alg}`);
    await sign(headers, params, url, metadata);
  };
}

export interface ClientCredentialsProviderOptions {
  clientId: string;
  clientSecret: string;
  clientName?: string | undefined;
  scope?: string | undefined;
  /** Authorization server that the secret belongs to; it is sent to no other. Recommended. */
  expectedIssuer?: string | undefined;
}

/** Logs in a service with a client secret. */
export class ClientCredentialsProvider extends GrantProvider {
  constructor(options: ClientCredentialsProviderOptions) {
    const { clientName = 'client-credentials-client' } = options;
    super({ ...options, clientName, authMethod: 'client_secret_basic' });
  }
}

export interface PrivateKeyJwtProviderOptions {
  clientId: string;
  /** PEM (PKCS #8), as a text or as its bytes; a JWK; or a shared secret for HS algorithms. */
  privateKey: PrivateKey;
  algorithm: string;
  clientName?: string | undefined;
  /** Lifetime of each assertion; 300 when absent. */
  jwtLifetimeSeconds?: number | undefined;
  scope?: string | undefined;
  claims?: Record<string, unknown> | undefined;
  /** Authorization server that the key belongs to; assertions are sent to no other. Recommended. */
  expectedIssuer?: string | undefined;
}

/** Logs in a service with a key; every request gets a newly signed assertion. */
export class PrivateKeyJwtProvider extends GrantProvider {
  constructor(options: PrivateKeyJwtProviderOptions) {
    const { clientId, clientName = 'private-key-jwt-client', scope, expectedIssuer } = options;
    super({ clientId, clientName, scope, expectedIssuer, authMethod: 'private_key_jwt' });
    this.addClientAuthentication = createPrivateKeyJwtAuth({
      issuer: clientId,
      subject: clientId,
      privateKey: options.privateKey,
      alg: options.algorithm,
      lifetimeSeconds: options.jwtLifetimeSeconds,
      claims: options.claims,
    });
  }
}

export interface StaticPrivateKeyJwtProviderOptions {
  clientId: string;
  /** An assertion signed elsewhere; it is not inspected. */
  jwtBearerAssertion: string;
  clientName?: string | undefined;
  scope?: string | undefined;
  /** Authorization server that the assertion is for; it is sent to no other. Recommended. */
  expectedIssuer?: string | undefined;
}

/** Logs in a service with an assertion that was signed elsewhere. */
export class StaticPrivateKeyJwtProvider extends GrantProvider {
  constructor(options: StaticPrivateKeyJwtProviderOptions) {
    const { clientName = 'static-private-key-jwt-client' } = options;
    super({ ...options, clientName, authMethod: 'private_key_jwt' });
    this.addClientAuthentication = (_headers, params) => {
      params.set('client_assertion', options.jwtBearerAssertion);
      params.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    };
  }
}
