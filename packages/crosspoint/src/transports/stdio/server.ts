import { attempt, report } from '../../runtime/guard.ts';
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCBatch, JSONRPCMessage } from '../../jsonrpc/message.ts';
import { jsonText } from '../../jsonrpc/serialise.ts';
import { TransportError } from '../../protocol/errors.ts';
import type { BadFrame, MessageExtraInfo, Transport, TransportSendOptions } from '../transport.ts';
import { LineWriter } from './line-writer.ts';
import { MessageReader } from './message-reader.ts';
import { ProgressGap } from './progress-gap.ts';
import { RunningRequests } from './running-requests.ts';
import { guardStdout } from './stdout-guard.ts';
import type { StdoutGuard } from './stdout-guard.ts';

export interface StdioServerOptions {
  /** Largest message in bytes; longer lines are dropped and reported to `onbadframe`. 64 MiB when absent. */
  maxMessageBytes?: number;
  /** Whether the process exits when its own stdin ends; `true` when absent. No effect on other streams. */
  exitOnEnd?: boolean;
  /** Milliseconds that a request, counted from its arrival, may keep the transport open after the input has ended; 1500 when absent. */
  endGraceMs?: number;
  /** Whether answers of one turn of the event loop leave in one write while several requests run, for servers that wait for others, such as bridges; `false` when absent. */
  perTurn?: boolean;
}

const DRAIN_MS = 5000;
const EXIT_MS = 200;
const GONE: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);
const ignore = (): void => {};

/**
 * Serves the client at the other end of stdin and stdout. When stdin ends, it waits for answers to recent requests, flushes its output,
 * calls `onclose`, and ends the process even if timers would keep it alive.
 */
export class StdioServerTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  onbadframe: ((frame: BadFrame) => void) | undefined;
  sessionId: string | undefined;
  readonly carrier = 'stdio' as const;

  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #exitsOnEnd: boolean;
  readonly #perTurn: boolean | undefined;
  readonly #reader: MessageReader;
  readonly #running: RunningRequests;
  readonly #gap = new ProgressGap();
  #writer: LineWriter | undefined;
  #guard: StdoutGuard | undefined;
  #state: 'new' | 'started' | 'closed' = 'new';
  /** Whether the chunk being read holds a request without an answer. */
  #owesAnswer = false;
  #hasEnded = false;
  #endTimer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(stdin: Readable = process.stdin, stdout: Writable = process.stdout, options: StdioServerOptions = {}) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#exitsOnEnd = stdin === process.stdin && options.exitOnEnd !== false;
    this.#perTurn = options.perTurn;
    this.#running = new RunningRequests(options.endGraceMs ?? 1500);
    this.#reader = new MessageReader(
      {
        message: (message) => {
          this.#running.noteIncoming(message);
          const given: unknown = this.onmessage?.(message);
          if (this.#running.noteEntered()) this.#owesAnswer = true;
          return given;
        },
        badFrame: (frame) => this.onbadframe?.(frame),
        error: this.#problem,
      },
      { maxMessageBytes: options.maxMessageBytes },
    );
  }

  async start(): Promise<void> {
    if (this.#state !== 'new')
      throw new TypeError('The StdioServerTransport was already started; connecting a server starts it.');
    this.#state = 'started';
    if (this.#stdout === process.stdout) this.#guard = guardStdout();
    const perTurn = this.#perTurn ? (): boolean => this.#running.size > 1 : undefined;
    this.#writer = new LineWriter(this.#stdout, { write: this.#guard?.write, perTurn });
    this.#stdout.on('error', this.#onWriteError);
    this.#stdin.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd).on('error', this.#onReadError);
    if (this.#stdin.readableEnded || this.#stdin.destroyed) process.nextTick(this.#onEnd);
  }

  send(message: JSONRPCMessage | JSONRPCBatch, options?: TransportSendOptions): Promise<void> | undefined {
    const writer = this.#writer;
    if (this.#state !== 'started' || writer === undefined) {
      throw new TransportError(
        'closed',
        this.#state === 'new'
          ? 'The stdio transport is not started: connect a server first.'
          : 'The stdio transport is closed.',
      );
    }
    const line = jsonText(message);
    const related = options?.relatedRequestId;
    if (related !== undefined && this.#gap.note(message, related)) return this.#sendLater(writer, message, line);
    return this.#sendNow(writer, message, line);
  }

  #sendNow(writer: LineWriter, message: JSONRPCMessage | JSONRPCBatch, line: string): Promise<void> | undefined {
    const sent = writer.send(line);
    this.#running.noteOutgoing(message);
    if (this.#hasEnded && this.#state === 'started') this.#finishWhenIdle();
    return sent;
  }

  #sendLater(writer: LineWriter, message: JSONRPCMessage | JSONRPCBatch, line: string): undefined {
    // A connection that has failed meanwhile was reported where it failed.
    this.#gap.wait(() => attempt(() => this.#sendNow(writer, message, line), undefined));
  }

  /** Flushes the output and releases stdout; the process keeps running. */
  close(): Promise<void> {
    this.#closing ??= this.#close(true);
    return this.#closing;
  }

  async #close(releaseStdout: boolean): Promise<void> {
    this.#state = 'closed';
    this.#gap.end();
    clearTimeout(this.#endTimer);
    this.#reader.stop();
    this.#stdin
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('close', this.#onEnd)
      .off('error', this.#onReadError);
    if (this.#stdin.listenerCount('data') === 0) this.#stdin.pause();
    await this.#writer?.drained(DRAIN_MS);
    this.#writer?.fail(new TransportError('closed', 'The stdio transport is closed.'));
    // A pending write may still fail; without a listener its error would end the process.
    if (!this.#stdout.listeners('error').includes(ignore)) this.#stdout.on('error', ignore);
    this.#stdout.off('error', this.#onWriteError);
    if (releaseStdout) this.#guard?.release();
    attempt(() => this.onclose?.(), this.#problem);
  }

  readonly #problem = (problem: unknown): void => report((error) => this.onerror?.(error), problem);

  #onData = (chunk: Uint8Array | string): void => {
    const writer = this.#writer;
    writer?.hold();
    this.#owesAnswer = false;
    try {
      this.#reader.push(chunk);
    } finally {
      // With everything answered, there is no reason to delay the write.
      writer?.release(!this.#owesAnswer);
    }
  };

  #onEnd = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#reader.end();
    // The last line may be answered without being a request, or a few microtasks later.
    setImmediate(() => this.#finishWhenIdle());
  };

  #onReadError = (error: Error): void => {
    this.#problem(error);
    this.#onEnd();
  };

  #onWriteError = (error: Error): void => {
    // The client is gone, which is no problem of this side.
    if (!GONE.has((error as NodeJS.ErrnoException).code)) this.#problem(error);
    this.#writer?.fail(new TransportError('closed', 'The client has closed the connection.', {}, { cause: error }));
    void this.#finish();
  };

  #finishWhenIdle(): void {
    clearTimeout(this.#endTimer);
    const remaining = this.#running.remainingMs();
    if (remaining === 0) void this.#finish();
    else this.#endTimer = setTimeout(() => void this.#finish(), remaining);
  }

  async #finish(): Promise<void> {
    if (this.#closing !== undefined) return;
    this.#closing = this.#close(!this.#exitsOnEnd);
    await this.#closing;
    // Delayed: a process without work ends by itself, and one that cleans up gets time for it.
    if (this.#exitsOnEnd) setTimeout(() => process.exit(), EXIT_MS).unref();
  }
}
