import type { JSONRPCMessage, RequestId } from 'crosspoint';
import type { HttpReply } from './exchange.ts';

/** The requests of one POST, which are answered on one stream or in one body. */
export class PendingExchange {
  readonly stream: string;
  readonly ids: readonly RequestId[];
  /** The reply that waits for all answers; `undefined` where each goes on the stream, or where it was given up. */
  reply: HttpReply | undefined;
  /** Whether the client has the id of an event of the stream, and so can come back for the rest. */
  hasCursor = false;
  readonly #answers = new Map<RequestId, JSONRPCMessage | undefined>();

  constructor(stream: string, ids: readonly RequestId[], reply?: HttpReply) {
    this.stream = stream;
    this.ids = ids;
    this.reply = reply;
  }

  /** Takes an answer, or `undefined` for a request that was cancelled and gets none. True when it was the last. */
  answer(id: RequestId, message: JSONRPCMessage | undefined): boolean {
    if (this.#answers.has(id)) return false;
    this.#answers.set(id, message);
    return this.ids.every((each) => this.#answers.has(each));
  }

  /** The answers in the order of the requests; one alone is no list. `undefined` when there is none. */
  get body(): string | undefined {
    const answers = this.ids.map((id) => this.#answers.get(id)).filter((answer) => answer !== undefined);
    return JSON.stringify(this.ids.length === 1 || answers.length === 0 ? answers[0] : answers);
  }
}
