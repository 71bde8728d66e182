import type { JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import type { AskOptions } from '../calls/edge.ts';
import {
  quiet,
  type Asker,
  type AskerPort,
  type Ended,
  type Question,
  type StepFacts,
  type StepOptions,
} from '../asking/asker.ts';
import { digest } from '../asking/seals/digest.ts';
import { InputRequired } from '../asking/input-required.ts';
import type { Journal } from '../asking/replay/journal.ts';
import { valueOf, type StepRecord, type Steps } from '../asking/steps.ts';
import { guardSuspensions, mayGoUnheard } from '../asking/suspension.ts';

/** The run of a task, as its asker uses it. */
export interface TaskPort extends AskerPort {
  /** Adds the question to the task and waits for its answer. */
  ask(key: string, question: { digest: string; ask: Ask }, options: AskOptions): Promise<JsonObject>;
  /** Runs a step: its beginning is recorded first, and its end before its value is used. */
  keepStep(name: string, run: () => Promise<StepRecord>, options: StepOptions | undefined): Promise<StepRecord>;
  newSteps(): Steps;
  /** Waits until a run after a crash has repeated everything that was done before. */
  claimed(): Promise<boolean>;
  readonly maxRounds: number;
}

/**
 * Asks inside a task: the question is part of the task until the client has answered it, and the handler simply waits. Answers and finished steps are
 * stored with the task, so that another node can continue after a crash.
 */
export class TaskAsker implements Asker {
  answers: JsonObject | undefined;
  authorState: string | undefined;
  readonly #port: TaskPort;
  readonly #journal: Journal;
  #steps: Steps;
  /** The keys of this run, and those of questions in the explicit style, which accumulate over the runs. */
  #keys = new Set<string>();
  readonly #explicit = new Set<string>();
  #rounds = 0;

  constructor(port: TaskPort, journal: Journal) {
    guardSuspensions();
    this.#port = port;
    this.#journal = journal;
    this.#steps = port.newSteps();
  }

  get replaying(): boolean {
    return this.#journal.replaying;
  }

  ask({ ask, key, options }: Question): Promise<JsonObject> {
    return quiet(this.#ask(ask, key, options));
  }

  /** Everything up to the first promise is synchronous, so that questions asked side by side get their keys in order. */
  #ask(ask: Ask, given: string | undefined, options: AskOptions): Promise<JsonObject> {
    try {
      this.#steps.refuseInside('Asking');
      const identity = identityOf(ask);
      const key = unusedKey(given ?? `q${identity.slice(0, 12)}`, [this.#keys, this.#explicit]);
      this.#keys.add(key);
      return this.#answer(key, { digest: identity, ask: JSON.parse(JSON.stringify(ask)) as Ask }, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #answer(key: string, question: { digest: string; ask: Ask }, options: AskOptions): Promise<JsonObject> {
    const known = this.#journal.answerTo(key, question.digest);
    if (known === 'other-question') throw this.#diverge(`the question "${key}" is not the one that was answered`);
    if (known !== undefined) return known.answer;
    try {
      const answer = await this.#port.ask(key, question, options);
      this.#journal.takeAnswers({ [key]: question.digest }, { [key]: answer });
      this.#journal.answerTo(key, question.digest);
      return answer;
    } catch (error) {
      // The task is over or the client refused: an answer that is no longer awaited must not end the process.
      mayGoUnheard(error);
      throw error;
    }
  }

  step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    return quiet(this.#step(name, run, options));
  }

  async #step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    const steps = this.#steps;
    steps.begin(name);
    const known = this.#journal.finished(name);
    if (known !== undefined) return valueOf<T>(name, known);
    // A new step waits until earlier ones are repeated: a run that has diverged must not act.
    if (!(await this.#port.claimed())) throw this.#diverge(`the step "${name}" came before ${this.#journal.missing()}`);
    const record = await this.#port.keepStep(name, () => steps.run(name, run), options);
    this.#journal.finish(name, record);
    return valueOf<T>(name, record);
  }

  ended(ended: Ended): void {
    void this.#conclude(ended).catch((error: unknown) => this.#port.settle({ kind: 'failed', error }));
  }

  async #conclude(ended: Ended): Promise<void> {
    if (!(await this.#port.claimed())) throw this.#diverge(`it ended without ${this.#journal.missing()}`);
    if (!ended.ok || !(ended.value instanceof InputRequired)) return this.#port.settle({ kind: 'ended', ended });
    this.#rounds += 1;
    if (this.#rounds > this.#port.maxRounds)
      throw new ProtocolError('invalid-request', `More than ${this.#port.maxRounds} rounds of questions.`);
    const { asks, state } = ended.value;
    const answers = Object.entries(asks).map(async ([name, ask]) => {
      const key = unusedKey(name, [this.#explicit, this.#keys]);
      this.#explicit.add(key);
      return [name, await this.#answer(key, { digest: identityOf(ask), ask }, {})] as const;
    });
    this.answers = Object.fromEntries(await Promise.all(answers));
    this.authorState = state;
    this.#steps = this.#port.newSteps();
    this.#keys = new Set();
    this.#port.rerun();
  }

  /** Settles the task here, so that a `catch` in the handler cannot hide it. */
  #diverge(what: string): ProtocolError {
    const error = new ProtocolError(
      'diverged',
      `The handler took another way when it ran again: ${what}. Put what may change (time, chance, outside data) into ctx.step.`,
    );
    this.#port.settle({ kind: 'failed', error });
    return error;
  }
}

/** A key that no other question of the task has. The same question asked again is its next occurrence. */
function unusedKey(base: string, used: readonly ReadonlySet<string>[]): string {
  let key = base;
  for (let occurrence = 1; used.some((keys) => keys.has(key)); occurrence += 1) key = `${base}.${occurrence}`;
  return key;
}

/** The digest of a question without its elicitation id, which a revision makes anew each time. */
function identityOf({ method, params: { elicitationId: _made, ...params } }: Ask): string {
  return digest({ method, params });
}
