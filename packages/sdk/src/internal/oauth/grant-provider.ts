import type { OAuthClientInformation, OAuthClientMetadata, OAuthTokens } from '../../shared/auth.ts';
import type { AddClientAuthentication, OAuthClientProvider } from './provider.ts';

const GRANT = 'client_credentials';

export interface GrantOptions {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly clientName: string;
  readonly scope?: string | undefined;
  readonly expectedIssuer?: string | undefined;
  readonly authMethod: string;
}

/** A client that acts for itself, with its own credentials and without a user. */
export class GrantProvider implements OAuthClientProvider {
  addClientAuthentication?: AddClientAuthentication;
  readonly #metadata: OAuthClientMetadata;
  #information: OAuthClientInformation;
  #tokens: OAuthTokens | undefined;

  constructor({ clientId, clientSecret, clientName, scope, expectedIssuer, authMethod }: GrantOptions) {
    this.#information = { client_id: clientId, client_secret: clientSecret, issuer: expectedIssuer };
    this.#metadata = {
      client_name: clientName,
      redirect_uris: [],
      grant_types: [GRANT],
      token_endpoint_auth_method: authMethod,
      scope,
    };
  }

  get redirectUrl(): undefined {
    return undefined;
  }

  get clientMetadata(): OAuthClientMetadata {
    return this.#metadata;
  }

  clientInformation(): OAuthClientInformation {
    return this.#information;
  }

  saveClientInformation(info: OAuthClientInformation): void {
    this.#information = info;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(): void {
    throw new Error('redirectToAuthorization is not used for client_credentials flow');
  }

  saveCodeVerifier(): void {
    // This grant has no code.
  }

  codeVerifier(): string {
    throw new Error('codeVerifier is not used for client_credentials flow');
  }

  prepareTokenRequest(scope?: string): URLSearchParams {
    return new URLSearchParams({ grant_type: GRANT, ...(scope && { scope }) });
  }
}
