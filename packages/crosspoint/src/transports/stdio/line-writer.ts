import type { Writable } from 'node:stream';
import { oneLine } from '../../jsonrpc/serialise.ts';

/** So much is written without waiting for the rest: the reader works on it while this side goes on. */
const FLUSH_AT = 4 * 1024;
/** What is as long as this is neither joined to anything nor, where the stream is full, made longer. */
const LONG = 64 * 1024;

export type StreamWrite = (text: string, done?: () => void) => boolean;

interface Blocked {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Writes lines to a stream. Short lines of one tick leave in one write, many of them in several; `send` gives a promise only while the
 * stream is full, and it settles when everything written so far has left.
 */
export class LineWriter {
  readonly #stream: Writable;
  readonly #write: StreamWrite;
  #pending = '';
  #isHeld = false;
  #isScheduled = false;
  #blocked: Blocked | undefined;
  #failure: Error | undefined;

  /** `write` stands for the stream's own method where that has been replaced. */
  constructor(stream: Writable, write: StreamWrite = (text, done) => stream.write(text, done)) {
    this.#stream = stream;
    this.#write = write;
    stream.on('drain', this.#onDrain);
  }

  send(line: string): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    if (line.length >= LONG) this.#sendLong(line);
    else this.#pending += `${line}\n`;
    if (this.#pending.length >= (this.#blocked === undefined ? FLUSH_AT : LONG)) this.flush();
    else if (!this.#isHeld) this.#flushOnTick();
    return this.#blocked?.promise;
  }

  /** Until `release`, short lines wait for that and not for the end of the tick. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Lets them go: at once, or together with those that are sent in the same tick. */
  release(atOnce: boolean): void {
    this.#isHeld = false;
    if (this.#pending === '') return;
    if (atOnce) this.flush();
    else this.#flushOnTick();
  }

  #flushOnTick(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Runs after the microtasks that are queued already, so that the answers to one chunk of requests share a write.
    process.nextTick(this.#onTick);
  }

  /** As it is: joined to anything else, all of it would be copied once more. */
  #sendLong(line: string): void {
    this.flush();
    this.#pending = line;
    this.flush();
    this.#pending = '\n';
  }

  flush(): void {
    if (this.#pending === '' || this.#failure !== undefined) return;
    const text = oneLine(this.#pending);
    this.#pending = '';
    if (!this.#write(text)) this.#blocked ??= newBlocked();
  }

  /** Settles when everything has left, when the stream fails, or when the time is over. */
  async drained(timeoutMs: number): Promise<void> {
    this.flush();
    if (this.#failure !== undefined || this.#stream.destroyed || this.#stream.writableLength === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
      // Its turn comes when everything before it has left; it is told of a failure as well.
      this.#write('', () => resolve());
    });
    clearTimeout(timer);
  }

  /** Nothing can be written any more: waiting and later sends fail with this error. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#pending = '';
    this.#stream.off('drain', this.#onDrain);
    this.#blocked?.reject(error);
    this.#blocked = undefined;
  }

  #onTick = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  #onDrain = (): void => {
    this.#blocked?.resolve();
    this.#blocked = undefined;
  };
}

function newBlocked(): Blocked {
  let resolve: () => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Often nobody is waiting: a failure then is told by the transport's end, not by an unhandled rejection.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
