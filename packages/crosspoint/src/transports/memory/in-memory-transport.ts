import type { JSONRPCBatch, JSONRPCMessage } from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import { TransportError } from '../../protocol/errors.ts';
import type { AuthInfo, BadFrame, MessageExtraInfo, Transport, TransportSendOptions } from '../transport.ts';

export interface InMemoryOptions {
  /** Messages pass as JSON text, as over a byte transport: the other side gets a copy, and what JSON cannot hold throws. */
  text?: boolean;
}

export interface InMemorySendOptions extends TransportSendOptions {
  /** Handed to the other side with the message, as an HTTP transport does with a verified token. */
  authInfo?: AuthInfo;
}

type Delivery = { message: JSONRPCMessage; extra: MessageExtraInfo | undefined } | 'end';

/** One end of a pair within a process. Messages arrive in order, one microtask after they were sent. */
export class InMemoryTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  onbadframe: ((frame: BadFrame) => void) | undefined;
  sessionId: string | undefined;

  #other: InMemoryTransport | undefined;
  #passesText = false;
  #inbox: Delivery[] = [];
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
    // The receiver checks the shape of what arrives, so a batch passes as the array that a line of JSON would give.
    other.#receive({ message: passed as JSONRPCMessage, extra });
  }

  /** Closes both ends. What was sent before is delivered first; what this end had not read yet is dropped. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#inbox = [];
    this.#announceClose();
    const other = this.#other;
    if (other !== undefined) await other.#endSoon();
  }

  /** Settles when this end has read everything and closed; at once when it is not reading. */
  async #endSoon(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#receive('end');
    if (this.#state === 'new') return;
    this.#ended ??= new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
    await this.#ended;
  }

  #receive(delivery: Delivery): void {
    this.#inbox.push(delivery);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#state !== 'started' || this.#inbox.length === 0) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    this.#isScheduled = false;
    const batch = this.#inbox;
    this.#inbox = [];
    for (const delivery of batch) {
      if (this.#state === 'closed') break;
      if (delivery === 'end') {
        this.#state = 'closed';
        this.#announceClose();
        break;
      }
      this.#handOver(delivery.message, delivery.extra);
    }
    if (this.#state === 'closed') this.#settleEnded?.();
  }

  #announceClose(): void {
    try {
      this.onclose?.();
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #handOver(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    try {
      this.onmessage?.(message, extra);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
