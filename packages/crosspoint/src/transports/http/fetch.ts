import type { AuthInfo } from '../transport.ts';
import { BodyTimeout, BodyTooLarge, MAX_BUFFERED_BYTES, type BodyLimits, type HttpHeaders, type HttpReply, type HttpRequest, type HttpStream } from './exchange.ts';
import { isLoopbackName } from './guards.ts';

export interface FetchExtras {
  readonly authInfo?: AuthInfo;
  readonly parsedBody?: unknown;
}

/** A web `Request`. */
export class FetchHttpRequest implements HttpRequest {
  readonly #request: Request;
  readonly #url: URL;
  readonly parsedBody: unknown;
  readonly authInfo: AuthInfo | undefined;

  constructor(request: Request, extras: FetchExtras) {
    this.#request = request;
    this.#url = new URL(request.url);
    this.parsedBody = extras.parsedBody;
    this.authInfo = extras.authInfo;
  }

  get method(): string {
    return this.#request.method;
  }
  get path(): string {
    return this.#url.pathname;
  }
  get query(): string {
    return this.#url.search.slice(1);
  }
  /** The runtime does not say where it listens; the address it was reached by is the next best. */
  get isLoopback(): boolean | undefined {
    return isLoopbackName(this.#url.hostname) ? true : undefined;
  }

  header(name: string): string | undefined {
    if (name === 'host') return this.#request.headers.get('host') ?? this.#url.host;
    return this.#request.headers.get(name) ?? undefined;
  }

  allHeaders(): Record<string, string> {
    return Object.fromEntries(this.#request.headers);
  }

  async readText({ maxBytes, timeoutMs }: BodyLimits): Promise<string> {
    const { body } = this.#request;
    if (body === null) return '';
    if (Number(this.#request.headers.get('content-length') ?? 0) > maxBytes) throw new BodyTooLarge(`The body is larger than ${maxBytes} bytes.`);
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    let length = 0;
    const timer = setTimeout(() => void reader.cancel(new BodyTimeout('timeout')), timeoutMs);
    const deadline = Date.now() + timeoutMs;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        length += value.length;
        if (length > maxBytes) throw new BodyTooLarge(`The body is larger than ${maxBytes} bytes.`);
        text += decoder.decode(value, { stream: true });
      }
    } finally {
      clearTimeout(timer);
    }
    if (Date.now() >= deadline) throw new BodyTimeout(`The body did not arrive within ${timeoutMs} ms.`);
    return text + decoder.decode();
  }
}

/** Makes a web `Response`: `response` resolves as soon as the status is known. */
export class FetchHttpReply implements HttpReply {
  readonly response: Promise<Response>;
  readonly #resolve: (response: Response) => void;
  readonly #onabort: (() => void)[] = [];
  #over = false;

  constructor(signal: AbortSignal) {
    const { promise, resolve } = withResolvers<Response>();
    this.response = promise;
    this.#resolve = resolve;
    signal.addEventListener('abort', () => this.#aborted(), { once: true });
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    this.#over = true;
    this.#resolve(new Response(body ?? null, { status, headers }));
  }

  open(status: number, headers: HttpHeaders): HttpStream {
    const encoder = new TextEncoder();
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (given) => {
          controller = given;
        },
        cancel: () => this.#aborted(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
    );
    this.#resolve(new Response(stream, { status, headers }));
    return {
      write: (text) => {
        if (this.#over || controller === undefined) return false;
        controller.enqueue(encoder.encode(text));
        if ((controller.desiredSize ?? 0) > 0) return true;
        controller.error(new Error('The reader is too slow.'));
        this.#aborted();
        return false;
      },
      end: () => {
        if (!this.#over) controller?.close();
        this.#over = true;
      },
    };
  }

  onabort(run: () => void): void {
    this.#onabort.push(run);
  }

  #aborted(): void {
    if (this.#over) return;
    this.#over = true;
    for (const run of this.#onabort) run();
  }
}

/** `Promise.withResolvers`, which not every runtime has yet. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
