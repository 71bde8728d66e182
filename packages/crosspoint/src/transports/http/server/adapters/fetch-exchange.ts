import { attempt } from '../../../../runtime/guard.ts';
import type { AuthInfo } from '../../../transport.ts';
import {
  BodyTimeout,
  BodyTooLarge,
  MAX_BUFFERED_BYTES,
  type BodyLimits,
  type HttpHeaders,
  type HttpReply,
  type HttpRequest,
  type HttpStream,
  type ReplyOptions,
} from './exchange.ts';
import { isLoopbackName } from '../../../../runtime/loopback.ts';
import { INTERNAL, refuse } from './refuse.ts';

/** Facts about a request that a web `Request` does not carry. */
export interface FetchExtras {
  /** The verified identity of the caller. */
  readonly authInfo?: AuthInfo;
  /** The body, where a framework has already read and parsed it. */
  readonly parsedBody?: unknown;
  /**
   * Whether the server listens on a loopback address. Pass it where the runtime knows: requests with a foreign `Host` are then refused (DNS
   * rebinding).
   */
  readonly isLoopback?: boolean;
  /** Network address of the client; callers without a name are counted by it. */
  readonly remoteAddress?: string;
}

export class FetchHttpRequest implements HttpRequest {
  readonly #request: Request;
  readonly #url: URL;
  parsedBody: unknown;
  authInfo: AuthInfo | undefined;
  principal: string | null | undefined;
  address: string | undefined;
  readonly remoteAddress: string | undefined;
  readonly isLoopback: boolean | undefined;

  constructor(request: Request, extras: FetchExtras) {
    this.#request = request;
    this.#url = new URL(request.url);
    this.parsedBody = extras.parsedBody;
    this.authInfo = extras.authInfo;
    this.remoteAddress = extras.remoteAddress;
    // The host name of the URL decides when the runtime does not say where it listens.
    this.isLoopback = extras.isLoopback ?? (isLoopbackName(this.#url.hostname) ? true : undefined);
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

  get url(): URL {
    return new URL(this.#url);
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
    if (Number(this.#request.headers.get('content-length') ?? 0) > maxBytes)
      throw new BodyTooLarge(`The body is larger than ${maxBytes} bytes.`);
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    let length = 0;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      forget(reader);
    }, timeoutMs);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (isLate) throw new BodyTimeout(`The body did not arrive within ${timeoutMs} ms.`);
        if (done) return text + decoder.decode();
        length += value.length;
        if (length > maxBytes) throw new BodyTooLarge(`The body is larger than ${maxBytes} bytes.`);
        text += decoder.decode(value, { stream: true });
      }
    } catch (error) {
      forget(reader);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Cancels a reader whose data is no longer needed; a failure to cancel has no effect. */
function forget(reader: ReadableStreamDefaultReader): void {
  reader.cancel().catch(() => {});
}

/** Status for a client that disconnected. Nothing receives it; the runtime only needs a response to finish the request. */
const GONE = 499;

const PULSE_MS = 1000;

export interface FetchReplyOptions extends ReplyOptions {
  /** Called every second, from a timer of this request, while the reply is pending. */
  readonly onpulse?: (() => void) | undefined;
}

/**
 * Produces a web `Response`: `response` resolves as soon as the status is known. A reply that is not immediate has a timer of its own,
 * because workerd considers a request hung that waits only for another request.
 */
export class FetchHttpReply implements HttpReply {
  readonly response: Promise<Response>;
  readonly #resolve: (response: Response) => void;
  readonly #onabort: (() => void)[] = [];
  readonly #maxBufferedBytes: number;
  readonly #onpulse: () => void;
  readonly #onproblem: ReplyOptions['onproblem'];
  #pulse: ReturnType<typeof setInterval> | undefined;
  #hasPulse = true;
  #isOpen = false;
  /** Breaks off the stream that is being read. */
  #cut: (() => void) | undefined;
  #over = false;
  #isAborted = false;

  constructor(
    signal: AbortSignal,
    { maxBufferedBytes = MAX_BUFFERED_BYTES, onpulse = () => {}, onproblem }: FetchReplyOptions = {},
  ) {
    const { promise, resolve } = withResolvers<Response>();
    this.response = promise;
    this.#resolve = resolve;
    this.#maxBufferedBytes = maxBufferedBytes;
    this.#onpulse = onpulse;
    this.#onproblem = onproblem;
    if (signal.aborted) this.#aborted();
    else signal.addEventListener('abort', () => this.#aborted(), { once: true });
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    if (this.#over || this.#isOpen) return;
    const response = new Response(body ?? null, { status, headers });
    this.#finish();
    this.#resolve(response);
  }

  /** Replies with 500. A stream that has begun is cut, so that the client does not wait for the rest. */
  fail(): void {
    if (!this.#isOpen) return refuse(this, INTERNAL);
    this.#cut?.();
    this.#aborted();
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
      new ByteLengthQueuingStrategy({ highWaterMark: this.#maxBufferedBytes }),
    );
    const response = new Response(stream, { status, headers });
    this.#isOpen = true;
    this.#cut = () => controller?.error(new Error('Internal error'));
    this.#startPulse();
    this.#resolve(response);
    return {
      write: (text) => {
        if (this.#over || controller === undefined) return false;
        if ((controller.desiredSize ?? 0) > 0) {
          controller.enqueue(encoder.encode(text));
          return true;
        }
        controller.error(new Error('The client reads too slowly.'));
        this.#aborted();
        return false;
      },
      end: () => {
        if (!this.#over) controller?.close();
        this.#finish();
      },
    };
  }

  onabort(run: () => void): void {
    if (this.#isAborted) return queueMicrotask(run);
    this.#onabort.push(run);
    this.#startPulse();
  }

  withoutPulse(): void {
    this.#hasPulse = false;
  }

  #startPulse(): void {
    if (!this.#hasPulse || this.#over || this.#pulse !== undefined) return;
    const pulse = setInterval(() => {
      // Another request may have ended this one, and could not stop its timer.
      if (this.#over) clearInterval(pulse);
      else attempt(this.#onpulse, this.#onproblem);
    }, PULSE_MS);
    this.#pulse = pulse;
    (pulse as { unref?: () => void }).unref?.();
  }

  #finish(): void {
    this.#over = true;
    clearInterval(this.#pulse);
  }

  #aborted(): void {
    if (this.#over) return;
    this.#finish();
    this.#isAborted = true;
    for (const run of this.#onabort) attempt(run, this.#onproblem);
    this.#resolve(new Response(null, { status: GONE }));
  }
}

/** `Promise.withResolvers`, which not every supported runtime has. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
