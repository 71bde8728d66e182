import type { JsonObject } from '../../jsonrpc/message.ts';
import {
  quiet,
  type Asker,
  type AskerPort,
  type Ended,
  type Question,
  type StepFacts,
  type StepOptions,
} from './asker.ts';
import type { JournalEntry } from './replay/journal.ts';

/** Stands for the asker of a call while that is loaded, and hands on everything in the order in which it came. */
export class LateAsker implements Asker {
  readonly replaying = false;
  readonly answers = undefined;
  readonly authorState = undefined;
  readonly #loading: Promise<Asker>;
  readonly #port: AskerPort;
  #asker: Asker | undefined;

  constructor(loading: Promise<Asker>, port: AskerPort) {
    this.#loading = quiet(loading.then((asker) => (this.#asker = asker)));
    this.#port = port;
  }

  ask(question: Question): Promise<JsonObject> {
    if (this.#asker) return this.#asker.ask(question);
    // A copy, since the author may go on to change what was asked.
    const asked = { ...question, ask: copyOf(question.ask) };
    return quiet(this.#loading.then((asker) => asker.ask(asked)));
  }

  step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    if (this.#asker) return this.#asker.step(name, run, options);
    return quiet(this.#loading.then((asker) => asker.step(name, run, options)));
  }

  past(): Readonly<Record<string, JournalEntry>> {
    return this.#asker?.past?.() ?? {};
  }

  ended(ended: Ended): void {
    if (this.#asker) return this.#asker.ended(ended);
    this.#loading.then(
      (asker) => asker.ended(ended),
      (error: unknown) => this.#port.settle({ kind: 'failed', error }),
    );
  }
}

function copyOf<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    // Something that no message can hold, which whoever writes it leaves out.
    return value;
  }
}
