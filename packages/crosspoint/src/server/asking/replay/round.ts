import { isJsonObject, type JsonObject } from '../../../jsonrpc/message.ts';
import { TransportError } from '../../../protocol/errors.ts';
import type { Retry } from '../../../protocol/outcome.ts';
import { isNoEnd, keptSettlement } from '../../idempotency/kept-settlement.ts';
import { isThenable } from '../../calls/handler.ts';
import type { Settlement, StepOptions } from '../asker.ts';
import { canonical } from '../seals/canonical.ts';
import { digest } from '../seals/digest.ts';
import type { BroughtBack, Claimed, RoundEnd, RoundRun } from './ledger.ts';
import type { RoundRules, RoundState } from './round-state.ts';
import type { StepRecord } from '../steps.ts';

/** Longest outcome that is recorded, in characters of JSON. A longer one is made again by the handler, from the recorded steps. */
const MAX_OUTCOME = 256 * 1024;
/** Answers up to this many characters are stored as they are, without a digest. */
const SHORT = 100;

/** One round of a call: claimed before the handler runs, and recorded when it ends. Without a ledger, neither. */
export class Round {
  readonly #rules: RoundRules;
  readonly #call: string;
  readonly #back: BroughtBack | undefined;
  #run: RoundRun | undefined;

  constructor(rules: RoundRules, call: string, state: RoundState | undefined, retry: Retry | undefined) {
    this.#rules = rules;
    this.#call = call;
    if (state === undefined || retry === undefined || rules.ledger === undefined) return;
    const { leftBy, signal } = rules;
    this.#back = { call, round: state.n, answers: identityOf(state.p, retry.answers), leftBy, signal };
  }

  /** The recorded outcome, or the steps of an earlier run without one. `undefined` for a call that brings no state. */
  claim(): Claimed | undefined | Promise<Claimed | undefined> {
    const claimed = this.#back && this.#rules.ledger?.claim(this.#back);
    return isThenable(claimed) ? claimed.then((known) => this.#claimed(known)) : this.#claimed(claimed);
  }

  #claimed(claimed: Claimed | undefined): Claimed | undefined {
    if (claimed !== undefined && !('settlement' in claimed)) this.#run = claimed;
    return claimed;
  }

  /** Runs a step; its end is recorded before its value is used. */
  async step(name: string, run: () => Promise<StepRecord>, options: StepOptions | undefined): Promise<StepRecord> {
    const round = this.#run;
    if (round?.isLost) throw new TransportError('aborted', 'Another process has taken over this call.');
    if (options?.interrupted === 'fail') await round?.beginStep(name);
    const record = await run();
    await round?.finishStep(name, record);
    return record;
  }

  /**
   * Records the outcome, and resolves with the settlement for the client: that of another process, if it has taken over the round. `undefined`: the
   * given settlement stands, without a wait. A round that may be run again waits for its running steps.
   */
  settle(settlement: Settlement, aborted: boolean, idle: () => Promise<void>): Promise<Settlement> | undefined {
    const { ledger, leftBy } = this.#rules;
    const run = this.#run;
    if (run) {
      const end = isNoEnd(settlement, aborted || run.isLost) ? undefined : fitting(settlement);
      const ended = end === undefined ? idle().then(() => run.end()) : run.end(end);
      return ended === true ? undefined : this.#told(ended, end, settlement);
    }
    const hasAsked = settlement.kind === 'outcome' && settlement.outcome.kind === 'input-required';
    if (ledger === undefined || this.#back !== undefined || !hasAsked) return undefined;
    return ledger.open(this.#call, leftBy)?.then(() => settlement);
  }

  async #told(
    ended: boolean | Promise<boolean>,
    end: RoundEnd | undefined,
    settlement: Settlement,
  ): Promise<Settlement> {
    let counts = await ended;
    while (!counts) {
      const other = await this.claim();
      if (other === undefined) return settlement;
      if ('settlement' in other) return other.settlement;
      counts = await other.end(end);
    }
    return settlement;
  }

  /** Ends the round without its handler: the next copy may run it. */
  async release(): Promise<void> {
    await this.#run?.end();
  }
}

/** Identifies the answers of a round. Unasked answers and the order of members make no difference. */
function identityOf(asked: Readonly<Record<string, string>>, answers: JsonObject): string {
  const given = Object.keys(asked).filter((key) => Object.hasOwn(answers, key) && isJsonObject(answers[key]));
  const all = Object.fromEntries(given.map((key) => [key, answers[key]]));
  const text = canonical(all);
  return text.length <= SHORT ? text : digest(all);
}

/** The recorded form of an outcome; `undefined` for one that is too long. Questions are always recorded: asked anew, they would be another round. */
function fitting(settlement: Settlement): RoundEnd | undefined {
  const kept = keptSettlement(settlement);
  try {
    const text = JSON.stringify(kept);
    return text.length <= MAX_OUTCOME || kept.state === 'asked' ? { kept, text } : undefined;
  } catch (error) {
    // A value that JSON cannot hold cannot be sent either.
    return fitting({ kind: 'failed', error });
  }
}
