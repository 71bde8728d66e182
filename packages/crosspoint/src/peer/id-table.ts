import type { RequestId } from '../jsonrpc/message.ts';
import { IdPlaces } from './id-places.ts';

/**
 * Open requests by id, in no particular order. Usually there is one or none, so a single entry has fields of its own: a map that goes empty after each
 * request allocates a new table for the next (400 ns, a third of a call in one process). The others have places in an array: 64 calls in flight take
 * a third of the time that they take with a map (bench, w16).
 */
export class IdTable<T extends object> {
  #id: RequestId | undefined;
  #only: T | undefined;
  #others: IdPlaces<T> | undefined;
  readonly #kept: number;

  /** `kept`: the most places that an empty table keeps for the next requests. */
  constructor(kept = 64) {
    this.#kept = kept;
  }

  get size(): number {
    return (this.#only === undefined ? 0 : 1) + (this.#others?.size ?? 0);
  }

  /** Number of places for entries; 1 while no others are needed. */
  get places(): number {
    return 1 + (this.#others?.length ?? 0);
  }

  has(id: RequestId): boolean {
    return this.get(id) !== undefined;
  }

  get(id: RequestId): T | undefined {
    return id === this.#id ? this.#only : this.#others?.get(id);
  }

  /** Adds an entry, in place of the one with the same id if there is one. */
  set(id: RequestId, value: T): void {
    this.delete(id);
    if (this.#only === undefined) {
      this.#id = id;
      this.#only = value;
    } else (this.#others ??= new IdPlaces()).add(id, value);
  }

  delete(id: RequestId): void {
    if (id === this.#id) this.#id = this.#only = undefined;
    else if (this.#others !== undefined) {
      this.#others.delete(id);
      if (this.#others.length > this.#kept && this.#others.size === 0) this.#others = undefined;
    }
  }

  clear(): void {
    this.#id = this.#only = this.#others = undefined;
  }

  /** A snapshot: entries added or removed while it is read do not change it. */
  entries(): readonly (readonly [RequestId, T])[] {
    const others = this.#others?.entries() ?? [];
    return this.#id === undefined || this.#only === undefined ? others : [[this.#id, this.#only], ...others];
  }
}
