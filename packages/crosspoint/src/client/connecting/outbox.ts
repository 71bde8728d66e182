import type { JSONRPCBatch, JSONRPCMessage, RequestId } from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import { TransportError } from '../../protocol/errors.ts';

type Outgoing = JSONRPCMessage | JSONRPCBatch;
type Write = (message: Outgoing, relatedRequestId: RequestId | undefined) => Promise<void> | void;

interface Waiting {
  readonly message: Outgoing;
  readonly relatedRequestId: RequestId | undefined;
  readonly size: number;
  readonly resolve: (sent: Promise<void> | void) => void;
  readonly reject: (error: unknown) => void;
}

/** Most messages being sent at once; over HTTP each of them is a connection. */
const MOST_AT_ONCE = 16;
/** Most messages in the queue, and most characters of JSON in it. */
const MOST_WAITING = 1000;
const MOST_WAITING_CHARACTERS = 16 * 1024 * 1024;

/**
 * Queue for answers and notifications to the server, in order and bounded. The server decides how many answers it is owed and how fast it
 * reads them; this bounds the connections and the memory that a slow one can use up.
 */
export class Outbox {
  readonly #write: Write;
  readonly #waiting: Waiting[] = [];
  #onTheWay = 0;
  #characters = 0;

  constructor(write: Write) {
    this.#write = write;
  }

  /** Whether the queue takes no more messages. */
  get isFull(): boolean {
    return this.#waiting.length >= MOST_WAITING || this.#characters >= MOST_WAITING_CHARACTERS;
  }

  /** Sends or queues a message; throws `write-failed` when the queue is full. The promise settles when the message has been sent. */
  send(message: Outgoing, relatedRequestId: RequestId | undefined): Promise<void> | void {
    if (this.#onTheWay < MOST_AT_ONCE) return this.#sendNow(message, relatedRequestId);
    if (this.isFull)
      throw new TransportError(
        'write-failed',
        `A message to the server was dropped: ${this.#waiting.length} others wait, and the server reads none.`,
        { waiting: this.#waiting.length, characters: this.#characters },
      );
    const size = serialise(message).length;
    this.#characters += size;
    return new Promise<void>((resolve, reject) => {
      this.#waiting.push({ message, relatedRequestId, size, resolve, reject });
    });
  }

  /** Rejects all queued messages with `closed`. */
  close(): void {
    const error = new TransportError('closed', 'The connection closed before the message was sent.');
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#characters = 0;
  }

  #sendNow(message: Outgoing, relatedRequestId: RequestId | undefined): Promise<void> | void {
    const sent = this.#write(message, relatedRequestId);
    if (sent === undefined) return undefined;
    this.#onTheWay += 1;
    sent.then(this.#sendNext, this.#sendNext);
    return sent;
  }

  readonly #sendNext = (): void => {
    this.#onTheWay -= 1;
    while (this.#onTheWay < MOST_AT_ONCE) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#characters -= next.size;
      try {
        next.resolve(this.#sendNow(next.message, next.relatedRequestId));
      } catch (error) {
        next.reject(error);
      }
    }
  };
}
