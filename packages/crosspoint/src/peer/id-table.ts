import type { RequestId } from '../jsonrpc/message.ts';

/**
 * Open requests by id, in no particular order. Usually there is one or none, and a map that goes empty after each request allocates a new table for
 * the next (400 ns, a third of a call in one process); so a single entry has fields of its own, and the map holds the others.
 */
export class IdTable<T extends object> {
  #id: RequestId | undefined;
  #only: T | undefined;
  #others: Map<RequestId, T> | undefined;

  get size(): number {
    return (this.#only === undefined ? 0 : 1) + (this.#others?.size ?? 0);
  }

  has(id: RequestId): boolean {
    return this.get(id) !== undefined;
  }

  get(id: RequestId): T | undefined {
    return id === this.#id ? this.#only : this.#others?.get(id);
  }

  set(id: RequestId, value: T): void {
    if (id === this.#id || (this.#only === undefined && this.#others?.has(id) !== true)) {
      this.#id = id;
      this.#only = value;
    } else (this.#others ??= new Map()).set(id, value);
  }

  delete(id: RequestId): void {
    if (id === this.#id) this.#id = this.#only = undefined;
    else this.#others?.delete(id);
  }

  clear(): void {
    this.#id = this.#only = undefined;
    this.#others?.clear();
  }

  /** A snapshot: entries added or removed while it is read do not change it. */
  entries(): readonly (readonly [RequestId, T])[] {
    const others = this.#others === undefined ? [] : [...this.#others];
    return this.#id === undefined || this.#only === undefined ? others : [[this.#id, this.#only], ...others];
  }
}
