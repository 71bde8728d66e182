import { KeptEnds } from './kept-ends.ts';
import { outlineOf } from './message-outline.ts';

export const DEFAULT_MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024;

/** A line that holds no text to hand over. The stream goes on with the next line. */
export type BadLine =
  | { readonly kind: 'unparsable'; readonly reason: string; readonly start: string }
  | {
      readonly kind: 'too-large';
      readonly limit: number;
      readonly id: string | number | undefined;
      readonly isResponse: boolean;
    };

/** Receives the lines. Neither callback may throw. */
export interface LineSink {
  line(text: string): void;
  badLine(line: BadLine): void;
}

const NEWLINE = 0x0a;
const FIRST_CAPACITY = 4 * 1024;
const KEPT_CAPACITY = 1024 * 1024;
const START_LENGTH = 200;

/**
 * Splits a byte stream into lines of text. Work is linear in the input for any chunking. Memory is bounded by the limit: of a longer line only
 * its two ends are kept while it streams by. Chunks are copied or decoded at once, never kept.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #limit: number;
  // A throwing decoder: a replacement character inside a name or a number would change what was said without anyone noticing.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #buffer = new Uint8Array(0);
  #held = 0;
  #dropped: KeptEnds | undefined;

  constructor(sink: LineSink, maxMessageBytes: number = DEFAULT_MAX_MESSAGE_BYTES) {
    this.#sink = sink;
    this.#limit = maxMessageBytes;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    if (this.#held > 0 || this.#dropped !== undefined) {
      const end = chunk.indexOf(NEWLINE);
      if (end === -1) return this.#keep(chunk);
      this.#keep(chunk.subarray(0, end));
      this.#finishLine();
      from = end + 1;
    }
    if (from >= chunk.length) return;
    // A chunk that ends with a newline, as nearly all do, is taken as it is.
    const last = chunk[chunk.length - 1] === NEWLINE ? chunk.length - 1 : chunk.lastIndexOf(NEWLINE);
    if (last >= from) this.#wholeLines(part(chunk, from, last + 1));
    if (last + 1 < chunk.length) this.#keep(part(chunk, Math.max(from, last + 1), chunk.length));
  }

  /** Ends the input: text after the last newline counts as a line. */
  end(): void {
    if (this.#held > 0 || this.#dropped !== undefined) this.#finishLine();
  }

  /** Lines that arrived together, each with its newline, are decoded together: one call into the decoder instead of one for each. */
  #wholeLines(block: Uint8Array): void {
    const text = block.length <= this.#limit ? this.#decode(block) : undefined;
    if (text === undefined) return this.#lineByLine(block);
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#emit(text.slice(from, end));
      from = end + 1;
    }
  }

  #lineByLine(block: Uint8Array): void {
    let from = 0;
    for (let end = block.indexOf(NEWLINE); end !== -1; end = block.indexOf(NEWLINE, from)) {
      this.#oneLine(block.subarray(from, end));
      from = end + 1;
    }
  }

  #oneLine(bytes: Uint8Array): void {
    if (bytes.length > this.#limit) {
      const ends = new KeptEnds();
      ends.append(bytes);
      return this.#emitTooLarge(ends);
    }
    const text = this.#decode(bytes);
    if (text !== undefined) return this.#emit(text);
    const start = new TextDecoder().decode(bytes.subarray(0, START_LENGTH));
    this.#sink.badLine({ kind: 'unparsable', reason: 'The line is not valid UTF-8.', start });
  }

  #keep(bytes: Uint8Array): void {
    if (this.#dropped !== undefined) return this.#dropped.append(bytes);
    const needed = this.#held + bytes.length;
    if (needed > this.#limit) {
      this.#dropped = new KeptEnds();
      this.#dropped.append(this.#buffer.subarray(0, this.#held));
      this.#dropped.append(bytes);
      this.#release();
      return;
    }
    if (needed > this.#buffer.length) this.#grow(needed);
    this.#buffer.set(bytes, this.#held);
    this.#held = needed;
  }

  #grow(needed: number): void {
    const doubled = Math.max(needed, this.#buffer.length * 2, FIRST_CAPACITY);
    const grown = new Uint8Array(Math.min(doubled, Math.max(this.#limit, needed)));
    grown.set(this.#buffer.subarray(0, this.#held));
    this.#buffer = grown;
  }

  #release(): void {
    this.#held = 0;
    this.#buffer = new Uint8Array(0);
  }

  #finishLine(): void {
    const dropped = this.#dropped;
    if (dropped !== undefined) {
      this.#dropped = undefined;
      return this.#emitTooLarge(dropped);
    }
    const held = this.#held;
    this.#held = 0;
    this.#oneLine(this.#buffer.subarray(0, held));
    if (this.#held === 0 && this.#buffer.length > KEPT_CAPACITY) this.#release();
  }

  #decode(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  #emit(raw: string): void {
    const text = raw.charCodeAt(0) === 0xfeff ? raw.slice(1) : raw;
    const end = text.charCodeAt(text.length - 1) === 0x0d ? text.length - 1 : text.length;
    const first = text.charCodeAt(0);
    // Every message starts with a brace, so only a line that starts with white space can be blank.
    if (end === 0 || (first <= 0x20 && text.trim() === '')) return;
    this.#sink.line(end === text.length ? text : text.slice(0, end));
  }

  #emitTooLarge(ends: KeptEnds): void {
    const { id, isResponse } = outlineOf(ends.head(), ends.tail());
    this.#sink.badLine({ kind: 'too-large', limit: this.#limit, id, isResponse });
  }
}

/** A view of a part, or the whole itself: making a view costs more than decoding a short line. */
function part(bytes: Uint8Array, from: number, to: number): Uint8Array {
  return from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);
}
