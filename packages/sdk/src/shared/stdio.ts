/** `shared/stdio.js` of v1: messages as lines, for programs that read a stream themselves. The transports of `crosspoint` do not use it. */
import { JSONRPCMessageSchema, type JSONRPCMessage } from '../types.ts';

/** Most bytes that may wait for the end of their line. */
export const STDIO_DEFAULT_MAX_BUFFER_SIZE: number = 10 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Collects bytes and returns them as messages. */
export class ReadBuffer {
  readonly #limit: number;
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Number of leading chunks without a newline. */
  #searched = 0;

  constructor(options: { maxBufferSize?: number } = {}) {
    this.#limit = options.maxBufferSize ?? STDIO_DEFAULT_MAX_BUFFER_SIZE;
  }

  /** Throws and clears the buffer when the limit is exceeded. */
  append(chunk: Uint8Array): void {
    if (this.#size + chunk.length > this.#limit) {
      this.clear();
      throw new Error(`ReadBuffer exceeded maximum size of ${this.#limit} bytes`);
    }
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** The next message; `null` while its line is incomplete. Throws for a line without a message, and drops it. */
  readMessage(): JSONRPCMessage | null {
    while (this.#chunks[this.#searched]?.includes(NEWLINE) === false) this.#searched += 1;
    if (this.#searched === this.#chunks.length) return null;
    this.#searched = 0;
    const bytes = this.#joined();
    const end = bytes.indexOf(NEWLINE);
    const rest = bytes.subarray(end + 1);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return deserializeMessage(new TextDecoder().decode(bytes.subarray(0, end)).replace(/\r$/, ''));
  }

  clear(): void {
    this.#chunks = [];
    this.#size = 0;
    this.#searched = 0;
  }

  #joined(): Uint8Array {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }
}

/** Throws for a line without a message. */
export function deserializeMessage(line: string): JSONRPCMessage {
  return JSONRPCMessageSchema.parse(JSON.parse(line));
}

export function serializeMessage(message: JSONRPCMessage): string {
  return `${JSON.stringify(message)}\n`;
}
