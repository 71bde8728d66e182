import type { HttpHeaders, HttpReply, HttpStream } from './exchange.ts';

/** Holds a whole reply back until `release()`, when the state that it reports has been stored. */
export class HeldReply implements HttpReply {
  readonly #reply: HttpReply;
  /** As values: a closure took 3 kB of each handshake, with its request, to the old generation until it was optimised. */
  #held: readonly [status: number, headers: HttpHeaders, body: string | undefined] | undefined;
  #answered: (() => void) | undefined;

  constructor(reply: HttpReply) {
    this.#reply = reply;
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    this.#held = [status, headers, body];
    this.#answered?.();
  }

  /** A reply that becomes a stream is not held back. */
  open(status: number, headers: HttpHeaders): HttpStream {
    const stream = this.#reply.open(status, headers);
    return {
      write: (text) => stream.write(text),
      end: () => {
        stream.end();
        this.#answered?.();
      },
    };
  }

  onabort(run: () => void): void {
    this.#reply.onabort(run);
  }

  /** Resolves when the reply is complete, whole or as a stream, or when the client has disconnected. */
  whenAnswered(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#held !== undefined) return resolve();
      this.#answered = resolve;
      this.#reply.onabort(resolve);
    });
  }

  release(): void {
    if (this.#held !== undefined) this.#reply.send(...this.#held);
  }
}
