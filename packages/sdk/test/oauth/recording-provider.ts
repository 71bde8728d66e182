import type { OAuthClientProvider } from '../../src/client/auth.ts';
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from '../../src/shared/auth.ts';
import { steady } from './authorization-server.ts';

/** A provider as programs write it for v1, which notes its calls. */
export class RecordingProvider implements OAuthClientProvider {
  readonly calls: string[] = [];
  redirectUrl: string | undefined = 'http://localhost:5000/callback';
  clientMetadata: OAuthClientMetadata = { redirect_uris: ['http://localhost:5000/callback'], client_name: 'Desk' };
  client: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  verifier = 'v'.repeat(43);

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.client;
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.note('saveClientInformation', client);
    this.client = client;
  }
  tokens(): OAuthTokens | undefined {
    return this.kept;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.note('saveTokens', tokens);
    this.kept = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.note('redirectToAuthorization', url.href);
  }
  saveCodeVerifier(verifier: string): void {
    this.note('saveCodeVerifier', verifier.length >= 43);
    this.verifier = verifier;
  }
  codeVerifier(): string {
    return this.verifier;
  }
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    this.note('invalidateCredentials', scope);
    if (scope === 'all') this.client = undefined;
    this.kept = undefined;
  }

  note(what: string, value: unknown): void {
    this.calls.push(`${what} ${steady(JSON.stringify(value, sorted))}`);
  }
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
