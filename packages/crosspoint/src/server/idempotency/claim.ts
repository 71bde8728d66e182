import type { Clock } from '../../peer/clock.ts';
import { asError, attempt } from '../../runtime/guard.ts';
import type { Json, Store } from '../../stores/store.ts';
import type { Settlement } from '../asking/asker.ts';
import { isSuspension } from '../asking/suspension.ts';
import { isNoEnd, keptSettlement } from './kept-settlement.ts';
import type { KeyedRecord } from './keyed-record.ts';
import { persist } from './persist.ts';
import type { Turn } from './turns.ts';

export interface ClaimSetup {
  readonly store: Store;
  readonly clock: Clock;
  readonly id: string;
  readonly ttlMs: number;
  /** Whom the outcome counts for once it is kept. */
  readonly leftBy: string;
  readonly turn: Turn;
  /** What was kept of the call before: the round that asked. */
  readonly before: Json | undefined;
  /** Whether there is room for an outcome of this length. */
  readonly mayKeep: (bytes: number) => boolean;
  readonly onproblem: (problem: Error) => void;
}

/** The right to carry out a call with a key, and the duty to say what became of it. */
export class Claim {
  readonly #running: KeyedRecord;
  readonly #setup: ClaimSetup;
  #ended = false;
  #timer: unknown;

  constructor(running: KeyedRecord, setup: ClaimSetup) {
    this.#running = running;
    this.#setup = setup;
    this.#stayKnown();
  }

  /** Keeps what the call came to, or forgets the call where that was no end; the first word counts. */
  keep(settlement: Settlement, aborted: boolean): void {
    // The round that closes says what the call came to.
    if (this.#ended || (settlement.kind === 'ended' && !settlement.ended.ok && isSuspension(settlement.ended.error)))
      return;
    this.#ended = true;
    this.#setup.clock.clearTimeout(this.#timer);
    const { call, round } = this.#running;
    const record = isNoEnd(settlement, aborted)
      ? undefined
      : this.#fitting({ call, round, ...keptSettlement(settlement) });
    void persist(() => (record === undefined ? this.#forget() : this.#remember(record)), this.#setup.clock)
      .catch((error: unknown) => this.#problem(error))
      .then(() => this.#setup.turn.leave());
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
      attempt(() => store.touch(id, ttlMs), this.#setup.onproblem);
      this.#stayKnown();
    }, ttlMs / 2);
    // It is the call that keeps its process alive, or nothing.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #problem(error: unknown): void {
    this.#setup.onproblem(asError(error));
  }
}
