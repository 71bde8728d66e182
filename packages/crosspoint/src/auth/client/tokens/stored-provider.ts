import type { JWK } from 'jose';
import type { CredentialKey, Credentials, CredentialStore } from '../credentials/credential-store.ts';
import { MemoryCredentials } from '../credentials/memory-credentials.ts';
import type { OAuthClientInformationMixed, OAuthClientMetadata } from '../../oauth-types.ts';
import { canonicalResource } from '../../resource-identifier.ts';
import type { DpopAlgorithm } from './dpop-proofs.ts';
import { DpopSession } from './dpop-session.ts';
import { AuthFlowError } from '../flow-error.ts';
import type {
  OAuthClientInformationContext,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '../oauth-client-provider.ts';
import type { PendingAuthorization } from '../pending-authorization.ts';

/** Sends a user to the login page and receives the answer. */
export interface UserAgent {
  /** Returns the redirect address; may start a listener on a free port. `before`: the registered addresses. */
  begin(before: readonly string[]): Promise<string>;
  /** Shows the page and waits for the query of the redirect. `undefined`: it will be passed to `finishAuth` later. */
  visit(page: URL): Promise<URLSearchParams | undefined>;
  /** Called at the end, successful or not. */
  end(): Promise<void>;
}

export interface StoredProviderOptions {
  /** The server to log in to. */
  readonly serverUrl: string | URL;
  /** Shown to the user on the login page. */
  readonly clientName: string;
  readonly userAgent: UserAgent;
  /** Storage for credentials; in memory when absent. */
  readonly credentials?: CredentialStore | undefined;
  /** Tells several logins at one server apart. */
  readonly account?: string | undefined;
  /** A client registered by hand, with the authorization server that it belongs to. */
  readonly client?: StoredOAuthClientInformation | undefined;
  /** Address of this program's client metadata document. */
  readonly clientMetadataUrl?: string | undefined;
  readonly clientMetadata?: Partial<OAuthClientMetadata> | undefined;
  readonly scope?: string | undefined;
  /** Asks for a client registered by hand, when there is no other way. */
  readonly askForClient?:
    | ((context: OAuthClientInformationContext) => Promise<OAuthClientInformationMixed | undefined>)
    | undefined;
  /** DPoP-bound tokens: when the server requires them (the default), always, or never. */
  readonly dpop?: 'when-asked' | 'always' | 'never' | undefined;
}

/**
 * A login with stored credentials: one record per issuer, server and account, refreshed by one process at a time. `userAgent` shows the
 * login page. Printing it reveals nothing but its name.
 */
export class StoredProvider implements OAuthClientProvider {
  readonly #options: StoredProviderOptions;
  readonly #credentials: CredentialStore;
  readonly #resource: string;
  #redirectUrl = 'http://127.0.0.1/callback';
  #pending: PendingAuthorization | undefined;
  #session: DpopSession | undefined;

  constructor(options: StoredProviderOptions) {
    this.#options = options;
    this.#credentials = options.credentials ?? new MemoryCredentials();
    this.#resource = canonicalResource(options.serverUrl);
  }

  get redirectUrl(): string {
    return this.#redirectUrl;
  }

  get clientMetadataUrl(): string | undefined {
    return this.#options.clientMetadataUrl;
  }

  get isClientGiven(): boolean {
    return this.#options.client !== undefined;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientName, scope, clientMetadata } = this.#options;
    return {
      client_name: clientName,
      ...(scope !== undefined && { scope }),
      ...clientMetadata,
      redirect_uris: [this.#redirectUrl],
    };
  }

  async beginLogin({ issuer }: OAuthClientInformationContext): Promise<void> {
    const known = (await this.#read(issuer))?.client;
    const before = known !== undefined && 'redirect_uris' in known ? known.redirect_uris.map(String) : [];
    this.#redirectUrl = await this.#options.userAgent.begin(before);
    // Many authorization servers accept only the registered port.
    if (before.length > 0 && !before.includes(this.#redirectUrl)) await this.invalidateCredentials('client', issuer);
  }

  endLogin(): Promise<void> {
    return this.#options.userAgent.end();
  }

  async clientInformation(context?: OAuthClientInformationContext): Promise<StoredOAuthClientInformation | undefined> {
    const { client } = this.#options;
    if (client === undefined) return (await this.#read(context?.issuer))?.client;
    if (client.issuer !== undefined) return client;
    // The client is bound to the first authorization server that accepts it.
    const key = await this.#key(undefined);
    return key === undefined ? client : { ...client, issuer: key.issuer };
  }

  async saveClientInformation(
    client: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Promise<void> {
    await this.#change(context?.issuer, (kept) => ({ ...kept, client }));
  }

  async tokens(context?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    return (await this.#read(context?.issuer))?.tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): Promise<void> {
    const dpopKey = this.#session?.exportKey() as Credentials['dpopKey'];
    await this.#change(context?.issuer ?? tokens.issuer, (kept) => ({
      ...kept,
      tokens,
      ...(dpopKey !== undefined && { dpopKey }),
    }));
  }

  /** Deletes stored credentials; `all` is a logout. */
  async invalidateCredentials(
    what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery',
    issuer?: string,
  ): Promise<void> {
    if (what === 'verifier') this.#pending = undefined;
    const key = await this.#key(issuer);
    if (key === undefined || what === 'verifier' || what === 'discovery') return;
    if (what === 'all') {
      this.#session = undefined;
      return this.#credentials.write(key, undefined);
    }
    await this.#change(key.issuer, ({ [what]: _dropped, ...rest }) => rest);
  }

  async redirectToAuthorization(page: URL): Promise<void | URLSearchParams> {
    return this.#options.userAgent.visit(page);
  }

  savePending(pending: PendingAuthorization): void {
    this.#pending = pending;
  }

  pending(): PendingAuthorization | undefined {
    return this.#pending;
  }

  saveCodeVerifier(): void {
    // The verifier is part of the pending record.
  }

  codeVerifier(): string {
    if (this.#pending === undefined)
      throw new AuthFlowError(
        'callback',
        'No login has been started: connect first, which sends the user to the login page.',
      );
    return this.#pending.codeVerifier;
  }

  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    const key = await this.#key(undefined);
    return key === undefined ? work() : this.#credentials.exclusive(key, work);
  }

  async askForClient(context: OAuthClientInformationContext): Promise<OAuthClientInformationMixed | undefined> {
    return this.#options.askForClient?.(context);
  }

  async dpop(): Promise<DpopSession | undefined> {
    const { dpop = 'when-asked' } = this.#options;
    if (dpop === 'never' || this.#session !== undefined) return this.#session;
    const kept = (await this.#read(undefined))?.dpopKey as JWK | undefined;
    if (kept !== undefined) this.#session = await DpopSession.create({ privateJwk: kept });
    else if (dpop === 'always') this.#session = await DpopSession.create({ extractable: true });
    return this.#session;
  }

  async startDpop(algorithms: readonly string[]): Promise<DpopSession | undefined> {
    if (this.#options.dpop === 'never') return undefined;
    const alg = algorithms[0] as DpopAlgorithm | undefined;
    this.#session = await DpopSession.create({ ...(alg !== undefined && { alg }), extractable: true });
    return this.#session;
  }

  async #key(issuer: string | undefined): Promise<CredentialKey | undefined> {
    const account = this.#options.account ?? '';
    const found = issuer ?? (await this.#credentials.currentIssuer(this.#resource, account));
    return found === undefined ? undefined : { issuer: found, resource: this.#resource, account };
  }

  async #read(issuer: string | undefined): Promise<Credentials | undefined> {
    const key = await this.#key(issuer);
    return key === undefined ? undefined : this.#credentials.read(key);
  }

  async #change(issuer: string | undefined, change: (kept: Credentials) => Credentials): Promise<void> {
    const key = await this.#key(issuer);
    if (key === undefined) return;
    await this.#credentials.write(key, change((await this.#credentials.read(key)) ?? {}));
  }
}
