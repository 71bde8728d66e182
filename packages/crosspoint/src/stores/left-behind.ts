import { Shares, type Holding } from './shares.ts';

export interface LeftBehindOptions {
  /** How many bytes all callers together may leave behind. 64 MiB when absent. */
  readonly maxBytes?: number;
  /** How many bytes one caller may leave behind. A quarter of `maxBytes` when absent. */
  readonly maxBytesPerCaller?: number;
}

const MIB = 1024 * 1024;

/**
 * Counts the bytes that callers leave behind in memory, and has the oldest dropped when it is too much. A caller beyond its own limit loses its own
 * oldest. When all callers together are beyond theirs, the caller who holds the most does: so no caller loses anything who holds less than
 * an equal share.
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

  /** Whether a caller may leave so many bytes more behind before its own oldest go. */
  mayHold(caller: string, bytes: number): boolean {
    return this.#shares.sizeOf(caller) + bytes <= this.#maxPerCaller;
  }

  /** A caller leaves something new behind. May drop what others left, or this at once, when it alone is more than its caller may leave. */
  hold(caller: string, holding: Holding, bytes: number): void {
    this.#shares.hold(caller, holding, bytes);
    this.#makeRoom(holding);
  }

  /** What a caller left behind was written again, and has so many bytes now. May drop something, as `hold` does. */
  write(holding: Holding, bytes: number): void {
    this.#shares.use(holding, bytes);
    this.#makeRoom(holding);
  }

  /** It has fewer bytes now. */
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
