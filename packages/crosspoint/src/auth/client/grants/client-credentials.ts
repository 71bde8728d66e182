import { GrantProvider } from './grant-provider.ts';
import { ASSERTION_TYPE, createPrivateKeyJwtAuth, type PrivateKeyInput } from './private-key-jwt.ts';

const EXTENSION = 'io.modelcontextprotocol/oauth-client-credentials';
const GRANT = 'client_credentials';

export interface ClientCredentialsProviderOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientName?: string | undefined;
  readonly scope?: string | undefined;
  /** The authorization server that the secret belongs to: it is shown to no other. Recommended. */
  readonly expectedIssuer?: string | undefined;
}

/** A service that has a secret. */
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
  /** 300 when absent. */
  readonly jwtLifetimeSeconds?: number | undefined;
  readonly scope?: string | undefined;
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  readonly expectedIssuer?: string | undefined;
}

/** A service that has a key: a new assertion is signed for every request. */
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
  /** Signed elsewhere; not looked into. */
  readonly jwtBearerAssertion: string;
  readonly clientName?: string | undefined;
  readonly scope?: string | undefined;
  readonly expectedIssuer?: string | undefined;
}

/** A service whose assertion is signed by somebody else. */
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
