/** Keeps what callers leave behind, in pieces that have names. */
export interface Keeper {
  /** Drops the oldest part of a piece, and says so with `shrink` or `release`. */
  shed(name: string): void;
}

/** A piece that a caller has left behind, as the ledger counts it. */
export interface Holding {
  readonly keeper: Keeper;
  readonly name: string;
  readonly account: Account;
  bytes: number;
  older: Holding | undefined;
  newer: Holding | undefined;
}

/** Everything that one caller has left behind, from the piece that was written longest ago to the one that was written last. */
interface Account {
  readonly caller: string;
  bytes: number;
  oldest: Holding | undefined;
  newest: Holding | undefined;
  /** The index in the heap. */
  place: number;
}

export interface LeftBehindOptions {
  /** How many bytes all callers together may leave behind. 64 MiB when absent. */
  readonly maxBytes?: number;
  /** How many bytes one caller may leave behind. A quarter of `maxBytes` when absent. */
  readonly maxBytesPerCaller?: number;
}

const MIB = 1024 * 1024;

/**
 * Counts what callers leave behind in memory, and has the oldest dropped when it is too much. A caller beyond its own limit loses its own oldest
 * pieces. When all callers together are beyond theirs, the caller who holds the most does: so nobody loses anything who holds less than an
 * equal share. Every operation costs the logarithm of the number of callers.
 */
export class LeftBehind {
  readonly #max: number;
  readonly #maxPerCaller: number;
  readonly #accounts = new Map<string, Account>();
  /** A binary heap with the caller who holds the most at its top. */
  readonly #heap: Account[] = [];
  #bytes = 0;

  constructor({ maxBytes = 64 * MIB, maxBytesPerCaller = maxBytes / 4 }: LeftBehindOptions = {}) {
    this.#max = maxBytes;
    this.#maxPerCaller = maxBytesPerCaller;
  }

  get bytes(): number {
    return this.#bytes;
  }

  bytesOf(caller: string): number {
    return this.#accounts.get(caller)?.bytes ?? 0;
  }

  /** Counts a new piece. It may be shed before this returns, when it is larger than its caller's limit. */
  hold(caller: string, keeper: Keeper, name: string): Holding {
    let account = this.#accounts.get(caller);
    if (account === undefined) {
      account = { caller, bytes: 0, oldest: undefined, newest: undefined, place: this.#heap.length };
      this.#accounts.set(caller, account);
      this.#heap.push(account);
    }
    const holding: Holding = { keeper, name, account, bytes: 0, older: undefined, newer: undefined };
    link(holding);
    return holding;
  }

  /** A piece was written and has so many bytes now: it is its caller's newest. May shed pieces of any caller, also this one. */
  write(holding: Holding, bytes: number): void {
    const { account } = holding;
    if (account.newest !== holding) {
      unlink(holding);
      link(holding);
    }
    this.#count(holding, bytes);
    while (account.bytes > this.#maxPerCaller && account.oldest) this.#shed(account.oldest);
    while (this.#bytes > this.#max) {
      const oldest = this.#heap[0]?.oldest;
      if (oldest === undefined) return;
      this.#shed(oldest);
    }
  }

  /** A piece has lost some of its bytes. */
  shrink(holding: Holding, bytes: number): void {
    this.#count(holding, bytes);
  }

  /** A piece is gone. */
  release(holding: Holding): void {
    const { account } = holding;
    this.#count(holding, 0);
    unlink(holding);
    if (account.oldest !== undefined) return;
    this.#accounts.delete(account.caller);
    this.#removeFromHeap(account);
  }

  #shed(holding: Holding): void {
    holding.keeper.shed(holding.name);
  }

  #count(holding: Holding, bytes: number): void {
    const more = bytes - holding.bytes;
    if (more === 0) return;
    const { account } = holding;
    holding.bytes = bytes;
    account.bytes += more;
    this.#bytes += more;
    if (more > 0) this.#rise(account);
    else this.#sink(account);
  }

  // ---- the heap

  #rise(account: Account): void {
    while (account.place > 0) {
      const parent = this.#heap[(account.place - 1) >> 1];
      if (parent === undefined || parent.bytes >= account.bytes) return;
      this.#swap(parent, account);
    }
  }

  #sink(account: Account): void {
    for (;;) {
      const left = this.#heap[2 * account.place + 1];
      const right = this.#heap[2 * account.place + 2];
      const child = left && right && right.bytes > left.bytes ? right : left;
      if (child === undefined || child.bytes <= account.bytes) return;
      this.#swap(account, child);
    }
  }

  #swap(upper: Account, lower: Account): void {
    const { place } = upper;
    this.#heap[lower.place] = upper;
    this.#heap[place] = lower;
    upper.place = lower.place;
    lower.place = place;
  }

  #removeFromHeap(account: Account): void {
    const last = this.#heap.pop();
    if (last === undefined || last === account) return;
    last.place = account.place;
    this.#heap[last.place] = last;
    this.#rise(last);
    this.#sink(last);
  }
}

/** Makes a piece its caller's newest. */
function link(holding: Holding): void {
  const { account } = holding;
  holding.older = account.newest;
  holding.newer = undefined;
  if (account.newest) account.newest.newer = holding;
  else account.oldest = holding;
  account.newest = holding;
}

function unlink(holding: Holding): void {
  const { account, older, newer } = holding;
  if (older) older.newer = newer;
  else account.oldest = newer;
  if (newer) newer.older = older;
  else account.newest = older;
}
