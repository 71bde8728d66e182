import { GrantProvider } from './grant-provider.ts';
import { ASSERTION_TYPE, createPrivateKeyJwtAuth, type PrivateKeyInput } from './private-key-jwt.ts';

const EXTENSION = 'io.modelcontextprotocol/oauth-client-credentials';
const GRANT = 'client_credentials';

export interface ClientCredentialsProviderOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientName?: string | undefined;
  readonly scope?: string | undefined;
  /** Authorization server that the secret belongs to; it is sent to no other. Recommended. */
  readonly expectedIssuer?: string | undefined;
}

/** Logs in a service with a client secret. */
export class ClientCredentialsProvider extends GrantProvider {
  constructor(options: ClientCredentialsProviderOptions) {
    super({ ...options, authMethod: 'client_secret_basic', grantType: GRANT, extensions: [EXTENSION] });
  }
}

export interface PrivateKeyJwtProviderOptions {
  readonly clientId: string;
  /** PEM (PKCS #8), a JWK, or the bytes of a shared secret for HS algorithms. */
  readonly privateKey: PrivateKeyInput;
  readonly algorithm: string;
  readonly clientName?: string | undefined;
  /** Lifetime of each assertion; 300 when absent. */
  readonly jwtLifetimeSeconds?: number | undefined;
  readonly scope?: string | undefined;
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  readonly expectedIssuer?: string | undefined;
}

/** Logs in a service with a key; every request gets a newly signed assertion. */
export class PrivateKeyJwtProvider extends GrantProvider {
  constructor(options: PrivateKeyJwtProviderOptions) {
    super({ ...options, authMethod: 'private_key_jwt', grantType: GRANT, extensions: [EXTENSION] });
    this.addClientAuthentication = createPrivateKeyJwtAuth({
      issuer: options.clientId,
      subject: options.clientId,
      privateKey: options.privateKey,
      alg: options.algorithm,
      lifetimeSeconds: options.jwtLifetimeSeconds,
      claims: options.claims,
    });
  }
}

export interface StaticPrivateKeyJwtProviderOptions {
  readonly clientId: string;
  /** An assertion signed elsewhere; it is not inspected. */
  readonly jwtBearerAssertion: string;
  readonly clientName?: string | undefined;
  readonly scope?: string | undefined;
  readonly expectedIssuer?: string | undefined;
}

/** Logs in a service with an assertion that was signed elsewhere. */
export class StaticPrivateKeyJwtProvider extends GrantProvider {
  constructor(options: StaticPrivateKeyJwtProviderOptions) {
    super({ ...options, authMethod: 'private_key_jwt', grantType: GRANT, extensions: [EXTENSION] });
    this.addClientAuthentication = (_headers, params) => {
      params.set('client_id', options.clientId);
      params.set('client_assertion', options.jwtBearerAssertion);
      params.set('client_assertion_type', ASSERTION_TYPE);
    };
  }
}
