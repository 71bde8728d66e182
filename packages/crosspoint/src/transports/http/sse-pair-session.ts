import { kindOf, type JSONRPCBatch, type JSONRPCMessage } from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import { TransportError } from '../../protocol/errors.ts';
import { SSE_COMMENT, writeSseEvent } from '../../wire/sse.ts';
import type { MessageExtraInfo, Transport } from '../transport.ts';
import { STREAM_HEADERS } from './answers.ts';
import type { HttpHeaders, HttpReply, HttpRequest, HttpStream } from './exchange.ts';
import type { Ticker, Ticking } from './ticker.ts';

/**
 * The transport of the oldest revision: one stream out, one endpoint in. The stream's first event names the endpoint.
 *
 * @deprecated HTTP+SSE was replaced by Streamable HTTP and is deprecated by SEP-2596; the earliest removal is three months after that became final.
 */
export class SsePairSession implements Transport, Ticking {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  readonly sessionId: string;
  readonly #endpoint: string;
  readonly #reply: HttpReply;
  readonly #headers: HttpHeaders;
  readonly #ticker: Ticker | undefined;
  #stream: HttpStream | undefined;
  #closed = false;

  constructor(sessionId: string, endpoint: string, reply: HttpReply, options: { headers?: HttpHeaders; ticker?: Ticker } = {}) {
    this.sessionId = sessionId;
    this.#endpoint = endpoint;
    this.#reply = reply;
    this.#headers = options.headers ?? {};
    this.#ticker = options.ticker;
  }

  /** What was posted here has been answered with 202; the stream itself owes nothing that could be waited for. */
  get isWorking(): boolean {
    return false;
  }

  async start(): Promise<void> {
    if (this.#stream) throw new TypeError('This SSE transport has been started before; connecting a server starts it.');
    this.#stream = this.#reply.open(200, { ...STREAM_HEADERS, ...this.#headers });
    this.#reply.onabort(() => void this.close());
    this.#ticker?.add(this);
    const separator = this.#endpoint.includes('?') ? '&' : '?';
    this.#stream.write(writeSseEvent({ event: 'endpoint', data: `${this.#endpoint}${separator}sessionId=${this.sessionId}` }));
  }

  send(message: JSONRPCMessage | JSONRPCBatch): void {
    if (this.#closed || !this.#stream) throw new TransportError('closed', 'The stream to the client is not open.');
    if (!this.#stream.write(writeSseEvent({ event: 'message', data: serialise(message) }))) void this.close();
  }

  /** What was posted to the endpoint. Its answer comes on the stream. */
  post(body: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders = {}): void {
    if (this.#closed) return reply.send(404, headers);
    reply.send(kindOf(body) === 'invalid' ? 400 : 202, headers);
    this.onmessage?.(body as JSONRPCMessage, { authInfo: request.authInfo, requestInfo: { headers: request.allHeaders() } });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#ticker?.delete(this);
    this.#stream?.end();
    this.onclose?.();
  }

  tick(): void {
    this.#stream?.write(SSE_COMMENT);
  }
}
