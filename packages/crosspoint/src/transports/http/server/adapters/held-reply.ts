import type { HttpHeaders, HttpReply, HttpStream } from './exchange.ts';

/** Keeps a whole answer back until what it tells of is true everywhere. */
export class HeldReply implements HttpReply {
  readonly #reply: HttpReply;
  #held: (() => void) | undefined;
  #answered: () => void = () => {};

  constructor(reply: HttpReply) {
    this.#reply = reply;
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    this.#held = () => this.#reply.send(status, headers, body);
    this.#answered();
  }

  /** An answer that takes so long that it becomes a stream is not kept back. */
  open(status: number, headers: HttpHeaders): HttpStream {
    const stream = this.#reply.open(status, headers);
    return {
      write: (text) => stream.write(text),
      end: () => {
        stream.end();
        this.#answered();
      },
    };
  }

  onabort(run: () => void): void {
    this.#reply.onabort(run);
  }

  /** Resolves when there is an answer, whole or to the end of its stream, or when nobody is left to read it. */
  whenAnswered(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#held !== undefined) return resolve();
      this.#answered = resolve;
      this.#reply.onabort(resolve);
    });
  }

  release(): void {
    this.#held?.();
    this.#held = undefined;
  }
}
