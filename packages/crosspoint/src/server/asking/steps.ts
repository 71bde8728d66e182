import type { Json, Store } from '../../stores/store.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { Suspended } from './suspension.ts';
import type { StepFacts, StepOptions } from './asker.ts';

/** What is kept of a finished step: its value as JSON has it, or what its error said. */
export interface StepRecord {
  readonly v?: unknown;
  readonly e?: readonly [name: string, message: string];
}

/** A step failed. The same on the first run as on every replay, so that a handler takes the same way. */
export class StepError extends Error {
  override readonly name: string = 'StepError';
  readonly step: string;
  /** The name of the error that the step's function threw. */
  readonly causeName: string;

  constructor(step: string, causeName: string, message: string) {
    super(message);
    this.step = step;
    this.causeName = causeName;
  }
}

/** The author used asking in a way that cannot work. Not recorded as the step's own failure. */
export class AskingMisuse extends TypeError {
  override readonly name: string = 'AskingMisuse';
}

/** The value of a finished step, or its error. */
export function valueOf<T>(step: string, { v, e }: StepRecord): T {
  if (e) throw new StepError(step, e[0], e[1]);
  return v as T;
}

const DAY_MS = 86_400_000;

/** The rules of steps that hold however a call asks: names used once, nothing asked inside a step, values as JSON has them. */
export class Steps {
  readonly call: string;
  readonly #store: Store | undefined;
  readonly #names = new Set<string>();
  #inside: string | undefined;

  constructor(call: string, store: Store | undefined) {
    this.call = call;
    this.#store = store;
  }

  /** Throws when a question is asked in the synchronous part of a step: it would wait for a round that waits for the step. */
  refuseInside(what: string): void {
    if (this.#inside !== undefined) throw new AskingMisuse(`${what} inside the step "${this.#inside}": ask first, and use the answer in the step.`);
  }

  begin(name: string): void {
    this.refuseInside(`The step "${name}"`);
    if (this.#names.has(name)) throw new AskingMisuse(`The step "${name}" was used before in this call. Give each its own name, for example "${name}:\${id}".`);
    this.#names.add(name);
  }

  async run<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options: StepOptions = {}): Promise<StepRecord> {
    if (options.interrupted === 'fail') return this.#once(name, run);
    return this.#execute(name, run);
  }

  async #execute<T>(name: string, run: (facts: StepFacts) => T | Promise<T>): Promise<StepRecord> {
    try {
      let result: T | Promise<T>;
      this.#inside = name;
      try {
        result = run({ idempotencyKey: `${this.call}:${name}` });
      } finally {
        this.#inside = undefined;
      }
      const value = await result;
      return value === undefined ? {} : { v: JSON.parse(JSON.stringify(value)) as unknown };
    } catch (error) {
      if (error instanceof Suspended || error instanceof AskingMisuse) throw error;
      return { e: error instanceof Error ? [error.name, error.message] : ['Error', String(error)] };
    }
  }

  /** Says in the store that the step has begun before it does, so that whoever comes after a crash knows. */
  async #once<T>(name: string, run: (facts: StepFacts) => T | Promise<T>): Promise<StepRecord> {
    const store = this.#store;
    if (store === undefined) throw new AskingMisuse(`The step "${name}" wants to fail when it was interrupted; that needs asking: { store } on the server.`);
    const key = `step:${this.call}:${name}`;
    const version = await store.put(key, { begun: true }, { ifVersion: null, ttlMs: DAY_MS });
    if (version === undefined) return this.#finished(key, name);
    const record = await this.#execute(name, run);
    await store.put(key, { record: record as unknown as Json }, { ttlMs: DAY_MS });
    return record;
  }

  async #finished(key: string, name: string): Promise<StepRecord> {
    const kept = (await this.#store?.get(key))?.value as { record?: StepRecord } | undefined;
    if (kept?.record) return kept.record;
    throw new ProtocolError('internal', `The outcome of the step "${name}" is unknown: it had begun and was interrupted.`, { step: name, outcome: 'unknown' });
  }
}
