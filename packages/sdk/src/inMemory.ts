import type { AuthInfo } from 'crosspoint';
import { contain } from './internal/shared/contain.ts';
import type { Transport, TransportSendOptions } from './shared/transport.ts';
import type { JSONRPCMessage, MessageExtraInfo } from './types.ts';

/**
 * One end of a pair within a process, in the way of v1: a message is delivered while it is sent, also before `start`; without `onmessage` it
 * waits for `start`.
 */
export class InMemoryTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  sessionId?: string | undefined;
  private _otherTransport: InMemoryTransport | undefined;
  private _messageQueue: { message: JSONRPCMessage; extra: MessageExtraInfo }[] = [];

  /** A pair of linked ends, one for a client and one for a server. */
  static createLinkedPair(): [InMemoryTransport, InMemoryTransport] {
    const one = new InMemoryTransport();
    const two = new InMemoryTransport();
    one._otherTransport = two;
    two._otherTransport = one;
    return [one, two];
  }

  async start(): Promise<void> {
    for (const { message, extra } of this._messageQueue.splice(0)) this._receive(message, extra);
  }

  /** Closes both ends, this one first. */
  async close(): Promise<void> {
    const other = this._otherTransport;
    this._otherTransport = undefined;
    contain(() => this.onclose?.(), this._problem);
    if (other?._otherTransport === this) await other.close();
  }

  /** `authInfo` is passed to the other end with the message, as an HTTP transport passes a verified token. */
  async send(
    message: Parameters<Transport['send']>[0],
    options?: TransportSendOptions & { authInfo?: AuthInfo | undefined },
  ): Promise<void> {
    const other = this._otherTransport;
    if (other === undefined) throw new Error('Not connected');
    const extra = { authInfo: options?.authInfo };
    if (other.onmessage) other._receive(message, extra);
    else other._messageQueue.push({ message, extra });
  }

  private _receive(message: JSONRPCMessage, extra: MessageExtraInfo): void {
    contain(() => this.onmessage?.(message, extra), this._problem);
  }

  private readonly _problem = (error: Error): void => contain(() => this.onerror?.(error));
}
