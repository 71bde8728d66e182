import type { Store } from 'crosspoint/server';

/**
 * A ring of fixed size for records that anybody can cause. A new record takes the next place, and the record that held it has to be
 * deleted. This bounds the number of records in any store, across processes, without counting or searching keys.
 */
export class RecordRing {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #size: number;

  constructor(store: Store, prefix: string, size: number) {
    if (!Number.isSafeInteger(size) || size < 1)
      throw new TypeError(`There must be room for at least one record of ${prefix}, not ${size}.`);
    this.#store = store;
    this.#prefix = prefix;
    this.#size = size;
  }

  /** Gives a record the next place. Resolves with the name of the record to delete, if any. */
  async take(name: string, ttlMs: number): Promise<string | undefined> {
    const turn = await this.#store.add(`${this.#prefix}:turn`, 1);
    const place = `${this.#prefix}:at:${turn % this.#size}`;
    const before = (await this.#store.get(place))?.value;
    await this.#store.put(place, name, { ttlMs });
    return typeof before === 'string' && before !== name ? before : undefined;
  }
}
