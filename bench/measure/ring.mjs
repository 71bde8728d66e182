const PLACES = 4096;

/**
 * Calls that wait, by ids that count up, of which at most 4,096 are open. A `Map` or a `Set` is slower: V8 never compacts one in place, so that ever-new ids
 * bring ever-new tables, which age (see packages/crosspoint/src/runtime/renewed-map.ts).
 */
export class Ring {
  #values = Array.from({ length: PLACES });
  #nextId;
  size = 0;

  constructor(firstId = 1) {
    this.#nextId = firstId;
  }

  /** Returns the id of the new entry. */
  add(value) {
    const id = this.#nextId++;
    this.#values[id % PLACES] = value;
    this.size += 1;
    return id;
  }

  /** Returns the entry and removes it; `undefined` where none waits under this id. */
  take(id) {
    if (!(id < this.#nextId && id >= this.#nextId - PLACES)) return undefined;
    const value = this.#values[id % PLACES];
    if (value === undefined) return undefined;
    this.#values[id % PLACES] = undefined;
    this.size -= 1;
    return value;
  }
}
