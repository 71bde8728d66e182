import { asError, attempt } from 'crosspoint/internal';

/**
 * Receiver of the text: a function, which may return a promise, or a stream of Node. The next piece is given when the one before has been taken. It stays open when the
 * recording ends.
 */
export type SessionSink = ((text: string) => unknown) | SinkStream;

interface SinkStream {
  write(text: string, done: (error?: Error | null) => void): unknown;
  /** Asked for errors, which end the process when nothing listens. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

/** Characters that are given to the sink at once; a longer line goes alone. */
const PIECE = 1024 * 1024;

/** Text on its way to a sink, which may be slow or fail. Never throws. */
export class SinkQueue {
  readonly #write: (text: string) => Promise<void>;
  readonly #onfail: (error: Error) => void;
  #texts: string[] = [];
  #length = 0;
  #isWriting = false;
  #failure: Error | undefined;
  #whenIdle: (() => void)[] = [];

  constructor(sink: SessionSink, onfail: (error: Error) => void) {
    this.#onfail = onfail;
    this.#write = writeInto(sink);
    if (typeof sink !== 'function') sink.on?.('error', (error) => this.#fail(error));
  }

  /** Characters that the sink has not taken yet, without those that it is taking now. */
  get length(): number {
    return this.#length;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  push(text: string): void {
    if (this.#failure !== undefined) return;
    this.#texts.push(text);
    this.#length += text.length;
    if (!this.#isWriting) void this.#drain();
  }

  /** Settles when everything has been taken, or the sink has failed. */
  idle(): Promise<void> {
    if (!this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  async #drain(): Promise<void> {
    this.#isWriting = true;
    while (this.#texts.length > 0 && this.#failure === undefined) {
      try {
        await this.#write(this.#next());
      } catch (error) {
        this.#fail(asError(error));
      }
    }
    this.#isWriting = false;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #next(): string {
    let count = 0;
    let length = 0;
    for (const text of this.#texts) {
      if (count > 0 && length + text.length > PIECE) break;
      count += 1;
      length += text.length;
    }
    this.#length -= length;
    return this.#texts.splice(0, count).join('');
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#texts = [];
    this.#length = 0;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
    this.#onfail(error);
  }
}

function writeInto(sink: SessionSink): (text: string) => Promise<void> {
  if (typeof sink === 'function')
    return async (text) => {
      await sink(text);
    };
  return (text) =>
    new Promise((resolve, reject) => {
      attempt(() => sink.write(text, (error) => (error ? reject(error) : resolve())), reject);
    });
}
