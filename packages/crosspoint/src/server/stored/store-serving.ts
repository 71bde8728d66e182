import type { CallCounts } from '../../peer/call-counts.ts';
import type { Clock } from '../../peer/clock.ts';
import { SharedLimits } from '../../peer/shared-limits.ts';
import type { Store, StoreServing } from '../../stores/store.ts';
import { sharedEvents } from '../../transports/http/server/sessions/shared-events.ts';
import { storedEvents } from '../../transports/http/server/sessions/stored-events.ts';
import { StoredLedger } from '../asking/replay/stored-ledger.ts';
import { Nodes } from '../http/nodes/nodes.ts';
import { SessionRecords } from '../http/sessions/session-records.ts';
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
  nodes: (options) => new Nodes(options),
  sessionRecords: (core, store, idleMs) => new SessionRecords(core, store, idleMs),
  sessionEvents: (store, session, options, isShared) =>
    (isShared ? sharedEvents : storedEvents)(store, session, options),
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
