import type { Clock } from '../../peer/clock.ts';
import type { CallCounts } from '../../peer/call-counts.ts';
import type { SharedLimits } from '../../peer/shared-limits.ts';
import type { Store } from '../../stores/store.ts';
import type { Ledger } from '../asking/replay/ledger.ts';
import type { RoundRules } from '../asking/replay/round-state.ts';
import type { StoredLedgerSetup } from '../asking/replay/stored-ledger.ts';
import type { Nodes, NodesOptions } from '../http/nodes/nodes.ts';
import type { SessionsHere, StoredSessions, StoredSessionsOptions } from '../http/sessions/stored-sessions.ts';
import type { TurnsElsewhere } from '../idempotency/turns.ts';

/**
 * The parts of a server that work on a store. The store brings them, as its `serving`, so that a server without a store carries none of them: 7 kB gzip over
 * HTTP, 2 over stdio.
 */
export interface Serving {
  /** Turns among the processes that share the store, or in the one that uses it. */
  turns(store: Store, clock: Clock, isShared: boolean): TurnsElsewhere;
  /** Counts the calls of callers in all processes: one object for each store, for the servers with these counts. */
  limits(counts: CallCounts, store: Store, clock: Clock, onproblem: (problem: Error) => void): SharedLimits;
  /** Records the rounds of calls that ask. */
  ledger(setup: StoredLedgerSetup): Ledger;
  /** Stores a state that is too long for the client to carry; returns the one that it carries. */
  keepState(store: Store, rules: RoundRules, sealed: string): Promise<string>;
  /** The state that an opened one stands for. */
  keptState(store: Store, rules: RoundRules, opened: unknown): Promise<unknown>;
  /** This process among the nodes that share the store. */
  nodes(options: NodesOptions): Nodes;
  /** The sessions in the store. */
  sessions(here: SessionsHere, options: StoredSessionsOptions): StoredSessions;
}

/** The parts that a store brings. Throws for a store that brings none. */
export function servingOf({ serving }: Store): Serving {
  if (serving === undefined)
    throw new TypeError(
      "This store lacks the code of servers that use it: give it the member `serving: storeServing`, of 'crosspoint/stores'.",
    );
  return serving as Serving;
}
