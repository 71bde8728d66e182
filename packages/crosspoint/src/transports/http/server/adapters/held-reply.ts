import type { HttpHeaders, HttpReply, HttpStream } from './exchange.ts';

/**
 * Holds a whole reply back until `release()`, when the state that it reports has been stored. Its parts are held as values: with a closure, 3 kB of each
 * handshake reached the old generation in code that is not optimised yet, the whole request with it (0.7 kB now).
 */
export class HeldReply implements HttpReply {
  readonly #reply: HttpReply;
  #held: { readonly status: number; readonly headers: HttpHeaders; readonly body: string | undefined } | undefined;
  #answered: (() => void) | undefined;

  constructor(reply: HttpReply) {
    this.#reply = reply;
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    this.#held = { status, headers, body };
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
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#reply.send(held.status, held.headers, held.body);
  }
}
