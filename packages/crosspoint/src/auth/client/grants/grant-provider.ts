import type { OAuthClientMetadata } from '../../oauth-types.ts';
import { AuthFlowError } from '../flow-error.ts';
import type {
  AddClientAuthentication,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
  TokenRequestContext,
} from '../oauth-client-provider.ts';

export interface GrantOptions {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly clientName?: string | undefined;
  readonly scope?: string | undefined;
  /** Authorization server that these credentials belong to; they are sent to no other. Recommended. */
  readonly expectedIssuer?: string | undefined;
  readonly authMethod: string;
  readonly grantType: string;
  readonly extensions?: readonly string[] | undefined;
}

/** A client that acts for itself: it requests tokens with its own credentials, without a user. */
export class GrantProvider implements OAuthClientProvider {
  readonly extensions: readonly string[];
  addClientAuthentication?: AddClientAuthentication;
  readonly #information: StoredOAuthClientInformation;
  readonly #metadata: OAuthClientMetadata;
  #tokens: StoredOAuthTokens | undefined;

  constructor(options: GrantOptions) {
    const { clientId, clientSecret, clientName, scope, expectedIssuer, authMethod, grantType } = options;
    this.extensions = options.extensions ?? [];
    this.#information = {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(expectedIssuer !== undefined && { issuer: expectedIssuer }),
    };
    this.#metadata = {
      client_name: clientName ?? 'mcp-client',
      redirect_uris: [],
      grant_types: [grantType],
      token_endpoint_auth_method: authMethod,
      ...(scope !== undefined && { scope }),
    };
  }

  get redirectUrl(): undefined {
    return undefined;
  }

  get clientMetadata(): OAuthClientMetadata {
    return this.#metadata;
  }

  clientInformation(): StoredOAuthClientInformation {
    return this.#information;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
    // The credentials are bound to the first authorization server that accepts them.
    if (tokens.issuer !== undefined) this.#information.issuer ??= tokens.issuer;
  }

  redirectToAuthorization(): void {
    throw new AuthFlowError(
      'configuration',
      'This client acts for itself and has no user to send to a login page: for one, use a provider with a redirectUrl.',
    );
  }

  saveCodeVerifier(): void {
    // This grant has no code.
  }

  codeVerifier(): string {
    throw new AuthFlowError(
      'configuration',
      'This client acts for itself and has no authorization code: connect() is enough, without finishAuth().',
    );
  }

  prepareTokenRequest(scope?: string, _context?: TokenRequestContext): URLSearchParams | Promise<URLSearchParams> {
    const asked = scope ?? this.#metadata.scope;
    return new URLSearchParams({
      grant_type: this.#metadata.grant_types?.[0] ?? 'client_credentials',
      ...(asked !== undefined && { scope: asked }),
    });
  }
}
