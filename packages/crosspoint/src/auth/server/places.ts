import type { Store } from '../../stores/store.ts';

/**
 * A fixed number of places for records that anybody can cause. A new record takes the next place, and the record that had it is given up: the
 * number of records is bounded, the oldest goes first, and nothing is counted or searched, whatever the store and however many processes share it.
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

  /** Gives a record a place for as long as it lives. Resolves with the record to give up for it, if any. */
  async take(name: string, ttlMs: number): Promise<string | undefined> {
    const turn = await this.#store.add(`${this.#prefix}:turn`, 1);
    const place = `${this.#prefix}:at:${turn % this.#size}`;
    const before = (await this.#store.get(place))?.value;
    await this.#store.put(place, name, { ttlMs });
    return typeof before === 'string' && before !== name ? before : undefined;
  }
}
