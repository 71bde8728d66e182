import { RenewedMap } from './renewed-map.ts';

/** A set whose members come and go, in the order in which they came: see `RenewedMap` for the reason. */
export class RenewedSet<T> {
  readonly #members = new RenewedMap<T, true>();

  get size(): number {
    return this.#members.size;
  }

  add(member: T): void {
    this.#members.set(member, true);
  }

  /** Returns whether the member was there. */
  delete(member: T): boolean {
    return this.#members.delete(member);
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#members.keys();
  }
}
