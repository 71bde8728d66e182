import { firstIndex } from '../runtime/first-index.ts';

/** Keys split at colons: each part leads to a further branch, and the rest of a key is a leaf. */
type Branch = Map<string, Branch | string>;

/** The keys of a branch in order. Keys that are gone stay, until they are more than the others. */
interface Order {
  readonly keys: string[];
  gone: number;
}

/** Of the branches that have been read page by page. */
const orders = new WeakMap<Branch, Order>();

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
    const leaf = key.slice(at);
    if (branch.has(leaf)) return;
    branch.set(leaf, key);
    const order = orders.get(branch);
    if (order) insert(order, key);
  }

  delete(key: string): void {
    if (this.#has(key)) remove(this.#root, key, 0, DEPTH);
  }

  /** Whether keys of this kind are indexed. */
  #has(key: string): boolean {
    return this.#hasAll || this.#kinds.has(kindOf(key) ?? '');
  }

  /**
   * The first keys with a prefix after a key, in order, for which `has` holds. A page costs what is on it, however many keys there are. `undefined` for a prefix
   * that is not exactly one branch of leaves.
   */
  page(
    prefix: string,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
    has: (key: string) => boolean,
  ): string[] | undefined {
    const [branch, rest, depth] = this.#descend(prefix);
    if (rest !== '' || depth < DEPTH) return undefined;
    const page: string[] = [];
    if (branch === undefined) return page;
    let order = orders.get(branch);
    if (order === undefined) orders.set(branch, (order = { keys: ([...branch.values()] as string[]).sort(), gone: 0 }));
    const { keys } = order;
    const start = after === undefined ? 0 : indexAfter(keys, after);
    for (let at = start; at < keys.length && page.length < limit; at += 1) {
      const key = keys[at];
      if (key !== undefined && has(key)) page.push(key);
    }
    return page;
  }

  /** The branch that the whole parts of a prefix lead to, the rest of the prefix, and the number of those parts. */
  #descend(prefix: string): [branch: Branch | undefined, rest: string, depth: number] {
    let branch: Branch | undefined = this.#root;
    let at = 0;
    let depth = 0;
    for (; depth < DEPTH; depth += 1) {
      const end = prefix.indexOf(':', at) + 1;
      if (end === 0) break;
      branch = branch?.get(prefix.slice(at, end)) as Branch | undefined;
      at = end;
    }
    return [branch, prefix.slice(at), depth];
  }

  /** Calls `run` for each indexed key with the prefix, in no order. Meanwhile only the key it was called for may be deleted. */
  visit(prefix: string, run: (key: string) => void): void {
    const [branch, rest] = this.#descend(prefix);
    if (branch === undefined) return;
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

function indexAfter(keys: readonly string[], key: string): number {
  return firstIndex(keys.length, (index) => (keys[index] ?? '') > key);
}

/** Puts a key in its place, which is near the end for keys that begin with a time. */
function insert(order: Order, key: string): void {
  const { keys } = order;
  const at = indexAfter(keys, key);
  if (keys[at - 1] === key) order.gone -= 1;
  else if (at === keys.length) keys.push(key);
  else keys.splice(at, 0, key);
}

/** Notes that a key is gone. An order with more such keys than others is made anew when it is next needed, which costs less than they did. */
function leave(branch: Branch): void {
  const order = orders.get(branch);
  if (order === undefined) return;
  order.gone += 1;
  if (2 * order.gone > order.keys.length) orders.delete(branch);
}

/** Removes a key, and the branches that it leaves empty. */
function remove(branch: Branch, key: string, at: number, depth: number): void {
  const end = depth === 0 ? 0 : key.indexOf(':', at) + 1;
  if (end === 0) {
    if (branch.delete(key.slice(at))) leave(branch);
    return;
  }
  const part = key.slice(at, end);
  const next = branch.get(part);
  if (next === undefined) return;
  remove(next as Branch, key, end, depth - 1);
  if ((next as Branch).size === 0) branch.delete(part);
}
