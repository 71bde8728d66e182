import { isJsonObject, type JsonObject } from '../../../jsonrpc/message.ts';
import type { Clock } from '../../../peer/clock.ts';
import type { KeptSteps } from './ledger.ts';
import type { StepRecord } from '../steps.ts';

/** What was answered or done: an answer with the digest of its question, or a finished step. */
export interface JournalEntry extends StepRecord {
  readonly d?: string;
  readonly a?: JsonObject;
}

/** Marks a question of the explicit style: its answer is read by name, not claimed by asking again. */
export const EXPLICIT = 'explicit';

/** Questions and steps are named by the author, each in their own space. */
const question = (key: string): string => `q:${key}`;
const step = (name: string): string => `s:${name}`;

/** What a call did in its earlier rounds, and what of it the run of this round has come to. */
export class Journal {
  readonly #entries: Map<string, JournalEntry>;
  readonly #unclaimed: Set<string>;
  /** Asked last time and not answered: not remembered, but asked before. */
  readonly #expected = new Set<string>();
  #waiting: (() => void)[] = [];

  constructor(kept: Readonly<Record<string, JournalEntry>> = {}) {
    this.#entries = new Map(Object.entries(kept));
    this.#unclaimed = new Set(this.#entries.keys());
  }

  /** Only what was asked last, and only as it was asked; what is missing is asked again, what nobody asked is ignored. Gives the answers to the explicit style. */
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

  /** True while there is something that was done before and that this run has not come to. */
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

  /** Steps that were finished before, in this very round. */
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

  /** Waits until everything remembered has been claimed; false when that does not happen in time. */
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

  /** What has not been claimed, in words. */
  missing(): string {
    return [...this.#unclaimed]
      .map((name) => `the ${name.startsWith('s:') ? 'step' : 'question'} "${name.slice(2)}"`)
      .join(', ');
  }

  toJson(): Record<string, JournalEntry> {
    return Object.fromEntries(this.#entries);
  }
}
