import { StdioServerTransport as NewTransport, type ServeStdioOptions } from 'crosspoint/server/stdio';
import { passOwnMessages } from '../internal/server/own-messages.ts';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE } from '../shared/stdio.ts';

export interface StdioServerTransportOptions extends ServeStdioOptions {
  /** Most bytes that may wait for the end of their line: one more is told to `onerror`, and closes the transport. 10 MiB when absent. */
  maxBufferSize?: number;
}

type Streams = ConstructorParameters<typeof NewTransport>;
type Readable = NonNullable<Streams[0]>;
type Writable = NonNullable<Streams[1]>;

const NEWLINE = 0x0a;
const LINE_END = '\n';

/** The transport of `crosspoint/server/stdio`, which a line that is too long ends as in v1, and beside which a program may write messages itself. */
export class StdioServerTransport extends NewTransport {
  readonly #stdin: Readable;
  readonly #limit: number;
  /** Bytes after the last end of a line. */
  #waiting = 0;
  #isStarted = false;
  #stopPassing = (): void => {};

  constructor(
    stdin: Readable = process.stdin,
    stdout: Writable = process.stdout,
    { maxBufferSize = STDIO_DEFAULT_MAX_BUFFER_SIZE, ...options }: StdioServerTransportOptions = {},
  ) {
    super(stdin, stdout, options);
    this.#stdin = stdin;
    this.#limit = maxBufferSize;
  }

  override async start(): Promise<void> {
    if (this.#isStarted)
      throw new Error(
        'StdioServerTransport already started! If using Server class, note that connect() calls start() automatically.',
      );
    this.#isStarted = true;
    // First, so that what is too much is not read.
    this.#stdin.on('data', this.#count);
    // Without a server, the program alone hears of lines that are no message.
    this.onbadframe ??= (frame) => {
      const reason = frame.kind === 'unparsable' ? frame.reason : `The line has more than ${frame.limit} bytes.`;
      this.onerror?.(new SyntaxError(reason));
    };
    this.#stopPassing = await passOwnMessages(() => super.start());
  }

  override close(): Promise<void> {
    this.#stdin.off('data', this.#count);
    this.#stopPassing();
    return super.close();
  }

  readonly #count = (chunk: Uint8Array | string): void => {
    const length = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
    if (this.#waiting + length > this.#limit) {
      this.onerror?.(new Error(`ReadBuffer exceeded maximum size of ${this.#limit} bytes`));
      this.close().catch(() => {});
      return;
    }
    const end = typeof chunk === 'string' ? chunk.lastIndexOf(LINE_END) : chunk.lastIndexOf(NEWLINE);
    if (end === -1) this.#waiting += length;
    else this.#waiting = typeof chunk === 'string' ? Buffer.byteLength(chunk.slice(end + 1)) : length - end - 1;
  };
}
