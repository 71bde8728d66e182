import type { Clock } from '../../../peer/clock.ts';
import type { LeftBehind } from '../../../stores/left-behind.ts';
import type { Holding, Keeper } from '../../../stores/shares.ts';
import { settlementOf, type KeptSettlement } from '../../idempotency/kept-settlement.ts';
import { waitIn } from '../../idempotency/turns.ts';
import {
  isNextRound,
  type BroughtBack,
  type Claimed,
  type KeptSteps,
  type LastRound,
  type Ledger,
  type RoundEnd,
  type RoundRun,
} from './ledger.ts';
import type { StepRecord } from '../steps.ts';

/** A call, as its last round left it, and what is counted of it. */
interface OwnCall extends Holding, LastRound {
  readonly name: string;
  readonly steps: KeptSteps;
  /** What the round came to: as text, which nobody who has the value can change. */
  readonly text: string;
  readonly expiresAt: number;
}

export interface OwnLedgerSetup {
  readonly clock: Clock;
  /** How long a state is good. */
  readonly ttlMs: number;
  readonly leftBehind: LeftBehind;
}

/** Bytes of memory that a call takes beside its text. */
const CALL_BYTES = 500;
const NO_STEPS: KeptSteps = {};
const DONE = { state: 'done' } as const;
const ASKED = { state: 'asked' } as const;

/** The ledger of a process whose states return to it alone: nobody waits for a store, and nobody else can be running a round. */
export class OwnLedger implements Ledger, Keeper {
  readonly #setup: OwnLedgerSetup;
  /** The one that was written longest ago is the first. */
  readonly #calls = new Map<string, OwnCall>();
  readonly #runs = new Map<string, OwnRun>();

  constructor(setup: OwnLedgerSetup) {
    this.#setup = setup;
  }

  open(call: string, leftBy: string): void {
    this.#keep({ call, round: 0, answers: '', leftBy }, NO_STEPS, undefined);
  }

  claim(back: BroughtBack): Claimed | Promise<Claimed> {
    const { call } = back;
    this.#forgetExpired();
    const found = this.#calls.get(call);
    const isNext = isNextRound(found, back);
    const running = this.#runs.get(call);
    if (running !== undefined) return this.#claimAfter(running, back);
    const steps = isNext || found === undefined ? NO_STEPS : found.steps;
    if (!isNext && found?.end !== undefined)
      return { settlement: settlementOf(JSON.parse(found.text) as KeptSettlement), steps };
    const run = new OwnRun(steps, (taken, end) => {
      this.#runs.delete(call);
      this.#keep(back, taken, end);
    });
    this.#runs.set(call, run);
    return run;
  }

  async #claimAfter({ waiters }: OwnRun, back: BroughtBack): Promise<Claimed> {
    await waitIn(waiters, this.#setup.clock, { signal: back.signal });
    return this.claim(back);
  }

  #keep(
    { call, round, answers, leftBy }: Omit<BroughtBack, 'signal'>,
    steps: KeptSteps,
    end: RoundEnd | undefined,
  ): void {
    const { leftBehind, clock, ttlMs } = this.#setup;
    this.#forget(call);
    this.#forgetExpired();
    const text = end?.text ?? '';
    const made: OwnCall = {
      name: call,
      n: round,
      a: answers,
      end: end && (end.kept.state === 'asked' ? ASKED : DONE),
      steps,
      text,
      expiresAt: clock.now() + ttlMs,
      keeper: this,
      share: undefined,
      size: 0,
      older: undefined,
      newer: undefined,
    };
    this.#calls.set(call, made);
    const stepBytes = steps === NO_STEPS ? 0 : JSON.stringify(steps).length;
    leftBehind.hold(leftBy, made, CALL_BYTES + text.length + stepBytes);
  }

  /** There is no room for all that callers leave behind. */
  shed(holding: Holding): void {
    this.#forget((holding as OwnCall).name);
  }

  #forget(call: string): void {
    const found = this.#calls.get(call);
    if (found === undefined) return;
    this.#setup.leftBehind.release(found);
    this.#calls.delete(call);
  }

  #forgetExpired(): void {
    const now = this.#setup.clock.now();
    for (const [call, { expiresAt }] of this.#calls) {
      if (expiresAt >= now) return;
      this.#forget(call);
    }
  }
}

class OwnRun implements RoundRun {
  readonly isLost = false;
  steps: KeptSteps;
  /** The other copies of the round, which wait for this one. */
  readonly waiters: Set<() => void> = new Set();
  readonly #keep: (steps: KeptSteps, end: RoundEnd | undefined) => void;

  constructor(steps: KeptSteps, keep: (steps: KeptSteps, end: RoundEnd | undefined) => void) {
    this.steps = steps;
    this.#keep = keep;
  }

  /** A process that dies takes its states with it: nothing can find a step begun. */
  async beginStep(): Promise<void> {}

  finishStep(name: string, record: StepRecord): void {
    this.steps = { ...this.steps, [name]: record };
  }

  end(end?: RoundEnd): true {
    this.#keep(this.steps, end);
    for (const wake of this.waiters) wake();
    return true;
  }
}
