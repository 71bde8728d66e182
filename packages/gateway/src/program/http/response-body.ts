import type { IncomingMessage } from 'node:http';

type Read = { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value: undefined };

interface Waiting {
  resolve(read: Read): void;
  reject(error: Error): void;
}

/** The server waits while so many chunks, of 64 kB at most, were not read. */
const MOST_CHUNKS = 16;
const UTF8 = new TextDecoder();
const DONE: Read = { done: true, value: undefined };

/** The body of a response as a stream with one reader, which is the body itself: the part of a `ReadableStream` that clients of the protocol use. */
export class ResponseBody {
  readonly #message: IncomingMessage;
  readonly #chunks: Uint8Array[] = [];
  #waiting: Waiting | undefined;
  /** Set where the whole body is waited for. */
  #whole: { resolve(): void; reject(error: Error): void } | undefined;
  #end: { readonly error: Error | undefined } | undefined;

  constructor(message: IncomingMessage) {
    this.#message = message;
    message.on('data', (chunk: Uint8Array) => this.#took(chunk));
    message.once('end', () => this.#ended(undefined));
    message.on('error', (error: Error) => this.#ended(error));
  }

  getReader(): this {
    return this;
  }

  read(): Promise<Read> {
    const value = this.#chunks.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#end !== undefined)
      return this.#end.error === undefined ? Promise.resolve(DONE) : Promise.reject(this.#end.error);
    this.#message.resume();
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  /** All of it, as text. */
  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      const whole = (): void => resolve(textOf(this.#chunks));
      if (this.#end === undefined) this.#whole = { resolve: whole, reject };
      else if (this.#end.error === undefined) whole();
      else reject(this.#end.error);
      this.#message.resume();
    });
  }

  /** Gives up what was not read yet, and the connection with it. */
  async cancel(): Promise<void> {
    if (this.#end === undefined) this.#message.destroy();
    this.#ended(undefined);
  }

  releaseLock(): void {
    // There is one reader.
  }

  #took(value: Uint8Array): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) return waiting.resolve({ done: false, value });
    this.#chunks.push(value);
    if (this.#chunks.length >= MOST_CHUNKS && this.#whole === undefined) this.#message.pause();
  }

  #ended(error: Error | undefined): void {
    this.#end ??= { error };
    const { error: fault } = this.#end;
    if (fault === undefined) this.#whole?.resolve();
    else this.#whole?.reject(fault);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return;
    if (fault === undefined) waiting.resolve(DONE);
    else waiting.reject(fault);
  }
}

function textOf(chunks: readonly Uint8Array[]): string {
  const [first] = chunks;
  return UTF8.decode(chunks.length === 1 ? first : Buffer.concat(chunks));
}
