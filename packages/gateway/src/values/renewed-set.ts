/** Deletions before a small set is renewed. */
const FEWEST = 32;

/**
 * A set whose members come and go with calls. V8 never compacts a `Set` in place: members that are always new bring a new table every few dozen of them, and once
 * one is in the old generation so are its successors, each of which keeps its calls alive through young collections. So the set is copied after as many deletions as
 * it has members.
 */
export class RenewedSet<T> implements Iterable<T> {
  #members: Set<T>;
  #deleted = 0;

  constructor(members: Iterable<T> = []) {
    this.#members = new Set(members);
  }

  get size(): number {
    return this.#members.size;
  }

  has(member: T): boolean {
    return this.#members.has(member);
  }

  add(member: T): void {
    this.#members.add(member);
  }

  /** Returns whether it was there. */
  delete(member: T): boolean {
    if (!this.#members.delete(member)) return false;
    this.#deleted += 1;
    if (this.#deleted >= FEWEST && this.#deleted >= this.#members.size) {
      this.#members = new Set(this.#members);
      this.#deleted = 0;
    }
    return true;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#members[Symbol.iterator]();
  }
}
