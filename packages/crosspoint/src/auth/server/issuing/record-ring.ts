import type { Store } from '../../../stores/store.ts';

/**
 * A ring with a fixed number of places for records that strangers cause. A new record takes the next place, and the record that held it is to be
 * deleted. This bounds the number of records in any store, for all processes that share it, without counting or searching keys.
 */
export class Places {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #size: number;

  constructor(store: Store, prefix: string, size: number) {
    if (!Number.isSafeInteger(size) || size < 1) throw new TypeError('Keep at least one record.');
    this.#store = store;
    this.#prefix = prefix;
    this.#size = size;
  }

  /** Gives a record the next place. Resolves with the name of the record that held it and is to be deleted, if any. */
  async take(name: string, ttlMs: number): Promise<string | undefined> {
    const turn = await this.#store.add(`${this.#prefix}:turn`, 1);
    const place = `${this.#prefix}:at:${turn % this.#size}`;
    const before = (await this.#store.get(place))?.value;
    await this.#store.put(place, name, { ttlMs });
    return typeof before === 'string' && before !== name ? before : undefined;
  }
}
