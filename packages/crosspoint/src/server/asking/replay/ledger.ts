import type { KeptSettlement } from '../../idempotency/kept-settlement.ts';
import type { Settlement } from '../asker.ts';
import { stateRefused } from '../seals/sealer.ts';
import type { StepRecord } from '../steps.ts';

/**
 * Records every call that has asked, so that a state that comes back twice acts once. A call is recorded before its first state is sent, and a
 * state is valid only while its call is recorded: one of a forgotten call is refused, never run again.
 */
export interface Ledger {
  /** Records a call that has asked for the first time, and may come back. */
  open(call: string, leftBy: string): void | Promise<void>;
  /**
   * Returns the recorded outcome of the round, or the right to carry it out once no other run does. Throws, or rejects with, `state-refused` for a
   * forgotten call, an earlier round, and answers other than those that came first.
   */
  claim(back: BroughtBack): Claimed | Promise<Claimed>;
}

/** A round for which a client has brought answers. */
export interface BroughtBack {
  /** The id of the call. */
  readonly call: string;
  readonly round: number;
  /** Identifies the answers: equal for the same ones, and no longer than a digest. */
  readonly answers: string;
  /** The caller; the record counts as left behind by it. */
  readonly leftBy: string;
  /** Aborted when the client no longer waits for the round. Made on first use. */
  readonly signal: () => AbortSignal;
}

export type Claimed = SettledRound | RoundRun;

/** The recorded outcome of a round, and the steps that were taken in it. */
export interface SettledRound {
  readonly settlement: Settlement;
  readonly steps: KeptSteps;
}

/** The exclusive run of a round. */
export interface RoundRun {
  /** The steps that an earlier run of this round has finished. */
  readonly steps: KeptSteps;
  /** Whether another process may have taken over this round: then no new step may begin here. */
  readonly isLost: boolean;
  /** Records the beginning of a step that must not run twice. Rejects when an earlier run has begun it. */
  beginStep(name: string): Promise<void>;
  /** Records the end of a step for later runs of this round. */
  finishStep(name: string, record: StepRecord): void | Promise<void>;
  /**
   * Records the outcome of the round. Without one, the round may be run again, with the same answers and the finished steps. False when another
   * run has taken over: its outcome counts.
   */
  end(end?: RoundEnd): boolean | Promise<boolean>;
}

/** The outcome of a round, also as the text that is stored. */
export interface RoundEnd {
  readonly kept: KeptSettlement;
  readonly text: string;
}

/** The record of a call in the ledger. Member names are short, as in a sealed state. */
export interface KeptCall {
  /** The last round that was begun; 0 until the first answers come. */
  readonly n: number;
  /** The answers of this round, or their digest. */
  readonly a?: string;
  readonly s?: KeptSteps;
  /** The run that carries out the round, or did. */
  readonly by?: string;
  /** The outcome of the round. */
  readonly end?: KeptSettlement;
}

/** The steps of one round: finished, or begun (`null`) where they must not run twice. */
export type KeptSteps = Readonly<Record<string, StepRecord | null>>;

/** The part of a call's last round that decides whether answers may continue it; see `KeptCall`. */
export interface LastRound {
  readonly n: number;
  readonly a?: string | undefined;
  readonly end?: { readonly state: KeptSettlement['state'] } | undefined;
}

/** Whether these answers begin the next round of a call rather than repeat the last. Throws where they may do neither. */
export function isNextRound(kept: LastRound | undefined, { round, answers }: BroughtBack): boolean {
  if (kept === undefined) throw stateRefused('it has expired, or its call is not known here any more');
  if (round === kept.n + 1 && (kept.n === 0 || kept.end?.state === 'asked')) return true;
  if (round !== kept.n) throw stateRefused('it was used before');
  if (answers !== kept.a) throw stateRefused('it was used before, with other answers');
  return false;
}
