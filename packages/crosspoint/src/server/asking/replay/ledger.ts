import type { KeptSettlement } from '../../idempotency/kept-settlement.ts';
import type { Settlement } from '../asker.ts';
import { refused } from '../seals/sealer.ts';
import type { StepRecord } from '../steps.ts';

/**
 * Knows every call that has asked, so that a state which comes back twice acts once. A call is put down before its first state leaves, and a
 * state is good only while its call is known: one that was forgotten is refused, never run again.
 */
export interface Ledger {
  /** A call has asked for the first time, and may come back. */
  open(call: string, leftBy: string): void | Promise<void>;
  /**
   * What the round came to before, or the right to carry it out, once nobody else does. Throws, or rejects with, `state-refused` for a call that
   * is not known any more, a round that is past, and answers that are not those which were brought first.
   */
  claim(back: BroughtBack): Claimed | Promise<Claimed>;
}

/** A round that a client has brought answers for. */
export interface BroughtBack {
  /** The call that it is a round of. */
  readonly call: string;
  readonly round: number;
  /** The same for the same answers; no longer than a digest. */
  readonly answers: string;
  /** Who brings them; what is kept is counted as theirs. */
  readonly leftBy: string;
  /** Aborted when nobody waits for the round any more. Made on first use. */
  readonly signal: () => AbortSignal;
}

export type Claimed = SettledRound | RoundRun;

/** What a round came to before, and the steps that were taken in it. */
export interface SettledRound {
  readonly settlement: Settlement;
  readonly steps: KeptSteps;
}

/** One run of a round, by the only one who may. */
export interface RoundRun {
  /** The steps that an earlier run of this round has taken. */
  readonly steps: KeptSteps;
  /** Whether another process may have gone on with this round: then nothing new may begin here. */
  readonly isLost: boolean;
  /** Says that a step begins which must not run twice. Rejects when an earlier run has begun it, too. */
  beginStep(name: string): Promise<void>;
  /** Keeps the end of a step for whoever goes on with this round. */
  finishStep(name: string, record: StepRecord): void | Promise<void>;
  /**
   * Keeps what the round came to; without that, the round may be run again, with the same answers and with the steps that were taken. False
   * when another run has taken this one's place: then that one's word counts.
   */
  end(end?: RoundEnd): boolean | Promise<boolean>;
}

/** What a round came to, also as the text that is kept of it. */
export interface RoundEnd {
  readonly kept: KeptSettlement;
  readonly text: string;
}

/** The record of a call in the ledger. Member names are short, as in a sealed state. */
export interface KeptCall {
  /** The round that was carried out last, or is being carried out; 0 until the first answers come. */
  readonly n: number;
  /** The answers that this round was brought, or their digest. */
  readonly a?: string;
  readonly s?: KeptSteps;
  /** The run that carries the round out, or that did. */
  readonly by?: string;
  /** What the round came to. */
  readonly end?: KeptSettlement;
}

/** The steps of one round: finished, or begun (`null`) where they must not run twice. */
export type KeptSteps = Readonly<Record<string, StepRecord | null>>;

/** What has to be known of the last round of a call to judge what is brought back; see `KeptCall`. */
export interface LastRound {
  readonly n: number;
  readonly a?: string | undefined;
  readonly end?: { readonly state: KeptSettlement['state'] } | undefined;
}

/** Whether these answers begin the next round of a call rather than repeat the last. Throws where they may do neither. */
export function isNextRound(kept: LastRound | undefined, { round, answers }: BroughtBack): boolean {
  if (kept === undefined) throw refused('it has expired, or its call is not known here any more');
  if (round === kept.n + 1 && (kept.n === 0 || kept.end?.state === 'asked')) return true;
  if (round !== kept.n) throw refused('it was used before');
  if (answers !== kept.a) throw refused('it was used before, with other answers');
  return false;
}
