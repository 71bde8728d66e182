import { attempt, report } from '../../runtime/guard.ts';
import type { JSONRPCBatch, JSONRPCMessage } from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import { TransportError } from '../../protocol/errors.ts';
import type { AuthInfo, BadFrame, MessageExtraInfo, Transport, TransportSendOptions } from '../transport.ts';

export interface InMemoryOptions {
  /** Pass messages as JSON text, as a byte transport does: the other side gets a copy, and values that JSON cannot hold throw. */
  text?: boolean;
}

export interface InMemorySendOptions extends TransportSendOptions {
  /** Passed to the other side with the message, as an HTTP transport passes a verified token. */
  authInfo?: AuthInfo;
}

/** A message in the queue, as a linked list; without a message it is the end of the connection. */
interface Delivery {
  readonly message: JSONRPCMessage | undefined;
  readonly extra: MessageExtraInfo | undefined;
  next: Delivery | undefined;
}

const RESOLVED: Promise<void> = Promise.resolve();

/** One end of a pair within a process. Messages arrive in order, one microtask after they were sent. */
export class InMemoryTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  onbadframe: ((frame: BadFrame) => void) | undefined;
  sessionId: string | undefined;

  #other: InMemoryTransport | undefined;
  #passesText = false;
  #first: Delivery | undefined;
  /** Set when the queue holds more than one. */
  #last: Delivery | undefined;
  #state: 'new' | 'started' | 'closed' = 'new';
  #isScheduled = false;
  #ended: Promise<void> | undefined;
  #settleEnded: (() => void) | undefined;

  static createLinkedPair(options: InMemoryOptions = {}): [InMemoryTransport, InMemoryTransport] {
    const one = new InMemoryTransport();
    const two = new InMemoryTransport();
    one.#other = two;
    two.#other = one;
    one.#passesText = two.#passesText = options.text === true;
    return [one, two];
  }

  async start(): Promise<void> {
    if (this.#state === 'closed') throw new TransportError('closed', 'This end of the pair has been closed.');
    this.#state = 'started';
    this.#schedule();
  }

  send(message: JSONRPCMessage | JSONRPCBatch, options?: InMemorySendOptions): void {
    const other = this.#other;
    if (this.#state === 'closed' || other === undefined || other.#state === 'closed') {
      throw new TransportError('closed', 'The connection is closed.');
    }
    const passed: unknown = this.#passesText ? JSON.parse(serialise(message)) : message;
    const extra = options?.authInfo === undefined ? undefined : { authInfo: options.authInfo };
    // The receiver checks the shape, so a batch passes as an array, as a line of JSON would.
    other.#receive(passed as JSONRPCMessage, extra);
  }

  /** Closes both ends. Messages already sent are delivered first; messages that this end has not read are dropped. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#first = this.#last = undefined;
    this.#announceClose();
    const other = this.#other;
    if (other !== undefined) await other.#endSoon();
  }

  /** Settles when this end has read everything and closed; at once when it was never started. */
  async #endSoon(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#receive(undefined, undefined);
    if (this.#state === 'new') return;
    this.#ended ??= new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
    await this.#ended;
  }

  #receive(message: JSONRPCMessage | undefined, extra: MessageExtraInfo | undefined): void {
    const delivery: Delivery = { message, extra, next: undefined };
    if (this.#first === undefined) this.#first = delivery;
    else {
      (this.#last ?? this.#first).next = delivery;
      this.#last = delivery;
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#state !== 'started' || this.#first === undefined) return;
    this.#isScheduled = true;
    // A promise instead of `queueMicrotask`, which creates an async context for each call. The callback does not throw.
    void RESOLVED.then(this.#deliver);
  }

  #deliver = (): void => {
    this.#isScheduled = false;
    let delivery = this.#first;
    this.#first = this.#last = undefined;
    for (; delivery !== undefined && this.#state !== 'closed'; delivery = delivery.next) {
      if (delivery.message === undefined) {
        this.#state = 'closed';
        this.#announceClose();
      } else this.#handOver(delivery.message, delivery.extra);
    }
    if (this.#state === 'closed') this.#settleEnded?.();
  };

  #announceClose(): void {
    attempt(() => this.onclose?.(), this.#problem);
  }

  #watch(given: unknown): void {
    attempt(() => given, this.#problem);
  }

  readonly #problem = (problem: unknown): void => report((error) => this.onerror?.(error), problem);

  #handOver(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    try {
      const given: unknown = this.onmessage?.(message, extra);
      // A method of its own, so that synchronous handlers create no closure.
      if (given !== undefined) this.#watch(given);
    } catch (error) {
      this.#problem(error);
    }
  }
}
