import type { JsonObject } from '../jsonrpc/message.ts';
import type { ResultReader } from '../peer/outgoing.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** Makes an outcome of a result: a revision, with what extensions add to it. */
export interface OutcomeReader {
  readResult(method: string, wire: JsonObject): Outcome;
}

/** Throws what is wrong with a result. */
export type ResultCheck = (result: JsonObject) => void;

/** Reads what comes first: a result is what the caller waits for, and whatever else comes is where `goOn` begins. */
export class FirstAnswer implements ResultReader<JsonObject> {
  readonly #reader: OutcomeReader;
  readonly #check: ResultCheck | undefined;
  readonly #goOn: (first: Promise<Outcome>) => Promise<JsonObject>;

  constructor(
    reader: OutcomeReader,
    check: ResultCheck | undefined,
    goOn: (first: Promise<Outcome>) => Promise<JsonObject>,
  ) {
    this.#reader = reader;
    this.#check = check;
    this.#goOn = goOn;
  }

  readResult(method: string, wire: JsonObject): JsonObject | Promise<JsonObject> {
    let outcome: Outcome;
    try {
      outcome = this.#reader.readResult(method, wire);
    } catch (error) {
      return this.readFailure(error);
    }
    if (outcome.kind !== 'complete') return this.#goOn(Promise.resolve(outcome));
    this.#check?.(outcome.result);
    return outcome.result;
  }

  readFailure(error: unknown): Promise<JsonObject> {
    return this.#goOn(Promise.reject(error));
  }
}
