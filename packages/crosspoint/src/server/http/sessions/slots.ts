import { Shares, type Holding } from '../../../stores/shares.ts';

/**
 * A limited number of places that callers take, such as sessions or streams. When all are taken, a caller who has fewer than the caller who has the
 * most gets the place that the latter has used longest ago; so no caller loses a place to another that has as many.
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

  /** Whether there is a place for a caller; `reserved` are taken by holdings that are still to come. The place of another may be taken away for it. */
  hasRoom(caller: string, reserved = 0): boolean {
    if (this.#shares.size + reserved < this.#max) return true;
    return this.takeFromMost(caller) && this.#shares.size + reserved < this.#max;
  }

  /** Takes a place away from the caller who has the most; false when that is hardly more than this caller has. */
  takeFromMost(caller: string): boolean {
    const { most } = this.#shares;
    if (most?.oldest === undefined || most.size <= this.#shares.sizeOf(caller) + 1) return false;
    most.oldest.keeper.shed(most.oldest);
    return true;
  }

  take(caller: string, holding: Holding): void {
    this.#shares.hold(caller, holding, 1);
  }

  /** A place was used: its caller's others go first. */
  use(holding: Holding): void {
    this.#shares.use(holding, 1);
  }

  release(holding: Holding): void {
    this.#shares.release(holding);
  }
}
