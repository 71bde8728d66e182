import type { Store } from '../../stores/store.ts';
import type { SealingKey } from './seals/sealer.ts';

/**
 * How calls ask clients without a live connection. What a state that is sent twice does under these options is in the table "When a state comes
 * back twice" of the guide to asking (`docs/guide/asking.md`): with none of them, or with a `store`, it acts once.
 */
export interface AskingOptions {
  /**
   * Secrets that seal what clients carry between rounds; the first seals, all open. Without them every process has its own: a call that was
   * asked something by one process then cannot go on in another. Programs with several processes must share these, and a `store`: without
   * one, a step runs again with each copy of a state, always with the same `idempotencyKey`.
   */
  readonly keys?: readonly SealingKey[];
  /** How long a client may take to answer: to come back, or over a live connection where a question names no time of its own. 10 minutes when absent. */
  readonly ttlMs?: number;
  /** How often one call may ask. 10 when absent. */
  readonly maxRounds?: number;
  /** Where it is kept what became of calls that asked, and where large states are. */
  readonly store?: Store;
  /** Refuses a state that comes back a second time, rather than telling what it came to; needs the store. */
  readonly singleUse?: boolean;
  /** The longest state that a client is asked to carry. 16 KiB when absent. */
  readonly maxStateBytes?: number;
  /**
   * How long, once a call that runs again does something new, it may take to come to everything it did before; then it counts as having
   * taken another way. 1 second when absent.
   */
  readonly replayGraceMs?: number;
}

/** The bounds of asking, with everything filled in. */
export interface RoundLimits {
  readonly ttlMs: number;
  readonly maxRounds: number;
  /** How long a replay may take to come to everything it did before. */
  readonly graceMs: number;
  readonly store: Store | undefined;
}

export function roundLimits(options: AskingOptions): RoundLimits {
  const { ttlMs = 600_000, maxRounds = 10, store, singleUse, replayGraceMs = 1000 } = options;
  if (singleUse && store === undefined) throw new TypeError('asking: { singleUse } needs a store.');
  return { ttlMs, maxRounds, graceMs: replayGraceMs, store };
}
