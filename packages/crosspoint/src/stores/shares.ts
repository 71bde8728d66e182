/** The owner of the things that callers hold; it can drop them. */
export interface Keeper {
  /** Drops a holding, or its oldest part, and then calls `release` or `shrink`. */
  shed(holding: Holding): void;
}

/** One thing that a caller holds. Its keeper makes the object, possibly with further members; these belong to `Shares`. */
export interface Holding {
  readonly keeper: Keeper;
  share: Share | undefined;
  size: number;
  older: Holding | undefined;
  newer: Holding | undefined;
}

/** A holding that belongs to no caller yet. */
export function newHolding(keeper: Keeper): Holding {
  return { keeper, share: undefined, size: 0, older: undefined, newer: undefined };
}

/** The holdings of one caller, from the least to the most recently used. */
export interface Share {
  readonly caller: string;
  size: number;
  oldest: Holding | undefined;
  newest: Holding | undefined;
  /** The index in the heap. */
  place: number;
}

/** Tracks how much each caller holds of a shared budget. Every operation takes at most O(log n) in the number of callers. */
export class Shares {
  readonly #byCaller = new Map<string, Share>();
  /** A binary heap: the caller with the most comes first. */
  readonly #heap: Share[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(caller: string): number {
    return this.#byCaller.get(caller)?.size ?? 0;
  }

  /** The caller with the most. */
  get most(): Share | undefined {
    return this.#heap[0];
  }

  /** Adds a holding to a caller, as its newest. */
  hold(caller: string, holding: Holding, size: number): void {
    let share = this.#byCaller.get(caller);
    if (share === undefined) {
      share = { caller, size: 0, oldest: undefined, newest: undefined, place: this.#heap.length };
      this.#byCaller.set(caller, share);
      this.#heap.push(share);
    }
    holding.share = share;
    link(share, holding);
    this.#count(share, holding, size);
  }

  /** Marks a holding as just used, with a new size: it becomes its caller's newest. */
  use(holding: Holding, size: number): void {
    const { share } = holding;
    if (share === undefined) return;
    if (share.newest !== holding) {
      unlink(share, holding);
      link(share, holding);
    }
    this.#count(share, holding, size);
  }

  /** Sets the new size of a holding that became smaller. */
  shrink(holding: Holding, size: number): void {
    if (holding.share) this.#count(holding.share, holding, size);
  }

  /** Removes a holding. Does nothing for one that no caller has. */
  release(holding: Holding): void {
    const { share } = holding;
    if (share === undefined) return;
    this.#count(share, holding, 0);
    unlink(share, holding);
    holding.share = undefined;
    if (share.oldest !== undefined) return;
    this.#byCaller.delete(share.caller);
    this.#remove(share);
  }

  #count(share: Share, holding: Holding, size: number): void {
    const more = size - holding.size;
    if (more === 0) return;
    holding.size = size;
    share.size += more;
    this.#size += more;
    if (more > 0) this.#rise(share);
    else this.#sink(share);
  }

  #rise(share: Share): void {
    while (share.place > 0) {
      const parent = this.#heap[(share.place - 1) >> 1];
      if (parent === undefined || parent.size >= share.size) return;
      this.#swap(parent, share);
    }
  }

  #sink(share: Share): void {
    for (;;) {
      const left = this.#heap[2 * share.place + 1];
      const right = this.#heap[2 * share.place + 2];
      const child = left && right && right.size > left.size ? right : left;
      if (child === undefined || child.size <= share.size) return;
      this.#swap(share, child);
    }
  }

  #swap(upper: Share, lower: Share): void {
    const { place } = upper;
    this.#heap[lower.place] = upper;
    this.#heap[place] = lower;
    upper.place = lower.place;
    lower.place = place;
  }

  #remove(share: Share): void {
    const last = this.#heap.pop();
    if (last === undefined || last === share) return;
    last.place = share.place;
    this.#heap[last.place] = last;
    this.#rise(last);
    this.#sink(last);
  }
}

function link(share: Share, holding: Holding): void {
  holding.older = share.newest;
  holding.newer = undefined;
  if (share.newest) share.newest.newer = holding;
  else share.oldest = holding;
  share.newest = holding;
}

function unlink(share: Share, holding: Holding): void {
  const { older, newer } = holding;
  if (older) older.newer = newer;
  else share.oldest = newer;
  if (newer) newer.older = older;
  else share.newest = older;
  holding.older = holding.newer = undefined;
}
