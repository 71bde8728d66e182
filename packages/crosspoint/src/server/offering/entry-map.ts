/** A map that is copied before a change only while a snapshot of it is in use: a thousand registrations in a row copy nothing. */
export class EntryMap<E> {
  #entries = new Map<string, E>();
  #shared = false;

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): E | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  values(): Iterable<E> {
    return this.#entries.values();
  }

  set(key: string, entry: E): void {
    this.#own().set(key, entry);
  }

  delete(key: string): void {
    this.#own().delete(key);
  }

  /** The current entries; the returned map will not change. */
  snapshot(): ReadonlyMap<string, E> {
    this.#shared = true;
    return this.#entries;
  }

  #own(): Map<string, E> {
    if (this.#shared) {
      this.#entries = new Map(this.#entries);
      this.#shared = false;
    }
    return this.#entries;
  }
}
