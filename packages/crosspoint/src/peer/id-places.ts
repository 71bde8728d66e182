import type { RequestId } from '../jsonrpc/message.ts';
import { RenewedMap } from '../runtime/renewed-map.ts';

const FEWEST = 8;
const MOST = 4096;

/**
 * Several open requests by id. Ids are usually numbers that count up: each has a place in an array, `id & mask`, and leaves nothing behind there. Text, and
 * a number whose place is taken, are in a map. There are at most four places for each request that was open at the same time, whatever ids a peer chooses.
 */
export class IdPlaces<T extends object> {
  /** The id at each place; of no meaning where there is no value. */
  readonly #ids: number[] = [];
  readonly #values: (T | undefined)[] = [];
  #placed = 0;
  #strays: RenewedMap<RequestId, T> | undefined;

  constructor() {
    this.#grow();
  }

  get size(): number {
    return this.#placed + (this.#strays?.size ?? 0);
  }

  /** Number of places. */
  get length(): number {
    return this.#ids.length;
  }

  get(id: RequestId): T | undefined {
    const at = this.#placeOf(id);
    return this.#ids[at] === id ? this.#values[at] : this.#strays?.get(id);
  }

  /** Adds an entry whose id is not in use. */
  add(id: RequestId, value: T): void {
    if (typeof id === 'string' || !this.#place(id, value)) (this.#strays ??= new RenewedMap()).set(id, value);
  }

  /** Returns false where the place is taken although there are enough of them. */
  #place(id: number, value: T): boolean {
    const at = this.#placeOf(id);
    if (this.#values[at] === undefined) {
      this.#ids[at] = id;
      this.#values[at] = value;
      this.#placed += 1;
      return true;
    }
    if (this.length >= MOST || this.size < this.length / 2) return false;
    this.#grow();
    return this.#place(id, value);
  }

  delete(id: RequestId): void {
    const at = this.#placeOf(id);
    if (this.#ids[at] !== id) this.#strays?.delete(id);
    else if (this.#values[at] !== undefined) {
      this.#values[at] = undefined;
      this.#placed -= 1;
    }
  }

  entries(): [RequestId, T][] {
    const entries = [...(this.#strays ?? [])];
    for (const [at, id] of this.#ids.entries()) {
      const value = this.#values[at];
      if (value !== undefined) entries.push([id, value]);
    }
    return entries;
  }

  /** Text looks in vain at the first place. */
  #placeOf(id: RequestId): number {
    return typeof id === 'number' ? id & (this.#ids.length - 1) : 0;
  }

  /** Doubles the number of places; each entry gets its new one. */
  #grow(): void {
    const entries = this.entries();
    const length = Math.max(FEWEST, this.length * 2);
    this.#values.fill(undefined);
    while (this.length < length) {
      this.#ids.push(0);
      this.#values.push(undefined);
    }
    this.#placed = 0;
    this.#strays = undefined;
    for (const [id, value] of entries) this.add(id, value);
  }
}
