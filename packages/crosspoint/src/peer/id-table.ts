import type { RequestId } from '../jsonrpc/message.ts';

/**
 * What is open, by id. Most of the time that is one thing or nothing, and a map that goes empty after each makes a new table for the next;
 * so one has a place of its own, and the map is for the others. In no particular order.
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

  /** As of now: what is added or taken away meanwhile does not matter. */
  entries(): readonly (readonly [RequestId, T])[] {
    const others = this.#others === undefined ? [] : [...this.#others];
    return this.#id === undefined || this.#only === undefined ? others : [[this.#id, this.#only], ...others];
  }
}
