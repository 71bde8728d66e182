import { attempt, report } from '../../runtime/guard.ts';
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCBatch, JSONRPCMessage } from '../../jsonrpc/message.ts';
import { jsonText } from '../../jsonrpc/serialise.ts';
import { TransportError } from '../../protocol/errors.ts';
import type { BadFrame, MessageExtraInfo, Transport } from '../transport.ts';
import { LineWriter } from './line-writer.ts';
import { MessageReader } from './message-reader.ts';
import { RunningRequests } from './running-requests.ts';
import { guardStdout } from './stdout-guard.ts';
import type { StdoutGuard } from './stdout-guard.ts';

export interface StdioServerOptions {
  /** Longer lines are dropped and reported through `onbadframe`. 64 MiB unless given. */
  maxMessageBytes?: number;
  /** Whether the process ends when its own stdin does. True unless given; without effect on other streams. */
  exitOnEnd?: boolean;
  /** How long a request may keep the transport open after the input has ended, counted from the request's arrival. 1500 unless given. */
  endGraceMs?: number;
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
 * Serves the client at the other end of stdin and stdout. When stdin ends, answers to fresh requests are waited for, everything
 * written is flushed, `onclose` is called, and the process ends, even if timers would keep it alive.
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
  readonly #reader: MessageReader;
  readonly #running: RunningRequests;
  #writer: LineWriter | undefined;
  #guard: StdoutGuard | undefined;
  #state: 'new' | 'started' | 'closed' = 'new';
  /** Whether a request of the chunk that is being read waits for its answer. */
  #owesAnswer = false;
  #hasEnded = false;
  #endTimer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(stdin: Readable = process.stdin, stdout: Writable = process.stdout, options: StdioServerOptions = {}) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#exitsOnEnd = stdin === process.stdin && options.exitOnEnd !== false;
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
        error: (error) => this.#problem(error),
      },
      { maxMessageBytes: options.maxMessageBytes },
    );
  }

  async start(): Promise<void> {
    if (this.#state !== 'new')
      throw new TypeError('This StdioServerTransport has been started before; connecting a server starts it.');
    this.#state = 'started';
    if (this.#stdout === process.stdout) this.#guard = guardStdout();
    this.#writer = new LineWriter(this.#stdout, this.#guard?.write);
    this.#stdout.on('error', this.#onWriteError);
    this.#stdin.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd).on('error', this.#onReadError);
    if (this.#stdin.readableEnded || this.#stdin.destroyed) process.nextTick(this.#onEnd);
  }

  send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    const writer = this.#writer;
    if (this.#state !== 'started' || writer === undefined) {
      throw new TransportError(
        'closed',
        this.#state === 'new' ? 'The stdio transport is not started.' : 'The stdio transport is closed.',
      );
    }
    const sent = writer.send(jsonText(message));
    this.#running.noteOutgoing(message);
    if (this.#hasEnded) this.#finishWhenIdle();
    return sent;
  }

  /** Flushes what was sent, gives stdout back, and leaves the process running. */
  close(): Promise<void> {
    this.#closing ??= this.#close(true);
    return this.#closing;
  }

  async #close(releaseStdout: boolean): Promise<void> {
    this.#state = 'closed';
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
    // A write that is still on its way may yet fail; without a listener that would end the process.
    if (!this.#stdout.listeners('error').includes(ignore)) this.#stdout.on('error', ignore);
    this.#stdout.off('error', this.#onWriteError);
    if (releaseStdout) this.#guard?.release();
    this.#announceClose();
  }

  #announceClose(): void {
    attempt(
      () => this.onclose?.(),
      (error) => this.#problem(error),
    );
  }

  #problem(problem: unknown): void {
    report((error) => this.onerror?.(error), problem);
  }

  #onData = (chunk: Uint8Array | string): void => {
    const writer = this.#writer;
    writer?.hold();
    this.#owesAnswer = false;
    try {
      this.#reader.push(chunk);
    } finally {
      // When everything is answered there is nothing to wait for.
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
    // The client is gone: nobody is left to be answered, and nothing went wrong on this side.
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
    // Not at once: a process that has nothing left to do ends by itself, and one that cleans up gets a moment for it.
    if (this.#exitsOnEnd) setTimeout(() => process.exit(), EXIT_MS).unref();
  }
}
