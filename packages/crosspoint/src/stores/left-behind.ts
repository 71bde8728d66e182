import { Shares, type Holding } from './shares.ts';

export interface LeftBehindOptions {
  /** Bytes that all callers together may leave behind. 64 MiB when absent. */
  readonly maxBytes?: number;
  /** Bytes that one caller may leave behind. A quarter of `maxBytes` when absent. */
  readonly maxBytesPerCaller?: number;
}

const MIB = 1024 * 1024;

/**
 * Counts the bytes that callers leave behind in memory, and has the oldest dropped beyond the limits. A caller beyond its own limit loses its own
 * oldest. When all callers together are beyond theirs, the caller with the most bytes does; so a caller with less than an equal share
 * loses nothing.
 */
export class LeftBehind {
  readonly #max: number;
  readonly #maxPerCaller: number;
  readonly #shares = new Shares();

  constructor({ maxBytes = 64 * MIB, maxBytesPerCaller = maxBytes / 4 }: LeftBehindOptions = {}) {
    this.#max = maxBytes;
    this.#maxPerCaller = maxBytesPerCaller;
  }

  get bytes(): number {
    return this.#shares.size;
  }

  bytesOf(caller: string): number {
    return this.#shares.sizeOf(caller);
  }

  /** Whether a caller may leave this many more bytes behind before its own oldest are dropped. */
  mayHold(caller: string, bytes: number): boolean {
    return this.#shares.sizeOf(caller) + bytes <= this.#maxPerCaller;
  }

  /** Counts something new of a caller. May drop older things, or this one at once when it alone exceeds its caller's limit. */
  hold(caller: string, holding: Holding, bytes: number): void {
    this.#shares.hold(caller, holding, bytes);
    this.#makeRoom(holding);
  }

  /** Counts the new size of something that was written again. May drop something, as `hold` does. */
  write(holding: Holding, bytes: number): void {
    this.#shares.use(holding, bytes);
    this.#makeRoom(holding);
  }

  /** Counts the new size of something that became smaller. */
  shrink(holding: Holding, bytes: number): void {
    this.#shares.shrink(holding, bytes);
  }

  release(holding: Holding): void {
    this.#shares.release(holding);
  }

  #makeRoom({ share }: Holding): void {
    if (share === undefined) return;
    while (share.oldest && share.size > this.#maxPerCaller) share.oldest.keeper.shed(share.oldest);
    while (this.#shares.size > this.#max) {
      const oldest = this.#shares.most?.oldest;
      if (oldest === undefined) return;
      oldest.keeper.shed(oldest);
    }
  }
}
