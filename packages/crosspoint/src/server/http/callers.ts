const MAX_CALLERS = 10_000;

/** Something to count the calls of a caller without a name by: all that come from one address are one. */
export interface CallerAt {
  readonly address: string;
}

export class Callers {
  readonly #byAddress = new Map<string, CallerAt>();
  #latest: CallerAt | undefined;

  at(address: string | undefined): CallerAt {
    const key = address ?? '';
    // Often all come from one proxy: comparing is cheaper than looking up.
    return this.#latest?.address === key ? this.#latest : (this.#latest = this.#find(key));
  }

  #find(key: string): CallerAt {
    const known = this.#byAddress.get(key);
    if (known) return known;
    if (this.#byAddress.size >= MAX_CALLERS) this.#byAddress.delete(this.#byAddress.keys().next().value ?? '');
    const made = { address: key };
    this.#byAddress.set(key, made);
    return made;
  }
}
