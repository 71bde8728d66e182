import type { Json } from '../../../stores/store.ts';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '../oauth-client-provider.ts';

/** Whose credentials, for what, from whom. Credentials of one issuer are never seen under the key of another. */
export interface CredentialKey {
  readonly issuer: string;
  /** The address of the server they are for. */
  readonly resource: string;
  /** For several logins at one server; empty when there is one. */
  readonly account: string;
}

/** Everything of one login, kept and dropped together. */
export interface Credentials {
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  /** The private key that the tokens are bound to, as a JWK. */
  readonly dpopKey?: Readonly<Record<string, unknown>> | undefined;
}

/** Where credentials are kept between requests, and between starts of the program. */
export interface CredentialStore {
  /** The issuer whose credentials were written last for this server and account. */
  currentIssuer(resource: string, account: string): Promise<string | undefined>;
  read(key: CredentialKey): Promise<Credentials | undefined>;
  /** Replaces the whole unit; `undefined` drops it. */
  write(key: CredentialKey, credentials: Credentials | undefined): Promise<void>;
  /** Runs `work` while nobody else with the same key runs theirs, whoever shares the store. Reading and writing inside is fine. */
  exclusive<T>(key: CredentialKey, work: () => Promise<T>): Promise<T>;
}

/** What credentials can be kept in: values by name, and a lock for each name. */
export interface Shelf {
  get(name: string): Promise<Json | undefined>;
  put(name: string, value: Json | undefined): Promise<void>;
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Credentials on any shelf. Shows nothing of them when it is printed. */
export class ShelvedCredentials implements CredentialStore {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  async currentIssuer(resource: string, account: string): Promise<string | undefined> {
    const issuer = await this.#shelf.get(currentName(resource, account));
    return typeof issuer === 'string' ? issuer : undefined;
  }

  async read(key: CredentialKey): Promise<Credentials | undefined> {
    const found = await this.#shelf.get(nameOf(key));
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Credentials) : undefined;
  }

  async write(key: CredentialKey, credentials: Credentials | undefined): Promise<void> {
    await this.#shelf.put(nameOf(key), credentials as Json | undefined);
    if (credentials !== undefined) await this.#shelf.put(currentName(key.resource, key.account), key.issuer);
  }

  exclusive<T>(key: CredentialKey, work: () => Promise<T>): Promise<T> {
    return this.#shelf.exclusive(nameOf(key), work);
  }
}

const nameOf = ({ issuer, resource, account }: CredentialKey): string => JSON.stringify([issuer, resource, account]);
const currentName = (resource: string, account: string): string => JSON.stringify([resource, account]);
