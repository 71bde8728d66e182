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

/** A call after its last round, and its place in the count of bytes left behind. */
interface OwnCall extends Holding, LastRound {
  readonly name: string;
  readonly steps: KeptSteps;
  /** The outcome as text, so that it cannot be changed through a shared object. */
  readonly text: string;
  readonly expiresAt: number;
}

export interface OwnLedgerSetup {
  readonly clock: Clock;
  /** Lifetime of a state in milliseconds. */
  readonly ttlMs: number;
  readonly leftBehind: LeftBehind;
}

/** Bytes of memory that a call takes beside its text. */
const CALL_BYTES = 500;
const NO_STEPS: KeptSteps = {};
const DONE = { state: 'done' } as const;
const ASKED = { state: 'asked' } as const;

/** The ledger of a process whose states return to it alone: no store to wait for, and no run in another process. */
export class OwnLedger implements Ledger, Keeper {
  readonly #setup: OwnLedgerSetup;
  /** Calls by id, the one written longest ago first. */
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

  /** Forgets a call, when callers have left too much behind. */
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
  /** The other copies of the round, which wait for this run. */
  readonly waiters: Set<() => void> = new Set();
  readonly #keep: (steps: KeptSteps, end: RoundEnd | undefined) => void;

  constructor(steps: KeptSteps, keep: (steps: KeptSteps, end: RoundEnd | undefined) => void) {
    this.steps = steps;
    this.#keep = keep;
  }

  /** Nothing to record: a process that dies takes its states with it, so no later run can find a step begun. */
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
