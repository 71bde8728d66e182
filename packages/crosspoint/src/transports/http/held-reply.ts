import type { HttpHeaders, HttpReply, HttpStream } from './exchange.ts';

/** Keeps a whole answer back until what it tells of is true everywhere. */
export class HeldReply implements HttpReply {
  readonly #reply: HttpReply;
  #held: (() => void) | undefined;

  constructor(reply: HttpReply) {
    this.#reply = reply;
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    this.#held = () => this.#reply.send(status, headers, body);
  }

  open(status: number, headers: HttpHeaders): HttpStream {
    return this.#reply.open(status, headers);
  }

  onabort(run: () => void): void {
    this.#reply.onabort(run);
  }

  release(): void {
    this.#held?.();
    this.#held = undefined;
  }
}
