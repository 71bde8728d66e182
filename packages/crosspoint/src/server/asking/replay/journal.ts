import { isJsonObject, type JsonObject } from '../../../jsonrpc/message.ts';
import type { Clock } from '../../../peer/clock.ts';
import type { KeptSteps } from './ledger.ts';
import type { StepRecord } from '../steps.ts';

/** One entry of the journal: an answer with the digest of its question, or a finished step. */
export interface JournalEntry extends StepRecord {
  readonly d?: string;
  readonly a?: JsonObject;
}

/** Marks a question of the explicit style: its answer is read by name, not claimed by asking again. */
export const EXPLICIT = 'explicit';

/** Questions and steps are named by the author, each in their own space. */
const question = (key: string): string => `q:${key}`;
const step = (name: string): string => `s:${name}`;

/** The answers and steps of a call's earlier rounds, and which of them the run of this round has repeated. */
export class Journal {
  readonly #entries: Map<string, JournalEntry>;
  readonly #unclaimed: Set<string>;
  /** Questions of the last round that were not answered: they hold no answer, but were asked before. */
  readonly #expected = new Set<string>();
  #waiting: (() => void)[] = [];

  constructor(kept: Readonly<Record<string, JournalEntry>> = {}) {
    this.#entries = new Map(Object.entries(kept));
    this.#unclaimed = new Set(this.#entries.keys());
  }

  /** Takes the answers to the questions of the last round. Missing ones are asked again, others are ignored. Returns the answers to the explicit style. */
  takeAnswers(asked: Readonly<Record<string, string>>, answers: JsonObject): JsonObject {
    const explicit: [string, unknown][] = [];
    for (const [key, digest] of Object.entries(asked)) {
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (!isJsonObject(answer)) this.#expect(key, digest);
      else if (digest === EXPLICIT) explicit.push([key, answer]);
      else this.#add(question(key), { d: digest, a: answer });
    }
    return Object.fromEntries(explicit);
  }

  #expect(key: string, digest: string): void {
    if (digest !== EXPLICIT) this.#expected.add(key);
  }

  #add(name: string, entry: JournalEntry): void {
    this.#entries.set(name, entry);
    this.#unclaimed.add(name);
  }

  /** True while this run has not yet repeated everything from earlier rounds. */
  get replaying(): boolean {
    return this.#unclaimed.size > 0 || this.#expected.size > 0;
  }

  /** The answer under this key, claimed when it answers exactly this question. */
  answerTo(key: string, digest: string): { readonly answer: JsonObject } | 'other-question' | undefined {
    this.#expected.delete(key);
    const found = this.#entries.get(question(key));
    if (found?.a === undefined) return undefined;
    if (found.d !== digest) return 'other-question';
    this.#claim(question(key));
    return { answer: found.a };
  }

  finished(name: string): StepRecord | undefined {
    const found = this.#entries.get(step(name));
    if (found) this.#claim(step(name));
    return found;
  }

  /** Adds the steps that an earlier run of this round has finished. */
  remember(steps: KeptSteps): void {
    for (const [name, record] of Object.entries(steps)) if (record) this.#add(step(name), record);
  }

  finish(name: string, record: StepRecord): void {
    this.#entries.set(step(name), record);
  }

  #claim(name: string): void {
    if (!this.#unclaimed.delete(name) || this.#unclaimed.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  /** Waits until every entry has been claimed; false when that does not happen in time. */
  whenClaimed(graceMs: number, clock: Clock): Promise<boolean> {
    if (this.#unclaimed.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = clock.setTimeout(() => resolve(this.#unclaimed.size === 0), graceMs);
      this.#waiting.push(() => {
        clock.clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** The unclaimed entries, as text. */
  missing(): string {
    return [...this.#unclaimed]
      .map((name) => `the ${name.startsWith('s:') ? 'step' : 'question'} "${name.slice(2)}"`)
      .join(', ');
  }

  toJson(): Record<string, JournalEntry> {
    return Object.fromEntries(this.#entries);
  }
}
