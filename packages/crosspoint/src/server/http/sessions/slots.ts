import { Shares, type Holding } from '../../../stores/shares.ts';

/**
 * A limited number of slots for callers, such as sessions or streams. When all are taken, a caller gets the least recently used slot of the caller with
 * the most, if it has fewer itself; so no caller loses a slot to one that has as many.
 */
export class Slots {
  readonly #max: number;
  readonly #shares = new Shares();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#shares.size;
  }

  /** Whether there is a slot for a caller; `reserved` slots are for holdings still to come. May take a slot away from another caller. */
  hasRoom(caller: string, reserved = 0): boolean {
    if (this.#shares.size + reserved < this.#max) return true;
    return this.takeFromMost(caller) && this.#shares.size + reserved < this.#max;
  }

  /** Takes a slot away from the caller with the most; false when this caller has about as many. */
  takeFromMost(caller: string): boolean {
    const { most } = this.#shares;
    if (most?.oldest === undefined || most.size <= this.#shares.sizeOf(caller) + 1) return false;
    most.oldest.keeper.shed(most.oldest);
    return true;
  }

  take(caller: string, holding: Holding): void {
    this.#shares.hold(caller, holding, 1);
  }

  /** Marks a slot as just used: the caller's others go first. */
  use(holding: Holding): void {
    this.#shares.use(holding, 1);
  }

  release(holding: Holding): void {
    this.#shares.release(holding);
  }
}
