import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

/** Keeps everything in memory, and goes where it is sent when it is told to. */
export class Person implements OAuthClientProvider {
  readonly redirectUrl = 'http://localhost:1/callback';
  readonly events: string[] = [];
  private client: OAuthClientInformationMixed | undefined;
  private kept: OAuthTokens | undefined;
  private verifier = '';
  private sentTo: URL | undefined;

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'A person',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'notes',
    };
  }

  state(): string {
    return 'a-state';
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.events.push('registered');
    this.client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.kept;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.events.push('tokens');
    this.kept = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.events.push('sent to log in');
    this.sentTo = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  get authorizationUrl(): URL {
    if (!this.sentTo) throw new Error('Nobody was sent anywhere');
    return this.sentTo;
  }

  /** Follows the redirects, as a browser does, until it comes back with a code. */
  async logIn(): Promise<{ code: string; state: string | null }> {
    let at = this.authorizationUrl;
    while (!at.href.startsWith(this.redirectUrl)) {
      const answer = await fetch(at, { redirect: 'manual' });
      const target = answer.headers.get('location');
      if (target === null) throw new Error(`It ended at ${at.pathname} with ${answer.status}: ${await answer.text()}`);
      at = new URL(target, at);
    }
    return { code: at.searchParams.get('code') ?? '', state: at.searchParams.get('state') };
  }
}
