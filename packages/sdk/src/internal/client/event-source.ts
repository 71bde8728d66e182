import { StreamableHTTPClientTransport as NewTransport } from 'crosspoint/client';

/** Why a stream was refused or lost. `code` is the status of a response that is no stream. */
export interface StreamFailure {
  readonly type: 'error';
  readonly message: string | undefined;
  readonly code: number | undefined;
}

export interface EventSourcePort {
  readonly maxBytes: number;
  open(signal: AbortSignal): Promise<Response>;
  onevent(event: string | undefined, data: string): void;
  onfailure(failure: StreamFailure): void;
}

/** Milliseconds before a lost stream is opened again, unless the server names another delay. */
const RETRY_MS = 3000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A stream of events that is opened again whenever it is lost, as by `EventSource` of browsers: a stream that ends or cannot be reached is
 * told to `onfailure` and retried, a response that is no stream is told and final.
 */
export class EventSource {
  readonly #port: EventSourcePort;
  readonly #life = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryMs = RETRY_MS;

  constructor(port: EventSourcePort) {
    this.#port = port;
    void this.#connect();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#life.abort();
  }

  async #connect(): Promise<void> {
    const { signal } = this.#life;
    let lost: string | undefined;
    try {
      const response = await this.#port.open(signal);
      const refusal = refusalOf(response);
      if (refusal !== undefined) {
        await response.body?.cancel();
        if (!signal.aborted) this.#port.onfailure({ type: 'error', message: refusal, code: response.status });
        return;
      }
      if (response.body !== null) await this.#read(response.body);
    } catch (error) {
      lost = reasonOf(error);
    }
    if (signal.aborted) return;
    this.#timer = setTimeout(() => void this.#connect(), this.#retryMs);
    this.#port.onfailure({ type: 'error', message: lost, code: undefined });
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    await NewTransport.readEvents(body, {
      maxBytes: this.#port.maxBytes,
      onretry: (ms) => (this.#retryMs = Math.min(ms, LONGEST_TIMER_MS)),
      onevent: ({ event, data }) => this.#life.signal.aborted || this.#port.onevent(event, data),
    });
  }
}

/** Why a response is no stream of events; `undefined` when it is one. */
function refusalOf({ status, headers }: Response): string | undefined {
  if (status === 204) return 'Server sent HTTP 204, not reconnecting';
  if (status !== 200) return `Non-200 status code (${status})`;
  const isStream = headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
  return isStream ? undefined : 'Invalid content type, expected "text/event-stream"';
}

/** `fetch` nests its reasons as causes, and gives one for each address that was tried. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error.cause instanceof Error ? `${String(error)}: ${reasonOf(error.cause)}` : error.message;
}
