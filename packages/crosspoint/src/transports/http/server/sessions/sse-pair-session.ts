import { attempt } from '../../../../runtime/guard.ts';
import {
  kindOf,
  type JSONRPCBatch,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type RequestId,
} from '../../../../jsonrpc/message.ts';
import { serialise } from '../../../../jsonrpc/serialise.ts';
import { TransportError } from '../../../../protocol/errors.ts';
import { SSE_COMMENT, writeSseEvent } from '../../../../wire/sse.ts';
import type { Clock } from '../../../../peer/clock.ts';
import { tokenLife } from '../../../auth-info.ts';
import type { AuthInfo, MessageExtraInfo, Transport } from '../../../transport.ts';
import { NO_HEADERS, streamHeaders } from '../adapters/reply-headers.ts';
import type { HttpHeaders, HttpReply, HttpRequest, HttpStream } from '../adapters/exchange.ts';
import { extraOf } from '../guards/http-auth.ts';
import type { Ticker, Ticking } from './ticker.ts';
import type { PendingWork } from '../adapters/pending-work.ts';

export interface SsePairOptions {
  readonly headers?: HttpHeaders;
  readonly ticker?: Ticker | undefined;
  /** Milliseconds of silence after which a comment is sent; never when 0 or absent. */
  readonly keepAliveMs?: number;
  /** Counts the session as pending work while it serves a request. */
  readonly work?: PendingWork | undefined;
  readonly clock: Clock;
  /**
   * The verified identity of the caller that opened the stream. The stream ends when it expires, unless a later request brought a newer
   * one.
   */
  readonly authInfo?: AuthInfo | undefined;
}

/**
 * The server side of the older HTTP+SSE transport: one stream out, one endpoint in. The first event names the endpoint.
 *
 * @deprecated HTTP+SSE was replaced by Streamable HTTP and is deprecated by SEP-2596; the earliest removal is three months after that
 * became final.
 */
export class SsePairSession implements Transport, Ticking {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  readonly sessionId: string;
  readonly carrier = 'http' as const;
  readonly #endpoint: string;
  readonly #reply: HttpReply;
  readonly #options: SsePairOptions;
  readonly #owed = new Set<RequestId>();
  #stream: HttpStream | undefined;
  #hasWritten = true;
  #lastSign = 0;
  #until: number;
  #closed = false;

  constructor(sessionId: string, endpoint: string, reply: HttpReply, options: SsePairOptions) {
    this.sessionId = sessionId;
    this.#endpoint = endpoint;
    this.#reply = reply;
    this.#options = options;
    this.#until = options.clock.now() + tokenLife(options.authInfo);
  }

  async start(): Promise<void> {
    if (this.#stream) throw new TypeError('The SSE transport was already started; connecting a server starts it.');
    this.#stream = this.#reply.open(200, streamHeaders(this.#options.headers ?? NO_HEADERS), true);
    this.#reply.onabort(() => void this.close());
    this.#options.ticker?.add(this);
    const separator = this.#endpoint.includes('?') ? '&' : '?';
    this.#stream.write(
      writeSseEvent({
        event: 'endpoint',
        data: `${this.#endpoint}${separator}sessionId=${encodeURIComponent(this.sessionId)}`,
      }),
    );
  }

  send(message: JSONRPCMessage | JSONRPCBatch): void {
    if (this.#closed || !this.#stream) throw new TransportError('closed', 'The SSE stream to the client is not open.');
    this.#hasWritten = true;
    const isTaken = this.#stream.write(writeSseEvent({ event: 'message', data: serialise(message) }));
    for (const one of Array.isArray(message) ? (message as JSONRPCMessage[]) : [message as JSONRPCMessage])
      if (!('method' in one)) this.#settled(one.id ?? undefined);
    if (!isTaken) void this.close();
  }

  /** Takes a POST to the endpoint. The answer is sent on the stream. */
  post(body: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders = {}): void {
    if (this.#closed) return reply.send(404, headers);
    this.#until = Math.max(this.#until, this.#options.clock.now() + tokenLife(request.authInfo));
    reply.send(kindOf(body) === 'invalid' && !Array.isArray(body) ? 400 : 202, headers);
    this.receive(body, extraOf(request));
  }

  /** Delivers a message. */
  receive(body: unknown, extra?: MessageExtraInfo): void {
    for (const message of Array.isArray(body) ? (body as unknown[]) : [body]) {
      const kind = kindOf(message);
      if (kind === 'request') this.#owed.add((message as JSONRPCRequest).id);
      else if (kind === 'notification' && (message as JSONRPCNotification).method === 'notifications/cancelled')
        this.#settled((message as JSONRPCNotification).params?.['requestId'] as RequestId);
    }
    if (this.#owed.size > 0) this.#options.work?.add(this);
    this.onmessage?.(body as JSONRPCMessage, extra);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#owed.clear();
    this.#options.work?.delete(this);
    this.#options.ticker?.delete(this);
    this.#stream?.end();
    attempt(
      () => this.onclose?.(),
      (error) => this.onerror?.(error),
    );
  }

  tick(now: number): void {
    const { keepAliveMs = 0 } = this.#options;
    if (now >= this.#until) return void this.close();
    if (this.#hasWritten) {
      this.#hasWritten = false;
      this.#lastSign = now;
    } else if (keepAliveMs > 0 && now - this.#lastSign >= keepAliveMs) {
      this.#hasWritten = true;
      if (this.#stream?.write(SSE_COMMENT) === false) void this.close();
    }
  }

  #settled(id: RequestId | undefined): void {
    if (id !== undefined) this.#owed.delete(id);
    if (this.#owed.size === 0) this.#options.work?.delete(this);
  }
}
