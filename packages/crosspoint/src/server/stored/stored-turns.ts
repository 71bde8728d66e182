import type { Clock } from '../../peer/clock.ts';
import { attempt } from '../../runtime/guard.ts';
import { acquireLease, leaseHolder } from '../../stores/lease.ts';
import type { Store } from '../../stores/store.ts';
import { persist } from '../idempotency/persist.ts';
import { waitIn, type Turn, type TurnsElsewhere, type Waiting } from '../idempotency/turns.ts';

/** Milliseconds without a sign of life after which a process counts as lost. */
const LEASE_MS = 30_000;
const POLL_MS = 1000;

/** The turns of all processes that share a store: a lease for each, and a channel of its name. `withLease` is false where only this process uses the store. */
export class StoredTurns implements TurnsElsewhere {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #withLease: boolean;

  constructor(store: Store, clock: Clock, withLease: boolean) {
    this.#store = store;
    this.#clock = clock;
    this.#withLease = withLease;
  }

  persist<T>(write: () => Promise<T>): Promise<T> {
    return persist(write, this.#clock);
  }

  async take(name: string, waiting: Waiting, over: () => void): Promise<Turn | undefined> {
    try {
      const options = { ttlMs: LEASE_MS, holder: null, timers: this.#clock };
      const lease = this.#withLease ? await acquireLease(this.#store, leaseOf(name), options) : undefined;
      if (!this.#withLease || lease !== undefined)
        return {
          lease,
          leave: async () => {
            await lease?.release().catch(() => {});
            over();
            // Those who wait elsewhere poll as well: a lost message only costs time.
            attempt(() => this.#store.publish(name, null), undefined);
          },
        };
      // All callers here wait for this one, so that only one of them asks the store for the lease.
      await this.wait(name, waiting);
    } catch (error) {
      over();
      throw error;
    }
    over();
    return undefined;
  }

  async isTaken(name: string): Promise<boolean> {
    return this.#withLease && (await leaseHolder(this.#store, leaseOf(name))) !== undefined;
  }

  /** Waits for a message on the channel of that name, up to a second at a time: messages may be lost. */
  async wait(name: string, { ms, signal, isPending }: Waiting): Promise<void> {
    let hasSpoken = false;
    const waiters = new Set<() => void>();
    const unsubscribe = await this.#store.subscribe(name, () => {
      hasSpoken = true;
      for (const wake of waiters) wake();
    });
    try {
      if ((await isPending()) && !hasSpoken) await waitIn(waiters, this.#clock, { ms: Math.min(ms, POLL_MS), signal });
    } finally {
      await unsubscribe();
    }
  }
}

function leaseOf(name: string): string {
  return `${name}:lease`;
}
