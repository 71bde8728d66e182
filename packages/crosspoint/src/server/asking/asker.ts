import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Ask, Outcome } from '../../protocol/outcome.ts';
import type { AskOptions } from '../calls/edge.ts';
import type { JournalEntry } from './replay/journal.ts';

/** What the function of a step is given. */
export interface StepFacts {
  /** The same whenever this step of this call runs again: hand it to whatever must not act twice. */
  readonly idempotencyKey: string;
}

export interface StepOptions {
  /**
   * What becomes of a step that was running when its process died. `again` runs it once more with the same key. `fail` ends the call as
   * "outcome unknown"; it needs `asking: { store }` to remember what was begun.
   */
  readonly interrupted?: 'again' | 'fail';
}

export interface Question {
  readonly ask: Ask;
  /** The author's name for the question; its digest and occurrence when absent. */
  readonly key?: string | undefined;
  readonly options: AskOptions;
}

/** How the handler of a call has ended. */
export type Ended = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/** What a call comes to: what its handler gave, or what the asker decided instead. */
export type Settlement =
  | { readonly kind: 'ended'; readonly ended: Ended }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly error: unknown };

/** One for each call that asks or has steps, made on first use or when a retry arrives. */
export interface Asker {
  ask(question: Question): Promise<JsonObject>;
  step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T>;
  /** True while what is remembered has not all been claimed: what is done now was done before. */
  readonly replaying: boolean;
  /** What the client brought back, for handlers in the explicit style. */
  readonly answers: JsonObject | undefined;
  readonly authorState: string | undefined;
  /** What was answered and done so far, for whoever goes on with the call; absent where the call itself goes on. */
  past?(): Readonly<Record<string, JournalEntry>>;
  /** The handler is about to run, for a client that came back. A settlement is what this round came to before; then it does not run. */
  enter?(): Settlement | undefined | Promise<Settlement | undefined>;
  /** The handler has ended; the asker settles the call. */
  ended(ended: Ended): void;
  /** Settles the call with what somebody else has made of it. False when that does not count: the call has come to something before. */
  take?(settlement: Settlement): Promise<boolean>;
  /** The call has ended without its handler. */
  left?(): void;
}

/** What an asker may do to its call. */
export interface AskerPort {
  settle(settlement: Settlement): void;
  /** Runs the handler once more, as after a round of questions in the explicit style. */
  rerun(): void;
  /** Whether nobody waits for the call any more. */
  isOver(): boolean;
}

/** Keeps a promise that may be rejected before anyone awaits it from ending the process. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
