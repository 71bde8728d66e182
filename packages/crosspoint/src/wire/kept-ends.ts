const KEPT = 4 * 1024;

/** The first and the last 4 KiB of a byte sequence of any length, in constant memory. */
export class KeptEnds {
  readonly #head = new Uint8Array(KEPT);
  #headLength = 0;
  // Twice the size that is needed, so that bytes are moved to the front once in 4 KiB and not once in a chunk.
  readonly #tail = new Uint8Array(KEPT * 2);
  #tailLength = 0;

  append(bytes: Uint8Array): void {
    if (this.#headLength < KEPT) {
      const part = bytes.subarray(0, KEPT - this.#headLength);
      this.#head.set(part, this.#headLength);
      this.#headLength += part.length;
    }
    for (let from = Math.max(0, bytes.length - KEPT); from < bytes.length; from += KEPT) {
      this.#appendToTail(bytes.subarray(from, from + KEPT));
    }
  }

  head(): string {
    return new TextDecoder().decode(this.#head.subarray(0, this.#headLength));
  }

  tail(): string {
    return new TextDecoder().decode(this.#tail.subarray(Math.max(0, this.#tailLength - KEPT), this.#tailLength));
  }

  #appendToTail(part: Uint8Array): void {
    if (this.#tailLength + part.length > this.#tail.length) {
      this.#tail.copyWithin(0, this.#tailLength - KEPT, this.#tailLength);
      this.#tailLength = KEPT;
    }
    this.#tail.set(part, this.#tailLength);
    this.#tailLength += part.length;
  }
}
