import type { CallCounts } from '../../peer/call-counts.ts';
import type { Clock } from '../../peer/clock.ts';
import { SharedLimits } from '../../peer/shared-limits.ts';
import type { Store, StoreServing } from '../../stores/store.ts';
import { StoredLedger } from '../asking/replay/stored-ledger.ts';
import { Nodes } from '../http/nodes/nodes.ts';
import { StoredSessions } from '../http/sessions/stored-sessions.ts';
import { keepState, keptState } from './kept-states.ts';
import type { Serving } from './serving.ts';
import { StoredTurns } from './stored-turns.ts';

const limitsOf = new WeakMap<CallCounts, WeakMap<Store, SharedLimits>>();

function sharedLimits(
  counts: CallCounts,
  store: Store,
  clock: Clock,
  onproblem: (problem: Error) => void,
): SharedLimits {
  const known = limitsOf.get(counts) ?? new WeakMap<Store, SharedLimits>();
  const limits = known.get(store) ?? new SharedLimits(store, clock, onproblem);
  limitsOf.set(counts, known.set(store, limits));
  return limits;
}

const parts: Serving = {
  turns: (store, clock, isShared) => new StoredTurns(store, clock, isShared),
  limits: sharedLimits,
  ledger: (setup) => new StoredLedger(setup),
  keepState,
  keptState,
  nodes: (options) => new Nodes(options),
  sessions: (here, options) => new StoredSessions(here, options),
};

/**
 * The code of servers that work on a store. `memoryStore`, `sqliteStore` and `redisStore` bring it; a store of your own names it:
 *
 * ```ts
 * class MyStore implements Store {
 *   readonly serving = storeServing;
 *   // …
 * }
 * ```
 */
export const storeServing: StoreServing = parts;
