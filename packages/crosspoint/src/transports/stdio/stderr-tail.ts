const MAX_BYTES = 8 * 1024;
const MAX_LINES = 20;

/** The last lines of a stream, in bounded memory. */
export class StderrTail {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  append(chunk: Uint8Array): void {
    // A copy, since a slice would keep the whole chunk in memory.
    const kept = chunk.length > MAX_BYTES ? Uint8Array.from(chunk.subarray(chunk.length - MAX_BYTES)) : chunk;
    this.#chunks.push(kept);
    this.#bytes += kept.length;
    if (this.#bytes > MAX_BYTES * 2 || this.#chunks.length > 64) this.#compact();
  }

  /** At most 20 lines and 8 KiB, without a line that the limit cut. */
  text(): string {
    this.#compact();
    const kept = this.#chunks[0];
    if (kept === undefined) return '';
    const text = new TextDecoder().decode(kept).trimEnd();
    const lines = text.split(/\r?\n/);
    const isCut = kept.length === MAX_BYTES && lines.length > 1;
    return lines.slice(Math.max(isCut ? 1 : 0, lines.length - MAX_LINES)).join('\n');
  }

  #compact(): void {
    const joined = Buffer.concat(this.#chunks);
    const kept = Uint8Array.from(joined.subarray(Math.max(0, joined.length - MAX_BYTES)));
    this.#chunks = kept.length === 0 ? [] : [kept];
    this.#bytes = kept.length;
  }
}
