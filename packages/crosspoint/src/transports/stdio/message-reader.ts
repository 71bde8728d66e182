import type { JSONRPCMessage } from '../../jsonrpc/message.ts';
import { asError, attempt, errorMessage } from '../../runtime/guard.ts';
import { LineSplitter } from '../../wire/ndjson.ts';
import type { BadFrame } from '../transport.ts';

export interface MessageReaderEvents {
  message(message: JSONRPCMessage): unknown;
  badFrame(frame: BadFrame): unknown;
  error(error: Error): void;
}

export interface MessageReaderOptions {
  maxMessageBytes?: number | undefined;
  /** Number of lines without JSON to report; all are counted. */
  reportLimit?: number;
}

const START_LENGTH = 200;

/** Turns bytes into decoded JSON values. A line without JSON is reported and skipped; a handler that throws does not stop the stream. */
export class MessageReader {
  readonly #events: MessageReaderEvents;
  readonly #splitter: LineSplitter;
  readonly #reportLimit: number;
  #isStopped = false;
  #skipped = 0;

  constructor(events: MessageReaderEvents, options: MessageReaderOptions = {}) {
    this.#events = events;
    this.#reportLimit = options.reportLimit ?? Number.POSITIVE_INFINITY;
    const sink = { line: (text: string) => this.#line(text), badLine: (line: BadFrame) => this.#bad(line) };
    this.#splitter = new LineSplitter(sink, options.maxMessageBytes);
  }

  /** Number of lines without JSON. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Takes bytes, or text from a stream that has an encoding. */
  push(chunk: Uint8Array | string): void {
    if (!this.#isStopped) this.#splitter.push(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
  }

  end(): void {
    if (!this.#isStopped) this.#splitter.end();
  }

  /** Delivers nothing from now on, not even the rest of the same chunk. */
  stop(): void {
    this.#isStopped = true;
  }

  #line(text: string): void {
    if (this.#isStopped) return;
    let value: unknown;
    try {
      value = parseLine(text);
    } catch (error) {
      const reason = errorMessage(error);
      return this.#bad({ kind: 'unparsable', reason, start: text.slice(0, START_LENGTH) });
    }
    try {
      const given = this.#events.message(value as JSONRPCMessage);
      // A method of its own, so that synchronous handlers create no closure.
      if (given !== undefined) this.#watch(given);
    } catch (error) {
      this.#failed(error);
    }
  }

  #bad(frame: BadFrame): void {
    if (this.#isStopped) return;
    if (frame.kind === 'unparsable' && ++this.#skipped > this.#reportLimit) return;
    try {
      this.#watch(this.#events.badFrame(frame));
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Reports the rejection of an async handler. */
  #watch(given: unknown): void {
    attempt(
      () => given,
      (error) => this.#failed(error),
    );
  }

  #failed(error: unknown): void {
    this.#events.error(asError(error));
  }
}

/** A function of its own, so that profiles show its share. */
function parseLine(text: string): unknown {
  return JSON.parse(text);
}
