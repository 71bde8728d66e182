import type { Clock } from '../../../peer/clock.ts';
import { refuseRace } from '../../../stores/races.ts';
import { asJson, type Store, type StoredRecord } from '../../../stores/store.ts';
import { settlementOf } from '../../idempotency/kept-settlement.ts';
import { Turns } from '../../idempotency/turns.ts';
import { StoredTurns } from '../../stored/stored-turns.ts';
import { isNextRound, type BroughtBack, type Claimed, type KeptCall, type KeptSteps, type Ledger } from './ledger.ts';
import { StoredRun, readCall } from './stored-run.ts';
import { stateRefused } from '../seals/sealer.ts';

export interface StoredLedgerSetup {
  readonly store: Store;
  readonly clock: Clock;
  /** Lifetime of a state in milliseconds. */
  readonly ttlMs: number;
  /** Whether each state may be brought back only once. */
  readonly singleUse: boolean;
}

/** A record outlives its state by this much, so that an expired state is refused as expired. */
const MARGIN_MS = 1000;

/** The ledger of all processes that share a store. */
export class StoredLedger implements Ledger {
  readonly #setup: StoredLedgerSetup;
  readonly #turns: Turns;
  readonly #elsewhere: StoredTurns;

  constructor(setup: StoredLedgerSetup) {
    this.#setup = setup;
    this.#turns = new Turns(setup.clock);
    this.#elsewhere = new StoredTurns(setup.store, setup.clock, true);
  }

  get #keepMs(): number {
    return this.#setup.ttlMs + MARGIN_MS;
  }

  async open(call: string, leftBy: string): Promise<void> {
    const kept: KeptCall = { n: 0 };
    await this.#setup.store.put(ledgerKey(call), asJson(kept), { ttlMs: this.#keepMs, leftBy });
  }

  async claim(back: BroughtBack): Promise<Claimed> {
    const { store } = this.#setup;
    const key = ledgerKey(back.call);
    for (let races = 0; ; races += 1) {
      refuseRace(races);
      const found = await store.get(key);
      const kept = readCall(found?.value);
      const isNext = isNextRound(kept, back);
      if (!isNext && this.#setup.singleUse) throw stateRefused('it was used before');
      if (!isNext && kept?.end !== undefined) return { settlement: settlementOf(kept.end), steps: kept.s ?? {} };
      const run = await this.#begin(key, back, { found, steps: isNext ? undefined : kept?.s });
      if (run !== undefined) return run;
    }
  }

  /** Begins a run; `undefined` when another run was faster: the record may have changed. */
  async #begin(
    key: string,
    back: BroughtBack,
    { found, steps }: { found: StoredRecord | undefined; steps: KeptSteps | undefined },
  ): Promise<StoredRun | undefined> {
    const { store, clock } = this.#setup;
    const { round, answers, leftBy } = back;
    const waiting = {
      ms: Number.POSITIVE_INFINITY,
      signal: back.signal,
      isPending: async () => (await store.get(key))?.version === found?.version,
    };
    const turn = await this.#turns.take(key, waiting, this.#elsewhere);
    if (turn === undefined) return undefined;
    const kept: KeptCall = { n: round, a: answers, by: crypto.randomUUID(), ...(steps && { s: steps }) };
    const run = new StoredRun(kept, { store, clock, key, turn, ttlMs: this.#keepMs, leftBy });
    return (await run.begin(found?.version ?? null)) ? run : undefined;
  }
}

function ledgerKey(call: string): string {
  return `asking:${call}`;
}
