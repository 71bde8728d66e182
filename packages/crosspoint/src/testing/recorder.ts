import type { JSONRPCBatch, JSONRPCMessage } from '../jsonrpc/message.ts';
import { serialise } from '../jsonrpc/serialise.ts';
import type { HttpRules } from '../revisions/revision.ts';
import type { BadFrame, MessageExtraInfo, Transport, TransportSendOptions } from '../transports/transport.ts';
import { errorMessage } from '../runtime/guard.ts';

export interface RecorderOptions {
  /** The array that the lines are added to. Give both ends of a pair the same one to record one conversation. */
  readonly lines?: string[];
  /** A prefix for each line, to tell several ends in one record apart. */
  readonly name?: string;
}

/**
 * Wraps the transport of one end and records the messages: `→` for what this end sends, `←` for what it receives, one line each. Use it in place of
 * the transport. A message is recorded before it is sent, so one that fails to leave is recorded too.
 */
export class Recorder implements Transport {
  readonly lines: string[];
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  onbadframe: ((frame: BadFrame) => void) | undefined;
  readonly #inner: Transport;
  readonly #prefix: string;

  constructor(inner: Transport, options: RecorderOptions = {}) {
    this.#inner = inner;
    this.lines = options.lines ?? [];
    this.#prefix = options.name === undefined ? '' : `${options.name} `;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  /** The lines as one text that ends in a newline, or the empty text. */
  get text(): string {
    return this.lines.map((line) => `${line}\n`).join('');
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => {
      this.#write('←', describe(message));
      this.onmessage?.(message, extra);
    };
    this.#inner.onbadframe = (frame) => {
      this.#write(
        '←',
        frame.kind === 'unparsable' ? `(unparsable: ${frame.reason})` : `(larger than ${frame.limit} bytes)`,
      );
      this.onbadframe?.(frame);
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => this.onclose?.();
    await this.#inner.start();
  }

  send(message: JSONRPCMessage | JSONRPCBatch, options?: TransportSendOptions): Promise<void> | void {
    this.#write('→', describe(message));
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  setHttpRules(rules: HttpRules): void {
    this.#inner.setHttpRules?.(rules);
  }

  get hasHeaders(): boolean | undefined {
    return this.#inner.hasHeaders;
  }

  #write(direction: '→' | '←', what: string): void {
    this.lines.push(`${this.#prefix}${direction} ${what}`);
  }
}

function describe(message: JSONRPCMessage | JSONRPCBatch): string {
  try {
    return serialise(message);
  } catch (error) {
    return `(not serialisable: ${errorMessage(error)})`;
  }
}
