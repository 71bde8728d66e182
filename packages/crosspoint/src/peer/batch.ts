import type { JSONRPCMessage } from '../jsonrpc/message.ts';

/** Collects the answers to one batch and sends them together when the last one is in. Nothing is sent for an empty collection. */
export class BatchAnswers {
  readonly #answers: JSONRPCMessage[] = [];
  readonly #send: (answers: readonly JSONRPCMessage[]) => void;
  #open: number;

  constructor(expected: number, send: (answers: readonly JSONRPCMessage[]) => void) {
    this.#open = expected;
    this.#send = send;
  }

  /** `undefined`: this one will never be answered. */
  add(answer: JSONRPCMessage | undefined): void {
    if (answer !== undefined) this.#answers.push(answer);
    this.#open -= 1;
    if (this.#open === 0 && this.#answers.length > 0) this.#send(this.#answers);
  }
}
