import type { Json } from '../../../stores/store.ts';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '../oauth-client-provider.ts';

/** Key of stored credentials. Credentials of one issuer are never found under the key of another. */
export interface CredentialKey {
  readonly issuer: string;
  /** Address of the server that the credentials are for. */
  readonly resource: string;
  /** Tells several logins at one server apart; empty for a single one. */
  readonly account: string;
}

/** All credentials of one login, stored and deleted together. */
export interface Credentials {
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  /** Private key that the tokens are bound to, as a JWK. */
  readonly dpopKey?: Readonly<Record<string, unknown>> | undefined;
}

/** Storage for credentials, across requests and restarts of the program. */
export interface CredentialStore {
  /** The issuer whose credentials were written last for this server and account. */
  currentIssuer(resource: string, account: string): Promise<string | undefined>;
  read(key: CredentialKey): Promise<Credentials | undefined>;
  /** Replaces the whole record; `undefined` deletes it. */
  write(key: CredentialKey, credentials: Credentials | undefined): Promise<void>;
  /** Runs `work` while no other holder of the same key runs, in all processes that share the store. `work` may read and write. */
  exclusive<T>(key: CredentialKey, work: () => Promise<T>): Promise<T>;
}

/** A storage backend for credentials: values by name, and a lock per name. */
export interface Shelf {
  get(name: string): Promise<Json | undefined>;
  put(name: string, value: Json | undefined): Promise<void>;
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Credentials on a storage backend. Printing it reveals none of them. */
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
