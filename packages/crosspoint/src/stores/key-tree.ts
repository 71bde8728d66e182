/** Keys split at colons: each part leads to a further branch, and the rest of a key is a leaf. */
type Branch = Map<string, Branch | string>;

/** Parts of a key that are indexed. Keys begin with their kind and perhaps an owner; indexing deeper costs more than it saves. */
const DEPTH = 3;

/** Indexes keys by their parts, so that those with one prefix are found without visiting the others. Only kinds of keys that have been looked for are indexed. */
export class KeyTree {
  readonly #root: Branch = new Map();
  readonly #kinds = new Set<string>();
  #hasAll = false;

  /** Whether the keys with this prefix are indexed. If not, they are from now on, and the caller must add the existing ones. */
  covers(prefix: string): boolean {
    if (this.#hasAll) return true;
    const kind = kindOf(prefix);
    if (kind !== undefined && this.#kinds.has(kind)) return true;
    if (kind === undefined) this.#hasAll = true;
    else this.#kinds.add(kind);
    return false;
  }

  /** Adds a key. Does nothing for a key that is there already, or whose kind is not indexed. */
  add(key: string): void {
    if (!this.#has(key)) return;
    let branch = this.#root;
    let at = 0;
    for (let depth = 0; depth < DEPTH; depth += 1) {
      const end = key.indexOf(':', at) + 1;
      if (end === 0) break;
      const part = key.slice(at, end);
      let next = branch.get(part);
      if (next === undefined) branch.set(part, (next = new Map()));
      branch = next as Branch;
      at = end;
    }
    branch.set(key.slice(at), key);
  }

  delete(key: string): void {
    if (this.#has(key)) remove(this.#root, key, 0, DEPTH);
  }

  /** Whether keys of this kind are indexed. */
  #has(key: string): boolean {
    return this.#hasAll || this.#kinds.has(kindOf(key) ?? '');
  }

  /** Calls `run` for each indexed key with the prefix, in no order. Meanwhile only the key it was called for may be deleted. */
  visit(prefix: string, run: (key: string) => void): void {
    let branch = this.#root;
    let at = 0;
    for (let depth = 0; depth < DEPTH; depth += 1) {
      const end = prefix.indexOf(':', at) + 1;
      if (end === 0) break;
      const next = branch.get(prefix.slice(at, end));
      if (next === undefined) return;
      branch = next as Branch;
      at = end;
    }
    const rest = prefix.slice(at);
    for (const [part, found] of branch) {
      if (typeof found === 'string') {
        if (found.startsWith(prefix)) run(found);
      } else if (part.startsWith(rest)) visitAll(found, run);
    }
  }
}

/** The first two parts of a key or prefix; most searches name at least these. `undefined` for a text with fewer parts. */
function kindOf(text: string): string | undefined {
  const first = text.indexOf(':');
  const second = first < 0 ? -1 : text.indexOf(':', first + 1);
  return second < 0 ? undefined : text.slice(0, second + 1);
}

function visitAll(branch: Branch, run: (key: string) => void): void {
  for (const found of branch.values()) {
    if (typeof found === 'string') run(found);
    else visitAll(found, run);
  }
}

/** Removes a key, and the branches that it leaves empty. */
function remove(branch: Branch, key: string, at: number, depth: number): void {
  const end = depth === 0 ? 0 : key.indexOf(':', at) + 1;
  if (end === 0) return void branch.delete(key.slice(at));
  const part = key.slice(at, end);
  const next = branch.get(part);
  if (next === undefined) return;
  remove(next as Branch, key, end, depth - 1);
  if ((next as Branch).size === 0) branch.delete(part);
}
