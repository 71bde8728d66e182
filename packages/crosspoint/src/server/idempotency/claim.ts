import type { Clock } from '../../peer/clock.ts';
import { asError, attempt } from '../../runtime/guard.ts';
import type { Json, Store } from '../../stores/store.ts';
import type { Settlement } from '../asking/asker.ts';
import { isSuspension } from '../asking/suspension.ts';
import { isNoEnd, keptSettlement } from './kept-settlement.ts';
import type { KeyedRecord } from './keyed-record.ts';
import type { Turn, TurnsElsewhere } from './turns.ts';

/** The part of a store that outcomes are recorded with. */
export type Records = Pick<Store, 'get' | 'put' | 'touch' | 'delete'>;

export interface ClaimSetup {
  readonly records: Records;
  readonly clock: Clock;
  readonly id: string;
  readonly ttlMs: number;
  /** The caller that the stored outcome counts for. */
  readonly leftBy: string;
  readonly turn: Turn;
  /** The processes that share the records, where there are any. */
  readonly elsewhere: TurnsElsewhere | undefined;
  /** The stored state of the previous round, the one that asked the client a question. */
  readonly before: Json | undefined;
  /** Whether there is room for an outcome of this many bytes. */
  readonly mayKeep: (bytes: number) => boolean;
  readonly onproblem: (problem: Error) => void;
}

/** The right to carry out a call with a key, and the duty to record its outcome. */
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

  /** Records the outcome of the call, or forgets the call where it may be repeated; only the first call of this method counts. */
  keep(settlement: Settlement, aborted: boolean): void {
    // A suspended call is recorded when its round closes.
    if (this.#ended || (settlement.kind === 'ended' && !settlement.ended.ok && isSuspension(settlement.ended.error)))
      return;
    this.#ended = true;
    this.#setup.clock.clearTimeout(this.#timer);
    const { call, round } = this.#running;
    const record = isNoEnd(settlement, aborted)
      ? undefined
      : this.#fitting({ call, round, ...keptSettlement(settlement) });
    const write = (): Promise<unknown> => this.#write(record);
    void (this.#setup.elsewhere?.persist(write) ?? write())
      .catch((error: unknown) => this.#setup.onproblem(asError(error)))
      .then(() => this.#setup.turn.leave());
  }

  /** The record; where it cannot be stored, only the fact that the call was carried out. Never throws. */
  #fitting(record: KeyedRecord): KeyedRecord {
    const { call, round } = record;
    let isKept = false;
    try {
      isKept = this.#setup.mayKeep(JSON.stringify(record).length);
    } catch {
      // A value that JSON cannot hold cannot be sent either; the caller gets an error.
    }
    return isKept ? record : { call, round, state: 'unkept' };
  }

  /** Stores the record; without one, the call becomes what it was before. */
  #write(record: Json | undefined): Promise<unknown> {
    const { records, id, ttlMs, before, leftBy } = this.#setup;
    const value = record ?? before;
    return value === undefined ? records.delete(id) : records.put(id, value, { ttlMs, leftBy });
  }

  /** Prolongs the record of a running call: it may run for longer than outcomes are remembered. */
  #stayKnown(): void {
    const { records, clock, id, ttlMs } = this.#setup;
    this.#timer = clock.setTimeout(() => {
      attempt(() => records.touch(id, ttlMs), this.#setup.onproblem);
      this.#stayKnown();
    }, ttlMs / 2);
    // The timer alone does not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }
}
