import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Ask, Retry } from '../../protocol/outcome.ts';
import { quiet, type Asker, type AskerPort, type Ended, type Question, type Settlement, type StepFacts, type StepOptions } from './asker.ts';
import { digest } from './canonical.ts';
import { InputRequired } from './input-required.ts';
import { sealRound, type JournalEntry, type RoundRules, type RoundState } from './round-state.ts';
import { Steps, valueOf } from './steps.ts';
import { SUSPENDED, guardSuspensions } from './suspension.ts';

interface Open {
  readonly ask: Ask;
  readonly digest: string;
  readonly reject: (error: unknown) => void;
}

/** Marks a question of the explicit style: its answer is read by name, not claimed by asking again. */
const EXPLICIT = 'explicit';

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
  readonly #journal: Record<string, JournalEntry>;
  readonly #unclaimed: Set<string>;
  readonly #occurrences = new Map<string, number>();
  readonly #open = new Map<string, Open>();
  readonly #round: number;
  /** Steps that are running. */
  #busy = 0;
  /** Grows with everything that happens: a turn in which it did not has brought nothing new. */
  #stamp = 0;
  #closed = false;
  #hasEnded = false;

  constructor(rules: RoundRules, port: AskerPort, state: RoundState | undefined, retry: Retry | undefined) {
    guardSuspensions();
    this.#rules = rules;
    this.#port = port;
    this.#steps = new Steps(state?.c ?? crypto.randomUUID(), rules.store);
    this.#round = state?.n ?? 0;
    this.#journal = { ...state?.j };
    this.answers = retry?.answers;
    this.authorState = state?.u;
    if (state && retry) this.#takeAnswers(state.p, retry.answers);
    this.#unclaimed = new Set(Object.keys(this.#journal).filter((key) => this.#journal[key]?.d !== EXPLICIT));
  }

  get replaying(): boolean {
    return this.#unclaimed.size > 0;
  }

  /** Only what was asked last, and only as it was asked; what is missing is asked again, what nobody asked is ignored. */
  #takeAnswers(asked: Record<string, string>, answers: JsonObject): void {
    for (const [key, d] of Object.entries(asked)) {
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (isJsonObject(answer) && !Object.hasOwn(this.#journal, key)) this.#journal[key] = { d, a: answer };
    }
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
      const known = Object.hasOwn(this.#journal, key) ? this.#journal[key] : undefined;
      if (known?.a !== undefined) {
        if (known.d !== question) return this.#diverge(`the question "${key}" is not the one that was answered`);
        this.#unclaimed.delete(key);
        return Promise.resolve(known.a);
      }
      if (this.#closed) return Promise.reject(SUSPENDED);
      return new Promise((_resolve, reject) => {
        this.#open.set(key, { ask, digest: question, reject });
        this.#arm();
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The same question again is its next occurrence. */
  #keyOf(base: string): string {
    const before = this.#occurrences.get(base) ?? 0;
    this.#occurrences.set(base, before + 1);
    return before === 0 ? base : `${base}.${before}`;
  }

  step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    return quiet(this.#step(name, run, options));
  }

  async #step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    this.#steps.begin(name);
    const key = `s:${name}`;
    const known = Object.hasOwn(this.#journal, key) ? this.#journal[key] : undefined;
    if (known !== undefined) {
      this.#unclaimed.delete(key);
      return valueOf<T>(name, known);
    }
    if (this.#closed) throw SUSPENDED;
    this.#busy += 1;
    this.#stamp += 1;
    try {
      if (!(await this.#replayed())) return await this.#diverge(`the step "${name}" came before ${this.#missing()}`);
      if (this.#closed) throw SUSPENDED;
      const record = await this.#steps.run(name, run, options);
      this.#journal[key] = record;
      return valueOf<T>(name, record);
    } finally {
      this.#busy -= 1;
      this.#arm();
    }
  }

  ended(ended: Ended): void {
    this.#hasEnded = true;
    // A round that has closed decides, whether the handler let the suspension pass or swallowed it.
    if (!this.#closed) void this.#conclude(ended).catch((error: unknown) => this.#settle({ kind: 'failed', error }));
  }

  async #conclude(ended: Ended): Promise<void> {
    if (!(await this.#replayed())) {
      await this.#diverge(`it ended without ${this.#missing()}`).catch(() => {});
      return;
    }
    if (!ended.ok || !(ended.value instanceof InputRequired)) return this.#settle({ kind: 'ended', ended });
    const { asks, state } = ended.value;
    const asked = Object.fromEntries(Object.keys(asks).map((key) => [key, EXPLICIT]));
    this.#settle(await this.#seal(asks, asked, state));
  }

  // ---- rounds

  /** Looks, one turn later, whether the round can close. */
  #arm(): void {
    const stamp = ++this.#stamp;
    if (this.#open.size === 0 || this.#closed) return;
    afterTurn(() => {
      if (stamp === this.#stamp && this.#busy === 0 && !this.#closed && !this.#hasEnded) void this.#close().catch((error: unknown) => this.#settle({ kind: 'failed', error }));
    });
  }

  async #close(): Promise<void> {
    if (!(await this.#replayed())) {
      await this.#diverge(`it asked something new and never came to ${this.#missing()}`).catch(() => {});
      return;
    }
    // A step may have begun while the replay was waited for: its end looks again.
    if (this.#hasEnded || this.#closed || this.#busy > 0) return;
    this.#closed = true;
    const asks = Object.fromEntries([...this.#open].map(([key, { ask }]) => [key, ask]));
    const asked = Object.fromEntries([...this.#open].map(([key, open]) => [key, open.digest]));
    const settlement = await this.#seal(asks, asked, undefined);
    for (const { reject } of this.#open.values()) reject(SUSPENDED);
    // Lets `finally` blocks run before the client hears of it.
    await new Promise<void>((resolve) => afterTurn(resolve));
    this.#settle(settlement);
  }

  async #seal(asks: Readonly<Record<string, Ask>>, asked: Record<string, string>, authorState: string | undefined): Promise<Settlement> {
    const { maxRounds, now, ttlMs, definition } = this.#rules;
    if (this.#round + 1 > maxRounds) return { kind: 'failed', error: new ProtocolError('invalid-request', `More than ${maxRounds} rounds of questions.`) };
    const state: RoundState = {
      c: this.#steps.call,
      r: crypto.randomUUID(),
      n: this.#round + 1,
      x: now() + ttlMs,
      t: definition,
      j: this.#journal,
      p: asked,
      ...(authorState !== undefined && { u: authorState }),
    };
    return { kind: 'outcome', outcome: { kind: 'input-required', asks, state: await sealRound(this.#rules, state) } };
  }

  // ---- replay

  /** Waits until everything remembered has been claimed; false when that does not happen. */
  async #replayed(): Promise<boolean> {
    const until = performance.now() + this.#rules.graceMs;
    while (this.#unclaimed.size > 0 && performance.now() < until) await new Promise<void>((resolve) => afterTurn(resolve));
    return this.#unclaimed.size === 0;
  }

  #missing(): string {
    return [...this.#unclaimed].map((key) => (key.startsWith('s:') ? `the step "${key.slice(2)}"` : `the question "${key}"`)).join(', ');
  }

  /** Settles here, so that a `catch` in the handler cannot hide it. */
  #diverge(what: string): Promise<never> {
    const error = new ProtocolError('diverged', `The handler took another way when it ran again: ${what}. Put what may change (time, chance, outside data) into ctx.step.`);
    this.#closed = true;
    for (const { reject } of this.#open.values()) reject(SUSPENDED);
    this.#settle({ kind: 'failed', error });
    return Promise.reject(error);
  }

  #settle(settlement: Settlement): void {
    this.#port.settle(settlement);
  }
}

/** Once everything that is ready now has run. */
function afterTurn(run: () => void): void {
  const { setImmediate: immediate } = globalThis as { setImmediate?: (run: () => void) => unknown };
  if (immediate) immediate(run);
  else setTimeout(run, 0);
}
