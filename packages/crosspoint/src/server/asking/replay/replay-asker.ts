import { isJsonObject, type JsonObject } from '../../../jsonrpc/message.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import type { Ask, Retry } from '../../../protocol/outcome.ts';
import {
  quiet,
  type Asker,
  type AskerPort,
  type Ended,
  type Question,
  type Settlement,
  type StepFacts,
  type StepOptions,
} from '../asker.ts';
import { digest } from '../seals/digest.ts';
import { isThenable } from '../../calls/handler.ts';
import { InputRequired } from '../input-required.ts';
import { EXPLICIT, Journal, type JournalEntry } from './journal.ts';
import type { Claimed } from './ledger.ts';
import { sealRound, type RoundRules, type RoundState } from './round-state.ts';
import { Round } from './round.ts';
import { stateRefused } from '../seals/sealer.ts';
import { Steps, requireStore, valueOf, type StepRecord } from '../steps.ts';
import { SUSPENDED, guardSuspensions } from '../suspension.ts';

interface Open {
  readonly ask: Ask;
  readonly digest: string;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks a client that cannot be sent requests: the call ends with its questions, and the handler runs again from the top when the client comes
 * back. Earlier answers and finished steps are then taken from the journal. A round closes when something is asked, no step is running, and one
 * turn of the event loop brought nothing new; after that no step starts and no question is added, whatever the handler does.
 */
export class ReplayAsker implements Asker {
  readonly answers: JsonObject | undefined;
  readonly authorState: string | undefined;
  readonly #rules: RoundRules;
  readonly #port: AskerPort;
  readonly #steps: Steps;
  readonly #journal: Journal;
  readonly #keys = new Set<string>();
  readonly #open = new Map<string, Open>();
  readonly #number: number;
  readonly #round: Round;
  /** The recorded outcome of the round, once it was looked up. */
  #known: Settlement | undefined | Promise<Settlement | undefined>;
  #hasClaimed = false;
  /** Whether the handler itself runs, and not only the middleware around it. True from the start for a call that brings no state. */
  #isEntered: boolean;
  #isSettled = false;
  /** Steps that are running. */
  #busy = 0;
  #whenIdle: (() => void)[] = [];
  /** Grows with every event: a turn in which it did not grow has brought nothing new. */
  #stamp = 0;
  #closed = false;
  #hasEnded = false;

  constructor(rules: RoundRules, port: AskerPort, state: RoundState | undefined, retry: Retry | undefined) {
    guardSuspensions();
    this.#rules = rules;
    this.#port = port;
    this.#steps = new Steps(state?.c ?? crypto.randomUUID());
    this.#isEntered = state === undefined;
    this.#number = state?.n ?? 0;
    this.#round = new Round(rules, this.#steps.call, state, retry);
    this.#journal = new Journal(state?.j);
    this.authorState = state?.u;
    if (retry) this.answers = state ? this.#journal.takeAnswers(state.p, retry.answers) : unasked(retry.answers);
  }

  get replaying(): boolean {
    return this.#journal.replaying;
  }

  enter(): Settlement | undefined | Promise<Settlement | undefined> {
    this.#isEntered = true;
    return this.#claim();
  }

  #claim(): Settlement | undefined | Promise<Settlement | undefined> {
    if (!this.#hasClaimed) {
      this.#hasClaimed = true;
      try {
        const claimed = this.#round.claim();
        this.#known = isThenable(claimed) ? claimed.then((known) => this.#recall(known)) : this.#recall(claimed);
      } catch (error) {
        // Kept for later calls as well: a middleware may have swallowed it.
        this.#known = quiet(Promise.reject(error));
      }
    }
    return this.#known;
  }

  #recall(claimed: Claimed | undefined): Settlement | undefined {
    if (claimed !== undefined) this.#journal.remember(claimed.steps);
    return claimed !== undefined && 'settlement' in claimed ? claimed.settlement : undefined;
  }

  past(): Readonly<Record<string, JournalEntry>> {
    return this.#journal.toJson();
  }

  ask({ ask, key }: Question): Promise<JsonObject> {
    return quiet(this.#ask(ask, key));
  }

  /** Everything up to the first promise is synchronous, so that questions asked side by side get their keys in order. */
  #ask(ask: Ask, given: string | undefined): Promise<JsonObject> {
    try {
      this.#steps.refuseInside('Asking');
      const question = digest(ask);
      const key = this.#unusedKey(given ?? `q${question.slice(0, 12)}`);
      const known = this.#journal.answerTo(key, question);
      if (known !== undefined && known !== 'other-question') return Promise.resolve(known.answer);
      if (this.#closed) return Promise.reject(SUSPENDED);
      if (known === 'other-question') return this.#diverge(`the question "${key}" is not the one that was answered`);
      // A copy: the question that is sent is the one that was digested, even if the author changes the object later.
      const asked = JSON.parse(JSON.stringify(ask)) as Ask;
      return new Promise((_resolve, reject) => {
        this.#open.set(key, { ask: asked, digest: question, reject });
        this.#arm();
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** A key that no other question of the call has. The same question asked again is its next occurrence. */
  #unusedKey(base: string): string {
    let key = base;
    for (let occurrence = 1; this.#keys.has(key); occurrence += 1) key = `${base}.${occurrence}`;
    this.#keys.add(key);
    return key;
  }

  step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    return quiet(this.#step(name, run, options));
  }

  async #step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    this.#steps.begin(name);
    requireStore(name, options, this.#rules.store);
    const known = this.#journal.finished(name);
    if (known !== undefined) return valueOf<T>(name, known);
    if (this.#closed) throw SUSPENDED;
    this.#busy += 1;
    this.#stamp += 1;
    try {
      const before = this.#isEntered ? undefined : await this.#finishedBefore(name);
      if (before !== undefined) return valueOf<T>(name, before);
      // A new step waits until earlier ones are repeated: a run that has diverged must not act.
      if (!(await this.#claimed()))
        return await this.#diverge(`the step "${name}" came before ${this.#journal.missing()}`);
      if (this.#closed) throw SUSPENDED;
      const record = await this.#round.step(name, () => this.#steps.run(name, run), options);
      this.#journal.finish(name, record);
      return valueOf<T>(name, record);
    } finally {
      this.#busy -= 1;
      if (this.#busy === 0) for (const go of this.#whenIdle.splice(0)) go();
      this.#arm();
    }
  }

  /** A step of the middleware around the handler: taken in this round before, or a new one in a round that this call carries out. */
  async #finishedBefore(name: string): Promise<StepRecord | undefined> {
    const isOver = (await this.#claim()) !== undefined;
    const found = this.#journal.finished(name);
    if (isOver && found === undefined) throw stateRefused('it was used before');
    return found;
  }

  ended(ended: Ended): void {
    this.#hasEnded = true;
    // A closed round decides, whether the handler rethrew the suspension or swallowed it.
    if (!this.#closed) void this.#conclude(ended).catch((error: unknown) => this.#settle({ kind: 'failed', error }));
  }

  async #conclude(ended: Ended): Promise<void> {
    // The client has gone, and the handler stopped because of that: it need not have repeated everything.
    if (!ended.ok && this.#port.isOver()) return this.#settle({ kind: 'ended', ended });
    if (!(await this.#claimed())) return this.#diverge(`it ended without ${this.#journal.missing()}`).catch(() => {});
    if (this.#closed) return;
    if (!ended.ok || !(ended.value instanceof InputRequired)) {
      this.#settle({ kind: 'ended', ended });
      return this.#unwind();
    }
    await this.#idle();
    const { asks, state } = ended.value;
    const asked = Object.fromEntries(Object.keys(asks).map((key) => [key, EXPLICIT]));
    this.#settle(await this.#seal(asks, asked, state));
    this.#unwind();
  }

  // ---- rounds

  /** Checks one turn later whether the round can close. */
  #arm(): void {
    const stamp = ++this.#stamp;
    if (this.#open.size === 0 || this.#closed) return;
    afterTurn(() => {
      if (stamp === this.#stamp && this.#mayClose)
        void this.#close().catch((error: unknown) => this.#settle({ kind: 'failed', error }));
    });
  }

  get #mayClose(): boolean {
    return this.#busy === 0 && !this.#closed && !this.#hasEnded;
  }

  async #close(): Promise<void> {
    if (!(await this.#claimed())) {
      if (this.#mayClose)
        await this.#diverge(`it asked something new and never came to ${this.#journal.missing()}`).catch(() => {});
      return;
    }
    const known = this.#isEntered ? undefined : await this.#claim();
    // A step may have begun during the wait for the replay: its end checks again.
    if (!this.#mayClose) return;
    this.#closed = true;
    if (known !== undefined) {
      this.#unwind();
      return this.#settle(known);
    }
    const asks = Object.fromEntries([...this.#open].map(([key, { ask }]) => [key, ask]));
    const asked = Object.fromEntries([...this.#open].map(([key, open]) => [key, open.digest]));
    try {
      const settlement = await this.#seal(asks, asked, undefined);
      this.#unwind();
      // `finally` blocks run before the client is answered.
      await new Promise<void>((resolve) => afterTurn(resolve));
      this.#settle(settlement);
    } finally {
      this.#unwind();
    }
  }

  async #seal(
    asks: Readonly<Record<string, Ask>>,
    asked: Record<string, string>,
    authorState: string | undefined,
  ): Promise<Settlement> {
    const { maxRounds, clock, ttlMs, definition } = this.#rules;
    if (this.#number + 1 > maxRounds)
      return {
        kind: 'failed',
        error: new ProtocolError('invalid-request', `More than ${maxRounds} rounds of questions.`),
      };
    const state: RoundState = {
      c: this.#steps.call,
      n: this.#number + 1,
      x: clock.now() + ttlMs,
      t: definition,
      j: this.#journal.toJson(),
      p: asked,
      ...(authorState !== undefined && { u: authorState }),
    };
    return { kind: 'outcome', outcome: { kind: 'input-required', asks, state: await sealRound(this.#rules, state) } };
  }

  // ---- ends

  #claimed(): Promise<boolean> {
    return this.#journal.whenClaimed(this.#rules.graceMs, this.#rules.clock);
  }

  /** Settles the call here, so that a `catch` in the handler cannot hide it. */
  #diverge(what: string): Promise<never> {
    const error = new ProtocolError(
      'diverged',
      `The handler took another way when it ran again: ${what}. Put what may change (time, chance, outside data) into ctx.step.`,
    );
    this.#closed = true;
    this.#unwind();
    this.#settle({ kind: 'failed', error });
    return Promise.reject(error);
  }

  /** Rejects the questions that this run will not see answered. */
  #unwind(): void {
    for (const { reject } of this.#open.values()) reject(SUSPENDED);
    this.#open.clear();
  }

  /** Lets nothing new begin, and waits for the running steps. */
  async #idle(): Promise<void> {
    this.#closed = true;
    if (this.#busy > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #settle(settlement: Settlement): void {
    void this.take(settlement);
  }

  async take(settlement: Settlement): Promise<boolean> {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    try {
      const keeping = this.#round.settle(settlement, this.#port.isOver(), () => this.#idle());
      const kept = keeping === undefined ? settlement : await keeping;
      this.#port.settle(kept);
      return kept === settlement;
    } catch (error) {
      this.#port.settle({ kind: 'failed', error });
      return false;
    }
  }

  left(): void {
    if (this.#isEntered || this.#isSettled || this.#closed) return;
    this.#isSettled = true;
    this.#round.release().catch(() => {});
  }
}

/**
 * Answers that came without a state. Their questions are unknown, so they are remembered for none; the explicit style reads them by the
 * names its author chose, since a client may send answers unasked, or after losing its state.
 */
function unasked(answers: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => isJsonObject(answer)));
}

/** Runs a function after the current turn of the event loop. */
function afterTurn(run: () => void): void {
  const { setImmediate: immediate } = globalThis as { setImmediate?: (run: () => void) => unknown };
  if (immediate) immediate(run);
  else setTimeout(run, 0);
}
