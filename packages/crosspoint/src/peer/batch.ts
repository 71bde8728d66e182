import type { JSONRPCResponse } from '../jsonrpc/message.ts';

/** Collects the answers to one batch and sends them together when the last one is in. Nothing is sent for an empty collection. */
export class BatchAnswers {
  readonly #answers: JSONRPCResponse[] = [];
  readonly #send: (answers: readonly JSONRPCResponse[]) => void;
  #open: number;

  constructor(expected: number, send: (answers: readonly JSONRPCResponse[]) => void) {
    this.#open = expected;
    this.#send = send;
  }

  /** Adds one answer; `undefined` for a request that will never be answered. */
  add(answer: JSONRPCResponse | undefined): void {
    if (answer !== undefined) this.#answers.push(answer);
    this.#open -= 1;
    if (this.#open === 0 && this.#answers.length > 0) this.#send(this.#answers);
  }
}
