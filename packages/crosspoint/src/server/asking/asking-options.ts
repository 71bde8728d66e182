import type { Store } from '../../stores/store.ts';
import { secretRing, type Secret } from '../../runtime/secret.ts';
import { servingOf } from '../stored/serving.ts';

/**
 * How calls ask clients without a live connection. The table "When a state comes back twice" of the guide to asking (`docs/guide/asking.md`) shows the
 * effect of these options on a state that is sent twice: with none of them, or with a `store`, it acts once.
 */
export interface AskingOptions {
  /**
   * Secrets of at least 32 bytes, as text or bytes (`createSecret()` makes one), that seal the state that clients carry between rounds: the first seals, all
   * open. Without them every process has its own: a call that was asked something by one process then cannot continue in another. Programs with several
   * processes must share these, and a `store`: without one, a step runs again with each copy of a state, always with the same `idempotencyKey`.
   *
   * ```ts
   * new McpServer(info, { asking: { keys: [process.env.ASKING_SECRET] } });
   * ```
   */
  readonly keys?: readonly Secret[];
  /** Milliseconds that a client has to answer: to come back, or over a live connection where the question sets no time of its own. 10 minutes when absent. */
  readonly ttlMs?: number;
  /** Rounds of questions in one call. 10 when absent. */
  readonly maxRounds?: number;
  /** Keeps the outcomes of calls that asked, and large states. */
  readonly store?: Store;
  /** Refuses a state that comes back a second time, instead of repeating its outcome; needs the store. */
  readonly singleUse?: boolean;
  /** Longest state in bytes that a client is asked to carry. 16 KiB when absent. */
  readonly maxStateBytes?: number;
  /**
   * Milliseconds that a handler which does something new, when it runs again, has to repeat everything it did before; after that it counts as
   * diverged. 1,000 when absent.
   */
  readonly replayGraceMs?: number;
}

/** The limits of asking, with defaults filled in. */
export interface RoundLimits {
  readonly ttlMs: number;
  readonly maxRounds: number;
  /** Milliseconds that a replay may take to repeat everything it did before. */
  readonly graceMs: number;
  readonly store: Store | undefined;
}

/** Throws for options that cannot work, so that the constructor refuses them and not the first question. */
export function roundLimits(options: AskingOptions): RoundLimits {
  const { keys, ttlMs = 600_000, maxRounds = 10, store, singleUse, replayGraceMs = 1000 } = options;
  if (keys !== undefined) secretRing(keys, 'asking.keys');
  if (singleUse && store === undefined)
    throw new TypeError('asking.singleUse needs asking.store, which remembers the states that were used.');
  if (store) servingOf(store);
  return { ttlMs, maxRounds, graceMs: replayGraceMs, store };
}
