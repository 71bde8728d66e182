import type { PutOptions, Store } from 'crosspoint/server';
import type { UpstreamAttempt } from './upstream-client.ts';
import { asJson, sha256Base64Url } from 'crosspoint/internal';

const TEN_MINUTES = 600_000;

/** Upstream logins in progress. Each is found by its state, for ten minutes, and only once. */
export class Attempts<T extends UpstreamAttempt> {
  readonly #store: Store;
  readonly #prefix: string;

  constructor(store: Store, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  /** `left.leftBy` names the caller, where attempts can be made without a login: the store may then drop the oldest. */
  async keep(attempt: T, left: Pick<PutOptions, 'leftBy'> = {}): Promise<void> {
    await this.#store.put(await this.#key(attempt.state), asJson(attempt), { ttlMs: TEN_MINUTES, ...left });
  }

  async take(state: string | null): Promise<T | undefined> {
    if (state === null || state === '') return undefined;
    const key = await this.#key(state);
    const found = await this.#store.get(key);
    if (found === undefined || !(await this.#store.delete(key, found.version))) return undefined;
    return found.value as object as T;
  }

  async #key(state: string): Promise<string> {
    return `${this.#prefix}:${await sha256Base64Url(state)}`;
  }
}
