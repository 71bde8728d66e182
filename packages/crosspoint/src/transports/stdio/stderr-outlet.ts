import { PassThrough } from 'node:stream';
import type { Stream, Writable } from 'node:stream';

/** Destination of a server's stderr. In all modes but a number (a file descriptor), the last lines are kept for errors. */
export type StderrMode = 'inherit' | 'pipe' | 'overlapped' | 'ignore' | Stream | number;

const MAX_UNREAD = 1024 * 1024;

/**
 * Forwards a server's stderr without back pressure: a server that waits for its log to be read would stop answering, so unread output
 * beyond 1 MiB is dropped.
 */
export class StderrOutlet {
  readonly #mode: StderrMode;
  #stream: PassThrough | null;

  constructor(mode: StderrMode) {
    this.#mode = mode;
    this.#stream = this.#isPiped ? new PassThrough() : null;
  }

  get stream(): PassThrough | null {
    return this.#stream;
  }

  get #target(): Writable | PassThrough | undefined {
    if (this.#mode === 'inherit') return process.stderr;
    if (this.#stream !== null) return this.#stream;
    return typeof this.#mode === 'object' ? (this.#mode as Writable) : undefined;
  }

  get #isPiped(): boolean {
    return this.#mode === 'pipe' || this.#mode === 'overlapped';
  }

  /** The value for `spawn`. */
  get stdio(): 'pipe' | 'overlapped' | number {
    return typeof this.#mode === 'number' || this.#mode === 'overlapped' ? this.#mode : 'pipe';
  }

  /** Replaces a stream that `end` has ended, so that a transport can be started again. */
  open(): void {
    if (this.#isPiped && this.#stream?.writableEnded !== false) this.#stream = new PassThrough();
  }

  write(chunk: Uint8Array): void {
    const to = this.#target;
    if (to === undefined || to.writableEnded) return;
    if (to.writableLength + ('readableLength' in to ? to.readableLength : 0) < MAX_UNREAD) to.write(chunk);
  }

  end(): void {
    this.#stream?.end();
  }
}
