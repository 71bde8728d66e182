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
export abstract class ResponseBody {
  readonly #chunks: Uint8Array[] = [];
  #waiting: Waiting | undefined;
  /** Set where the whole body is waited for. */
  #whole: { resolve(): void; reject(error: Error): void } | undefined;
  #end: { readonly error: Error | undefined } | undefined;

  /** Lets the server wait. */
  protected abstract pause(): void;
  protected abstract resume(): void;
  /** Gives the connection up. */
  protected abstract leave(): void;

  getReader(): this {
    return this;
  }

  read(): Promise<Read> {
    const value = this.#chunks.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#end !== undefined)
      return this.#end.error === undefined ? Promise.resolve(DONE) : Promise.reject(this.#end.error);
    this.resume();
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  /** All of it, as text, if it is here and not longer than that. */
  arrived(maxBytes: number): string | undefined {
    if (this.#end === undefined || this.#end.error !== undefined) return undefined;
    let bytes = 0;
    for (const { byteLength } of this.#chunks) bytes += byteLength;
    if (bytes > maxBytes) return undefined;
    const text = textOf(this.#chunks);
    this.#chunks.length = 0;
    return text;
  }

  /** All of it, as text. */
  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      const whole = (): void => resolve(textOf(this.#chunks));
      if (this.#end === undefined) this.#whole = { resolve: whole, reject };
      else if (this.#end.error === undefined) whole();
      else reject(this.#end.error);
      this.resume();
    });
  }

  /** Gives up what was not read yet, and the connection with it. */
  async cancel(): Promise<void> {
    const isOpen = this.#end === undefined;
    this.ended(undefined);
    if (isOpen) this.leave();
  }

  /** The same as a stream of the web. */
  asStream(): ReadableStream<Uint8Array> {
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await this.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => this.cancel(),
    });
  }

  releaseLock(): void {
    // There is one reader.
  }

  /** A chunk has come. */
  protected took(value: Uint8Array): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) return waiting.resolve({ done: false, value });
    this.#chunks.push(value);
    if (this.#chunks.length >= MOST_CHUNKS && this.#whole === undefined) this.pause();
  }

  /** No more will come. */
  protected ended(error: Error | undefined): void {
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
