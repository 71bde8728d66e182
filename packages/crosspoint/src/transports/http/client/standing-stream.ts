import { pause, type Clock } from '../../../peer/clock.ts';
import { TransportError } from '../../../protocol/errors.ts';
import { AnswerReader, type AnswerReaderPort } from './answer-reader.ts';
import { httpFailureOf } from './http-failure.ts';
import { reconnectionDelay, type StreamableHTTPReconnectionOptions } from './options.ts';
import { mayPass } from './resume.ts';

export interface StandingPort extends AnswerReaderPort {
  readonly clock: Clock;
  readonly reconnection: StreamableHTTPReconnectionOptions;
  get(lastEventId: string | undefined, signal: AbortSignal, wasOpen: boolean): Promise<ReadableStream<Uint8Array>>;
}

/**
 * The GET stream on which a server sends messages of its own. Servers decline it in many ways (405, 404, 200 with JSON, …). Any reply that
 * is not an event stream means "not offered" and is not an error. A stream that was open and breaks is opened again.
 */
export class StandingStream {
  /** Settles when the server has answered the first GET, with a stream or without. */
  readonly answered: Promise<void>;
  readonly #port: StandingPort;
  readonly #reader: AnswerReader;
  #state: 'idle' | 'running' | 'absent' | 'given-up' = 'idle';
  #wasOpen = false;
  #answer: () => void = () => {};
  #isOpen = false;

  constructor(port: StandingPort) {
    this.#port = port;
    this.#reader = new AnswerReader([], port, { isStanding: true });
    this.answered = new Promise((resolve) => (this.#answer = resolve));
  }

  /** Whether the stream is open now. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Does nothing when the stream is open, or known not to be offered. */
  open(): void {
    if (this.#state !== 'idle' || this.#reader.controller.signal.aborted) return;
    this.#state = 'running';
    void this.#run();
  }

  /** Opens a stream that was given up, because the server has answered something else. */
  revive(): void {
    if (this.#state !== 'given-up') return;
    this.#state = 'idle';
    this.open();
  }

  close(): void {
    this.#reader.controller.abort();
  }

  async #run(): Promise<void> {
    const { clock, reconnection } = this.#port;
    const { signal } = this.#reader.controller;
    const { position } = this.#reader;
    for (let failures = 0; !signal.aborted;) {
      const openedAt = clock.now();
      const error = await this.#once();
      if (signal.aborted) return;
      if (error !== undefined && !mayPass(error)) return this.#end(error);
      // A stream that lasted resets the count; one that always ends at once is given up after `maxRetries`.
      failures = clock.now() - openedAt > reconnection.maxReconnectionDelay ? 0 : failures + 1;
      if (failures > reconnection.maxRetries) {
        this.#state = 'given-up';
        if (error instanceof TransportError) this.#port.onproblem(error);
        return;
      }
      const delay = reconnectionDelay(reconnection, failures - 1, Math.random());
      await pause(
        position.retryMs === undefined ? delay : Math.max(position.retryMs, failures === 1 ? 0 : delay),
        clock,
        signal,
      );
    }
  }

  /** Opens one connection and reads it. Returns the error that broke it, or `undefined` after an orderly end. */
  async #once(): Promise<unknown> {
    try {
      const body = await this.#port
        .get(this.#reader.position.lastEventId, this.#reader.controller.signal, this.#wasOpen)
        .finally(this.#answer);
      this.#wasOpen = true;
      this.#isOpen = true;
      await this.#reader.readStream(body);
      return undefined;
    } catch (error) {
      return error ?? new TransportError('network', 'The standing stream broke.');
    } finally {
      this.#isOpen = false;
    }
  }

  #end(error: unknown): void {
    this.#state = 'absent';
    const status = httpFailureOf(error)?.status;
    const isRefusal = status !== undefined && status !== 401 && status !== 403;
    if (error instanceof Error && (!isRefusal || this.#wasOpen)) this.#port.onproblem(error);
  }
}
