import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Ask, Retry } from '../../protocol/outcome.ts';
import {
  quiet,
  type Asker,
  type AskerPort,
  type Ended,
  type Question,
  type Settlement,
  type StepFacts,
  type StepOptions,
} from './asker.ts';
import { digest } from './digest.ts';
import { InputRequired } from './input-required.ts';
import { EXPLICIT, Journal, type JournalEntry } from './journal.ts';
import { sealRound, type RoundRules, type RoundState } from './round-state.ts';
import { Steps, valueOf } from './steps.ts';
import { SUSPENDED, guardSuspensions } from './suspension.ts';

interface Open {
  readonly ask: Ask;
  readonly digest: string;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks a client that cannot be sent anything: the call ends with its questions, and runs again from the top when the client comes back.
 * What was answered or done before is then taken from the journal. A round closes when something is asked, no step is running, and one turn
 * of the event loop brought nothing new; after that no step starts and no question is added, whatever the handler does.
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
  readonly #round: number;
  /** Steps that are running. */
  #busy = 0;
  #whenIdle: (() => void) | undefined;
  /** Grows with everything that happens: a turn in which it did not has brought nothing new. */
  #stamp = 0;
  #closed = false;
  #hasEnded = false;

  constructor(rules: RoundRules, port: AskerPort, state: RoundState | undefined, retry: Retry | undefined) {
    guardSuspensions();
    this.#rules = rules;
    this.#port = port;
    this.#steps = new Steps({
      call: state?.c ?? crypto.randomUUID(),
      store: rules.store,
      resumed: state !== undefined,
      keepMs: rules.stepTtlMs,
    });
    this.#round = state?.n ?? 0;
    this.#journal = new Journal(state?.j);
    this.authorState = state?.u;
    if (retry) this.answers = state ? this.#journal.takeAnswers(state.p, retry.answers) : unasked(retry.answers);
  }

  get replaying(): boolean {
    return this.#journal.replaying;
  }

  past(): Readonly<Record<string, JournalEntry>> {
    return this.#journal.toJson();
  }

  ask({ ask, key }: Question): Promise<JsonObject> {
    return quiet(this.#ask(ask, key));
  }

  /** Everything up to the first promise happens at once, so that questions asked side by side get their keys in order. */
  #ask(ask: Ask, given: string | undefined): Promise<JsonObject> {
    try {
      this.#steps.refuseInside('Asking');
      const question = digest(ask);
      const key = this.#keyOf(given ?? `q${question.slice(0, 12)}`);
      const known = this.#journal.answerTo(key, question);
      if (known !== undefined && known !== 'other-question') return Promise.resolve(known.answer);
      if (this.#closed) return Promise.reject(SUSPENDED);
      if (known === 'other-question') return this.#diverge(`the question "${key}" is not the one that was answered`);
      // A copy: what is asked is what was digested, though the author goes on to change it.
      const asked = JSON.parse(JSON.stringify(ask)) as Ask;
      return new Promise((_resolve, reject) => {
        this.#open.set(key, { ask: asked, digest: question, reject });
        this.#arm();
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The same question again is its next occurrence. No two questions of a call share a key, whatever names the author gave. */
  #keyOf(base: string): string {
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
    const known = this.#journal.finished(name);
    if (known !== undefined) return valueOf<T>(name, known);
    if (this.#closed) throw SUSPENDED;
    this.#busy += 1;
    this.#stamp += 1;
    try {
      // A new step waits for the past: a run that takes another way must not act on it.
      if (!(await this.#claimed()))
        return await this.#diverge(`the step "${name}" came before ${this.#journal.missing()}`);
      if (this.#closed) throw SUSPENDED;
      const record = await this.#steps.run(name, run, options);
      this.#journal.finish(name, record);
      return valueOf<T>(name, record);
    } finally {
      this.#busy -= 1;
      if (this.#busy === 0) this.#whenIdle?.();
      this.#arm();
    }
  }

  ended(ended: Ended): void {
    this.#hasEnded = true;
    // A round that has closed decides, whether the handler let the suspension pass or swallowed it.
    if (!this.#closed) void this.#conclude(ended).catch((error: unknown) => this.#settle({ kind: 'failed', error }));
  }

  async #conclude(ended: Ended): Promise<void> {
    if (!(await this.#claimed())) return this.#diverge(`it ended without ${this.#journal.missing()}`).catch(() => {});
    if (this.#closed) return;
    if (!ended.ok || !(ended.value instanceof InputRequired)) {
      this.#settle({ kind: 'ended', ended });
      return this.#unwind();
    }
    this.#closed = true;
    if (this.#busy > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    const { asks, state } = ended.value;
    const asked = Object.fromEntries(Object.keys(asks).map((key) => [key, EXPLICIT]));
    this.#settle(await this.#seal(asks, asked, state));
    this.#unwind();
  }

  // ---- rounds

  /** Looks, one turn later, whether the round can close. */
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
    // A step may have begun while the replay was waited for: its end looks again.
    if (!this.#mayClose) return;
    this.#closed = true;
    const asks = Object.fromEntries([...this.#open].map(([key, { ask }]) => [key, ask]));
    const asked = Object.fromEntries([...this.#open].map(([key, open]) => [key, open.digest]));
    try {
      const settlement = await this.#seal(asks, asked, undefined);
      this.#unwind();
      // Lets `finally` blocks run before the client hears of it.
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
    if (this.#round + 1 > maxRounds)
      return {
        kind: 'failed',
        error: new ProtocolError('invalid-request', `More than ${maxRounds} rounds of questions.`),
      };
    const state: RoundState = {
      c: this.#steps.call,
      r: crypto.randomUUID(),
      n: this.#round + 1,
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

  /** Settles here, so that a `catch` in the handler cannot hide it. */
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

  /** Nobody waits for a question that this run will not see answered. */
  #unwind(): void {
    for (const { reject } of this.#open.values()) reject(SUSPENDED);
    this.#open.clear();
  }

  #settle(settlement: Settlement): void {
    this.#port.settle(settlement);
  }
}

/**
 * Answers that came without a state. Nobody can tell what they were asked, so they are remembered for no question; the explicit style reads
 * them by the names its author chose, as a client may send them that was asked nothing or that has lost its state.
 */
function unasked(answers: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => isJsonObject(answer)));
}

/** Once everything that is ready now has run. */
function afterTurn(run: () => void): void {
  const { setImmediate: immediate } = globalThis as { setImmediate?: (run: () => void) => unknown };
  if (immediate) immediate(run);
  else setTimeout(run, 0);
}
