import { isJsonObject } from '../jsonrpc/message.ts';
import type { Clock } from '../peer/clock.ts';
import type { Json, Store } from '../stores/store.ts';
import type { Settlement } from './asking/asker.ts';
import { isSuspension } from './asking/suspension.ts';
import { recordOf, type KeyedRecord } from './keyed-record.ts';

export interface ClaimSetup {
  readonly store: Store;
  readonly clock: Clock;
  readonly id: string;
  readonly ttlMs: number;
  /** How long the claim holds without a sign of life; absent where the store dies with the process. */
  readonly leaseMs: number | undefined;
  /** What was kept of the call before: the round that asked. */
  readonly before: Json | undefined;
  /** Whether there is room for an outcome of this length. */
  mayKeep(bytes: number): boolean;
  onproblem(problem: Error): void;
}

/** The right to carry out a call with a key, and the duty to say what became of it. */
export class Claim {
  /** Resolves once what became of the call is kept. */
  readonly over: Promise<void>;
  readonly #running: KeyedRecord;
  readonly #setup: ClaimSetup;
  #end: () => void = () => {};
  #ended = false;
  /** Writes follow each other: a late sign of life must not bury the outcome. */
  #written: Promise<unknown> = Promise.resolve();
  #timer: unknown;

  constructor(running: KeyedRecord, setup: ClaimSetup) {
    this.#running = running;
    this.#setup = setup;
    this.over = new Promise((resolve) => (this.#end = resolve));
    this.#scheduleSign();
  }

  /**
   * Keeps what the call came to; the first word counts. A call that was cancelled, or whose client was lost, and that then failed is forgotten:
   * it stopped because nobody waited, and whoever asks again wants it done.
   */
  keep(settlement: Settlement, aborted: boolean): void {
    // The round that closes says what the call came to.
    if (this.#ended || (settlement.kind === 'ended' && !settlement.ended.ok && isSuspension(settlement.ended.error)))
      return;
    this.#ended = true;
    this.#setup.clock.clearTimeout(this.#timer);
    const write =
      (aborted && hasFailed(settlement)) || wasRefused(settlement)
        ? () => this.#forget()
        : () => this.#remember(settlement);
    void this.#queue(write).then(() => this.#end());
  }

  async #remember(settlement: Settlement): Promise<void> {
    const { store, id, ttlMs, mayKeep } = this.#setup;
    const record = recordOf(settlement, this.#running);
    const { call, round } = record;
    const fits = mayKeep(JSON.stringify(record).length);
    await store.put(id, fits ? record : { call, round, state: 'unkept' }, { ttlMs });
    await store.publish(id, null);
  }

  async #forget(): Promise<void> {
    const { store, id, ttlMs, before } = this.#setup;
    await (before === undefined ? store.delete(id) : store.put(id, before, { ttlMs }));
    await store.publish(id, null);
  }

  #scheduleSign(): void {
    const { clock, leaseMs = Number.POSITIVE_INFINITY, ttlMs } = this.#setup;
    this.#timer = clock.setTimeout(
      () => {
        void this.#queue(() => this.#sign());
        this.#scheduleSign();
      },
      Math.min(leaseMs / 3, ttlMs / 2),
    );
    // A call that runs keeps its process alive by itself.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** A call may run for longer than outcomes are remembered. */
  async #sign(): Promise<void> {
    if (this.#ended) return;
    const { store, clock, id, ttlMs, leaseMs } = this.#setup;
    const until = leaseMs === undefined ? {} : { until: clock.now() + leaseMs };
    await store.put(id, { ...this.#running, ...until }, { ttlMs });
  }

  #queue(write: () => Promise<void>): Promise<void> {
    const written = this.#written
      .then(write)
      .catch((error: unknown) => this.#setup.onproblem(error instanceof Error ? error : new Error(String(error))));
    this.#written = written;
    return written;
  }
}

function hasFailed(settlement: Settlement): boolean {
  if (settlement.kind !== 'ended') return settlement.kind === 'failed';
  const { ended } = settlement;
  return !ended.ok || (isJsonObject(ended.value) && ended.value['isError'] === true);
}

/** The state of a round that cannot be opened: nothing was carried out. */
function wasRefused(settlement: Settlement): boolean {
  return (
    settlement.kind === 'failed' &&
    settlement.error instanceof Error &&
    'kind' in settlement.error &&
    settlement.error.kind === 'state-refused'
  );
}
