import type { Clock } from '../../peer/clock.ts';
import { acquireLease, leaseHolder, type Lease } from '../../stores/lease.ts';
import type { Store } from '../../stores/store.ts';

/** The exclusive right to work on something. */
export interface Turn {
  /** Shows other processes that this one is alive; absent where there are none. */
  readonly lease: Lease | undefined;
  /** Gives the turn back. A lease that cannot be released expires by itself. Never rejects. */
  leave(): Promise<void>;
}

export interface Waiting {
  readonly ms: number;
  /** Ends the wait early, with its reason. */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Whether another process is still working; asked once its messages can no longer be missed. */
  readonly isPending: () => Promise<boolean>;
}

/** Milliseconds without a sign of life after which a process counts as lost. */
const LEASE_MS = 30_000;
const POLL_MS = 1000;

/** Lets one caller at a time work on a name, while the others wait: in this process and, with a lease, in all that share the store. */
export class Turns {
  readonly #clock: Clock;
  /** Callers that wait, by the name of the turn that is taken here. */
  readonly #taken = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the turn; `undefined` after a wait for another holder: check whether the work is still to be done. */
  async take(store: Store, name: string, withLease: boolean, waiting: Waiting): Promise<Turn | undefined> {
    const here = this.#taken.get(name);
    if (here !== undefined) {
      await waitIn(here, this.#clock, waiting);
      return undefined;
    }
    const waiters = new Set<() => void>();
    this.#taken.set(name, waiters);
    const over = (): void => {
      this.#taken.delete(name);
      for (const wake of waiters) wake();
    };
    try {
      const options = { ttlMs: LEASE_MS, holder: null, timers: this.#clock };
      const lease = withLease ? await acquireLease(store, leaseOf(name), options) : undefined;
      if (!withLease || lease !== undefined)
        return { lease, leave: async () => lease?.release().then(over, over) ?? over() };
      // All callers here wait for this one, so that only one of them asks the store for the lease.
      await this.#waitElsewhere(store, name, waiting);
    } catch (error) {
      over();
      throw error;
    }
    over();
    return undefined;
  }

  /** Whether another process that is alive has the turn. */
  async isTakenElsewhere(store: Store, name: string): Promise<boolean> {
    return (await leaseHolder(store, leaseOf(name))) !== undefined;
  }

  /** Waits until the turn may be free. */
  change(store: Store, name: string, waiting: Waiting): Promise<void> {
    const here = this.#taken.get(name);
    return here === undefined ? this.#waitElsewhere(store, name, waiting) : waitIn(here, this.#clock, waiting);
  }

  /** Waits for a message on the channel of that name, up to a second at a time: messages may be lost. */
  async #waitElsewhere(store: Store, name: string, { ms, signal, isPending }: Waiting): Promise<void> {
    let hasSpoken = false;
    const waiters = new Set<() => void>();
    const unsubscribe = await store.subscribe(name, () => {
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

/** Waits in a set until the owner of the set calls, the signal aborts, or the time is over. */
export function waitIn(
  waiters: Set<() => void>,
  clock: Clock,
  { ms = Number.POSITIVE_INFINITY, signal: signalOf }: Partial<Waiting>,
): Promise<void> {
  const signal = signalOf?.();
  return new Promise((resolve, reject) => {
    const settle = (how: () => void): void => {
      waiters.delete(wake);
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', left);
      how();
    };
    const wake = (): void => settle(resolve);
    const left = (): void => settle(() => reject(signal?.reason as Error));
    const timer = ms === Number.POSITIVE_INFINITY ? undefined : clock.setTimeout(wake, ms);
    if (signal?.aborted) return left();
    signal?.addEventListener('abort', left);
    waiters.add(wake);
  });
}

function leaseOf(name: string): string {
  return `${name}:lease`;
}
