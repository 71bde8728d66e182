import { StreamableHTTPClientTransport as NewTransport, type FetchLike, type JSONRPCMessage } from 'crosspoint/client';
import { EventSource } from '../internal/client/event-source.ts';
import { HttpTransport, limited, type HttpTransportOptions } from '../internal/client/http-transport.ts';
import { SseError } from '../internal/client/old-errors.ts';
import { contain } from '../internal/shared/contain.ts';
import type { Transport } from '../shared/transport.ts';

export { SseError };

/** @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final. */
export interface SSEClientTransportOptions extends HttpTransportOptions {
  /** `fetch` for opening the stream; the one that posts messages when absent. */
  eventSourceInit?: { fetch?: FetchLike | undefined } | undefined;
}

/**
 * The older HTTP+SSE transport in the way of v1: a lost stream is told to `onerror` and opened again, and `onclose` is called by `close`
 * alone.
 *
 * @deprecated HTTP+SSE was replaced by Streamable HTTP and is deprecated by SEP-2596; the earliest removal is three months after that
 * became final.
 */
export class SSEClientTransport extends HttpTransport implements Transport {
  readonly restartable = true as const;
  readonly renewable = true as const;
  readonly hasTwoEndpoints = true as const;
  readonly lastFailure: undefined;
  private readonly _streamFetch: FetchLike | undefined;
  private _eventSource: EventSource | undefined;
  /** Address to post to, once the server has named it. */
  private _endpoint: URL | undefined;

  constructor(url: URL | string, opts: SSEClientTransportOptions = {}) {
    super(url, opts);
    this._streamFetch = opts.eventSourceInit?.fetch;
  }

  get identity(): string {
    return new NewTransport(this._url).identity;
  }

  /** Resolves when the server has named its endpoint. */
  async start(): Promise<void> {
    if (this._eventSource)
      throw new Error(
        'SSEClientTransport already started! If using Client class, note that connect() calls start() automatically.',
      );
    await this._startOrAuth();
  }

  async close(): Promise<void> {
    this._abortController?.abort();
    this._eventSource?.close();
    contain(() => this.onclose?.(), this._problem);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const endpoint = this._endpoint;
    if (endpoint === undefined) throw new Error('Not connected');
    try {
      let response = await this._postMessage(endpoint, message);
      if (response.status === 401 && this._options.authProvider) {
        await response.body?.cancel();
        this._noteRefusal(response);
        await this._logIn();
        response = await this._postMessage(endpoint, message);
      }
      if (!response.ok) throw await this._refusal(response, endpoint);
      await response.body?.cancel();
    } catch (error) {
      this._problem(error);
      throw error;
    }
  }

  private async _refusal(response: Response, endpoint: URL): Promise<Error> {
    const text = await limited(response, this._maxBytes)
      .text()
      .catch(() => null);
    const said = this._unfollowedRedirect(response, endpoint) ?? text;
    return new Error(`Error POSTing to endpoint (HTTP ${response.status}): ${said}`);
  }

  /** Opens the stream; where the server wants a token, after a login, once. */
  private _startOrAuth(hasLoggedIn = false): Promise<void> {
    this._abortController = new AbortController();
    return new Promise((resolve, reject) => {
      let redirect: string | undefined;
      let isReady = false;
      this._eventSource = new EventSource({
        maxBytes: this._maxBytes,
        open: async (signal) => {
          const response = await this._open(signal);
          redirect = this._unfollowedRedirect(response, this._url);
          return response;
        },
        onevent: (event, data) => {
          if (event === 'endpoint') isReady = this._takeEndpoint(data, resolve, reject) || isReady;
          else if (data && (!event || event === 'message')) this._takeMessage(data);
        },
        onfailure: (failure) => {
          const { code } = failure;
          if (code === 401 && this._options.authProvider && !hasLoggedIn)
            return void this._logIn().then(
              () => this._startOrAuth(true).then(resolve, reject),
              (error: unknown) => {
                reject(error);
                this._problem(error);
              },
            );
          const error = new SseError(code, redirect ?? failure.message, failure);
          // A start that has failed is not tried again behind the program's back.
          if (!isReady) this._eventSource?.close();
          reject(error);
          this._problem(error);
        },
      });
    });
  }

  private async _open(signal: AbortSignal): Promise<Response> {
    const headers = await this._commonHeaders();
    headers.set('accept', 'text/event-stream');
    const init: RequestInit = { headers, signal, mode: 'cors', cache: 'no-store' };
    const response = await this._request(this._url, init, this._streamFetch ?? this._options.fetch);
    if (response.status === 401 && response.headers.has('www-authenticate')) this._noteRefusal(response);
    return response;
  }

  /** Takes the address to post to. One of another origin is refused, so that messages and credentials stay with this server. */
  private _takeEndpoint(data: string, onready: () => void, onrefused: (error: Error) => void): boolean {
    try {
      const endpoint = new URL(data, this._url);
      if (endpoint.origin !== this._url.origin)
        throw new Error(`Endpoint origin does not match connection origin: ${endpoint.origin}`);
      this._endpoint = endpoint;
      onready();
      return true;
    } catch (error) {
      onrefused(error as Error);
      this._problem(error);
      void this.close();
      return false;
    }
  }

  private _takeMessage(data: string): void {
    try {
      this._deliver(JSON.parse(data));
    } catch (error) {
      this._problem(error);
    }
  }
}
