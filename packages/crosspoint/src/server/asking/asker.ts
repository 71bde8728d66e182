import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Ask, Outcome } from '../../protocol/outcome.ts';
import type { AskOptions } from '../calls/edge.ts';
import type { JournalEntry } from './replay/journal.ts';

/** The argument of a step's function. */
export interface StepFacts {
  /** The same whenever this step of this call runs again: pass it to services that must not act twice. */
  readonly idempotencyKey: string;
}

export interface StepOptions {
  /**
   * The treatment of a step that was running when its process died. `again` runs it once more with the same key. `fail` ends the call as
   * "outcome unknown"; it needs `asking: { store }` to remember that the step had begun.
   */
  readonly interrupted?: 'again' | 'fail';
}

export interface Question {
  readonly ask: Ask;
  /** The author's name for the question; its digest and occurrence when absent. */
  readonly key?: string | undefined;
  readonly options: AskOptions;
}

/** The end of a call's handler. */
export type Ended = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/** The final result of a call: that of its handler, or the asker's decision instead. */
export type Settlement =
  | { readonly kind: 'ended'; readonly ended: Ended }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Asks on behalf of one call; made on first use, or when a retry arrives. */
export interface Asker {
  ask(question: Question): Promise<JsonObject>;
  step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T>;
  /** True while the handler has not yet repeated everything that it did in earlier rounds. */
  readonly replaying: boolean;
  /** The answers that the client brought back, for handlers in the explicit style. */
  readonly answers: JsonObject | undefined;
  readonly authorState: string | undefined;
  /** The answers and steps so far, for a task that continues the call; absent where the call itself continues. */
  past?(): Readonly<Record<string, JournalEntry>>;
  /** Called before the handler runs for a client that came back. A settlement is the recorded outcome of this round; the handler then does not run. */
  enter?(): Settlement | undefined | Promise<Settlement | undefined>;
  /** Called when the handler has ended; the asker settles the call. */
  ended(ended: Ended): void;
  /** Settles the call with an outcome from outside, such as a middleware's. False when the call is settled already. */
  take?(settlement: Settlement): Promise<boolean>;
  /** Called when the call has ended without its handler. */
  left?(): void;
}

/** The call, as its asker uses it. */
export interface AskerPort {
  settle(settlement: Settlement): void;
  /** Runs the handler once more, as after a round of questions in the explicit style. */
  rerun(): void;
  /** Whether the client no longer waits for the call. */
  isOver(): boolean;
}

/** Keeps a promise that may be rejected before it is awaited from ending the process. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
