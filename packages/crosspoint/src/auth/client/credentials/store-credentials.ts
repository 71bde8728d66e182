import type { Json, Store } from '../../../stores/store.ts';
import { AuthFlowError } from '../flow-error.ts';
import { ShelvedCredentials, type Shelf } from './credential-store.ts';

export interface StoreCredentialsOptions {
  /** Prefix of every key; `credentials:` when absent. */
  readonly prefix?: string | undefined;
  /** Milliseconds after which a lock expires; 60 000 when absent. */
  readonly lockMs?: number | undefined;
}

/** Stores credentials in a store that several processes share. They are stored unencrypted: protect the store like a password file. */
export class StoreCredentials extends ShelvedCredentials {
  constructor(store: Store, options: StoreCredentialsOptions = {}) {
    super(new StoreShelf(store, options.prefix ?? 'credentials:', options.lockMs ?? 60_000));
  }
}

const POLL_MS = 50;

class StoreShelf implements Shelf {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #lockMs: number;

  constructor(store: Store, prefix: string, lockMs: number) {
    this.#store = store;
    this.#prefix = prefix;
    this.#lockMs = lockMs;
  }

  async get(name: string): Promise<Json | undefined> {
    return (await this.#store.get(this.#prefix + name))?.value;
  }

  async put(name: string, value: Json | undefined): Promise<void> {
    if (value === undefined) await this.#store.delete(this.#prefix + name);
    else await this.#store.put(this.#prefix + name, value);
  }

  /**
   * The lock is a record that only one process can create. It expires, so that a process that ends while holding it blocks others only
   * briefly.
   */
  async exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lock = `${this.#prefix}lock:${name}`;
    const deadline = Date.now() + 2 * this.#lockMs;
    let version: string | undefined;
    for (;;) {
      version = await this.#store.put(lock, crypto.randomUUID(), { ttlMs: this.#lockMs, ifVersion: null });
      if (version !== undefined) break;
      if (Date.now() > deadline)
        throw new AuthFlowError(
          'unavailable',
          `The record ${lock} has been held by another process for more than ${2 * this.#lockMs} ms. Try again later.`,
        );
      await new Promise((resolve) => setTimeout(resolve, POLL_MS * (0.5 + Math.random())));
    }
    try {
      return await work();
    } finally {
      await this.#store.delete(lock, version);
    }
  }
}
