import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from '../../shared/auth.ts';
import type { OAuthClientProvider } from '../../client/auth.ts';

/** Keeps one login in memory: for examples and tests. */
export class InMemoryOAuthClientProvider implements OAuthClientProvider {
  readonly clientMetadataUrl?: string | undefined;
  readonly #redirectUrl: string | URL;
  readonly #clientMetadata: OAuthClientMetadata;
  readonly #onRedirect: (url: URL) => void;
  #clientInformation: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #codeVerifier: string | undefined;

  /** `onRedirect` is given the page to open; when absent, its address is printed. */
  constructor(
    redirectUrl: string | URL,
    clientMetadata: OAuthClientMetadata,
    onRedirect?: (url: URL) => void,
    clientMetadataUrl?: string,
  ) {
    this.#redirectUrl = redirectUrl;
    this.#clientMetadata = clientMetadata;
    this.#onRedirect = onRedirect ?? ((url) => console.log(`Redirect to: ${url.href}`));
    this.clientMetadataUrl = clientMetadataUrl;
  }

  get redirectUrl(): string | URL {
    return this.#redirectUrl;
  }
  get clientMetadata(): OAuthClientMetadata {
    return this.#clientMetadata;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#clientInformation;
  }
  saveClientInformation(clientInformation: OAuthClientInformationMixed): void {
    this.#clientInformation = clientInformation;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(authorizationUrl: URL): void {
    this.#onRedirect(authorizationUrl);
  }

  saveCodeVerifier(codeVerifier: string): void {
    this.#codeVerifier = codeVerifier;
  }
  codeVerifier(): string {
    if (this.#codeVerifier === undefined) throw new Error('No code verifier saved');
    return this.#codeVerifier;
  }
}
