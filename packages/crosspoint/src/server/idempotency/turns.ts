import type { Clock } from '../../peer/clock.ts';
import type { Lease } from '../../stores/lease.ts';

/** The exclusive right to work on something. */
export interface Turn {
  /** Shows other processes that this one is alive; absent where there are none. */
  readonly lease?: Lease | undefined;
  /** Gives the turn back, and wakes those who wait for it. A lease that cannot be released expires by itself. Never rejects. */
  leave(): Promise<void>;
}

export interface Waiting {
  readonly ms: number;
  /** Ends the wait early, with its reason. */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Whether another process is still working; asked once its messages can no longer be missed. */
  readonly isPending: () => Promise<boolean>;
}

/** Turns that are taken by other processes. The store that they share brings it. */
export interface TurnsElsewhere {
  /** Takes the turn among all processes; `undefined` after a wait for another holder. `over` gives it back to this process. */
  take(name: string, waiting: Waiting, over: () => void): Promise<Turn | undefined>;
  /** Whether another process that is alive has the turn. */
  isTaken(name: string): Promise<boolean>;
  /** Waits until the turn may be free. */
  wait(name: string, waiting: Waiting): Promise<void>;
  /** Writes to the store, and retries while it cannot be reached. */
  persist<T>(write: () => Promise<T>): Promise<T>;
}

/** Lets one caller at a time work on a name, while the others wait: in this process and, with `elsewhere`, in all that share a store. */
export class Turns {
  readonly #clock: Clock;
  /** Callers that wait, by the name of the turn that is taken here. */
  readonly #taken = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the turn; `undefined` after a wait for another holder: check whether the work is still to be done. */
  async take(name: string, waiting: Waiting, elsewhere: TurnsElsewhere | undefined): Promise<Turn | undefined> {
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
    return elsewhere ? elsewhere.take(name, waiting, over) : { leave: async () => over() };
  }

  /** Waits until the turn may be free. */
  async change(name: string, waiting: Waiting, elsewhere: TurnsElsewhere | undefined): Promise<void> {
    const here = this.#taken.get(name);
    await (here === undefined ? elsewhere?.wait(name, waiting) : waitIn(here, this.#clock, waiting));
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
