import { asError } from '../../runtime/guard.ts';
import type { Store } from '../../stores/store.ts';
import { isSuspension } from './suspension.ts';
import type { StepFacts, StepOptions } from './asker.ts';
import { runInStep, stepAround } from './step-scope.ts';

/** The record of a finished step: its value as JSON, or the name and message of its error. */
export interface StepRecord {
  readonly v?: unknown;
  readonly e?: readonly [name: string, message: string];
}

/** A failed step. It is the same on the first run as on every replay, so that a handler takes the same path. */
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

/** The value of a finished step, or its error. A copy, so that the handler cannot change the record. */
export function valueOf<T>(step: string, { v, e }: StepRecord): T {
  if (e) throw new StepError(step, e[0], e[1]);
  return (typeof v === 'object' && v !== null ? JSON.parse(JSON.stringify(v)) : v) as T;
}

type Run<T> = (facts: StepFacts) => T | Promise<T>;

/** The rules of steps for every way of asking: names used once, no question inside a step, values as JSON. */
export class Steps {
  /** The id of the call, the same in all its rounds. */
  readonly call: string;
  readonly #names = new Set<string>();

  constructor(call: string) {
    this.call = call;
  }

  /** Throws when a question is asked inside a step: it would wait for a round that waits for the step. */
  refuseInside(what: string): void {
    const around = stepAround(this);
    if (around !== undefined)
      throw new AskingMisuse(`${what} inside the step "${around}": ask first, and use the answer in the step.`);
  }

  begin(name: string): void {
    this.refuseInside(`The step "${name}"`);
    if (this.#names.has(name))
      throw new AskingMisuse(
        `The step "${name}" was used before in this call. Give each its own name, for example "${name}:\${id}".`,
      );
    this.#names.add(name);
  }

  async run<T>(name: string, run: Run<T>): Promise<StepRecord> {
    let value: T;
    try {
      value = await runInStep({ owner: this, name }, () => run({ idempotencyKey: `${this.call}:${name}` }));
    } catch (error) {
      if (isSuspension(error) || error instanceof AskingMisuse) throw error;
      const failure = asError(error);
      return { e: [failure.name, failure.message] };
    }
    try {
      const text = JSON.stringify(value) as string | undefined;
      return text === undefined ? {} : { v: JSON.parse(text) as unknown };
    } catch (error) {
      // The step has acted, so this error is recorded: it must not act again because its value could not be stored.
      return {
        e: ['TypeError', `The value of the step "${name}" cannot be kept as JSON: ${asError(error).message}`],
      };
    }
  }
}

/** Throws for a step with `interrupted: 'fail'` where no store records that it had begun. */
export function requireStore(name: string, { interrupted }: StepOptions = {}, store: Store | undefined): void {
  if (interrupted === 'fail' && store === undefined)
    throw new AskingMisuse(`The step "${name}" has interrupted: 'fail', which needs asking: { store } on the server.`);
}
