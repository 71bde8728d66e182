/** A map that is copied before a change only while a snapshot of it is in use: a thousand registrations in a row copy nothing. */
export class EntryMap<E> {
  readonly #counts: (entry: E) => boolean;
  #entries = new Map<string, E>();
  #shared = false;
  #counted = 0;

  constructor(counts: (entry: E) => boolean = () => false) {
    this.#counts = counts;
  }

  /** The number of entries for which `counts` holds, without a look at all of them. */
  get counted(): number {
    return this.#counted;
  }

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
    this.#uncount(key);
    if (this.#counts(entry)) this.#counted += 1;
    this.#own().set(key, entry);
  }

  delete(key: string): void {
    this.#uncount(key);
    this.#own().delete(key);
  }

  /** The current entries; the returned map will not change. */
  snapshot(): ReadonlyMap<string, E> {
    this.#shared = true;
    return this.#entries;
  }

  #uncount(key: string): void {
    const before = this.#entries.get(key);
    if (before !== undefined && this.#counts(before)) this.#counted -= 1;
  }

  #own(): Map<string, E> {
    if (this.#shared) {
      this.#entries = new Map(this.#entries);
      this.#shared = false;
    }
    return this.#entries;
  }
}
