import type { Socket } from 'node:net';
import { asError } from '../errors/as-error.ts';

/** Longest line in bytes: a result with a large picture, and some room. */
const MAX_LINE = 256 * 1024 * 1024;

/** JSON values over a socket, one a line. A line that is no JSON, or too long, ends the socket. */
export class JsonLines<In, Out> {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(socket: Socket, onvalue: (value: In) => void) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#read(chunk, onvalue);
      } catch (error) {
        socket.destroy(asError(error));
      }
    });
    // Told by 'close'.
    socket.on('error', () => {});
  }

  /** Bytes that the other side has not read yet. */
  get waiting(): number {
    return this.#socket.writableLength;
  }

  /** Calls `then` once when the other side has read everything. */
  whenRead(then: () => void): void {
    this.#socket.once('drain', then);
  }

  send(value: Out): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(value)}\n`);
  }

  #read(chunk: Buffer, onvalue: (value: In) => void): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#chunks, rest.subarray(0, end)]).toString('utf8');
      this.#chunks = [];
      this.#bytes = 0;
      rest = rest.subarray(end + 1);
      onvalue(JSON.parse(line) as In);
    }
    if (rest.length === 0) return;
    this.#chunks.push(rest);
    this.#bytes += rest.length;
    if (this.#bytes > MAX_LINE) throw new Error(`A line has more than ${MAX_LINE} bytes.`);
  }
}
