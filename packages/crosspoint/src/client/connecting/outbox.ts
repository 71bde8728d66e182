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

/** How many messages may be on their way at once: over HTTP each of them is a connection. */
const MOST_AT_ONCE = 16;
/** How many may wait for that, and how many characters of JSON they may have together. */
const MOST_WAITING = 1000;
const MOST_WAITING_CHARACTERS = 16 * 1024 * 1024;

/**
 * Answers and notifications on their way to the server: a few at a time, some waiting, in order, and no more than that. A server decides how many
 * answers it is owed and how fast it takes them, so what it does not take must neither open connections nor fill memory without end.
 */
export class Outbox {
  readonly #write: Write;
  readonly #waiting: Waiting[] = [];
  #onTheWay = 0;
  #characters = 0;

  constructor(write: Write) {
    this.#write = write;
  }

  /** Whether nothing more can be taken now. */
  get isFull(): boolean {
    return this.#waiting.length >= MOST_WAITING || this.#characters >= MOST_WAITING_CHARACTERS;
  }

  /** Throws where the message can be neither sent nor kept. The promise settles when it has been sent. */
  send(message: Outgoing, relatedRequestId: RequestId | undefined): Promise<void> | void {
    if (this.#onTheWay < MOST_AT_ONCE) return this.#sendNow(message, relatedRequestId);
    if (this.isFull)
      throw new TransportError(
        'write-failed',
        `A message to the server was dropped: ${this.#waiting.length} wait already, and it takes none of them.`,
        { waiting: this.#waiting.length, characters: this.#characters },
      );
    const size = serialise(message).length;
    this.#characters += size;
    return new Promise<void>((resolve, reject) => {
      this.#waiting.push({ message, relatedRequestId, size, resolve, reject });
    });
  }

  /** The connection is over, and so is everything that waits. */
  close(): void {
    const error = new TransportError('closed', 'The connection closed before the message was sent.');
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#characters = 0;
  }

  #sendNow(message: Outgoing, relatedRequestId: RequestId | undefined): Promise<void> | void {
    const sent = this.#write(message, relatedRequestId);
    if (sent === undefined) return undefined;
    this.#onTheWay += 1;
    sent.then(this.#goOn, this.#goOn);
    return sent;
  }

  readonly #goOn = (): void => {
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
