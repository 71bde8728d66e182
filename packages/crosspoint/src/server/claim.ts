import { isJsonObject } from '../jsonrpc/message.ts';
import type { Clock } from '../peer/clock.ts';
import { isProtocolError } from '../protocol/errors.ts';
import type { Lease } from '../stores/lease.ts';
import { isStoreUnavailable } from '../stores/store-unavailable-error.ts';
import type { Json, Store } from '../stores/store.ts';
import type { Settlement } from './asking/asker.ts';
import { isSuspension } from './asking/suspension.ts';
import { recordOf, type KeyedRecord } from './keyed-record.ts';

export interface ClaimSetup {
  readonly store: Store;
  readonly clock: Clock;
  readonly id: string;
  readonly ttlMs: number;
  /** Whom the outcome counts for once it is kept. */
  readonly leftBy: string;
  /** Tells other processes that this one is alive; absent where there are none. */
  readonly lease: Lease | undefined;
  /** What was kept of the call before: the round that asked. */
  readonly before: Json | undefined;
  /** Whether there is room for an outcome of this length. */
  readonly mayKeep: (bytes: number) => boolean;
  readonly onproblem: (problem: Error) => void;
}

const PERSIST_TRIES = 20;
const PERSIST_PAUSE_MS = 1000;

/** The right to carry out a call with a key, and the duty to say what became of it. */
export class Claim {
  /** Resolves once what became of the call is kept. */
  readonly over: Promise<void>;
  readonly #running: KeyedRecord;
  readonly #setup: ClaimSetup;
  #end: () => void = () => {};
  #ended = false;
  #timer: unknown;

  constructor(running: KeyedRecord, setup: ClaimSetup) {
    this.#running = running;
    this.#setup = setup;
    this.over = new Promise((resolve) => (this.#end = resolve));
    this.#stayKnown();
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
    const forgets = (aborted && hasFailed(settlement)) || isNotYet(settlement);
    const record = forgets ? undefined : this.#fitting(recordOf(settlement, this.#running));
    void this.#persist(() => (record === undefined ? this.#forget() : this.#remember(record)))
      .then(() => this.#setup.lease?.release())
      .catch((error: unknown) => this.#problem(error))
      .then(() => this.#end());
  }

  /** A store that cannot be reached for a while must not cost the outcome. */
  async #persist(write: () => Promise<void>): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await write();
      } catch (error) {
        if (tried >= PERSIST_TRIES || !isStoreUnavailable(error)) throw error;
        await new Promise<void>((resolve) => this.#setup.clock.setTimeout(resolve, PERSIST_PAUSE_MS));
      }
    }
  }

  /** Of what cannot be kept, only that it was. Never throws. */
  #fitting(record: KeyedRecord): KeyedRecord {
    const { call, round } = record;
    let isKept = false;
    try {
      isKept = this.#setup.mayKeep(JSON.stringify(record).length);
    } catch {
      // What JSON cannot hold cannot be answered with either, which the caller is told.
    }
    return isKept ? record : { call, round, state: 'unkept' };
  }

  async #remember(record: KeyedRecord): Promise<void> {
    const { store, id, ttlMs, leftBy } = this.#setup;
    await store.put(id, record, { ttlMs, leftBy });
    await store.publish(id, null);
  }

  async #forget(): Promise<void> {
    const { store, id, ttlMs, before, leftBy } = this.#setup;
    await (before === undefined ? store.delete(id) : store.put(id, before, { ttlMs, leftBy }));
    await store.publish(id, null);
  }

  /** A call may run for longer than outcomes are remembered. */
  #stayKnown(): void {
    const { store, clock, id, ttlMs } = this.#setup;
    this.#timer = clock.setTimeout(() => {
      store.touch(id, ttlMs).catch((error: unknown) => this.#problem(error));
      this.#stayKnown();
    }, ttlMs / 2);
    // It is the call that keeps its process alive, or nothing.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #problem(error: unknown): void {
    this.#setup.onproblem(error instanceof Error ? error : new Error(String(error)));
  }
}

function hasFailed(settlement: Settlement): boolean {
  if (settlement.kind !== 'ended') return settlement.kind === 'failed';
  const { ended } = settlement;
  return !ended.ok || (isJsonObject(ended.value) && ended.value['isError'] === true);
}

/** What says of itself that it was not carried out, and may be later. */
const NOT_YET: ReadonlySet<string> = new Set(['state-refused', 'url-elicitation-required', 'rate-limited']);

function isNotYet(settlement: Settlement): boolean {
  const error =
    settlement.kind === 'failed'
      ? settlement.error
      : settlement.kind === 'ended' && !settlement.ended.ok
        ? settlement.ended.error
        : undefined;
  return isProtocolError(error) && NOT_YET.has(error.kind);
}
