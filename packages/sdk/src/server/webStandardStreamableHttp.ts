import type { AuthInfo, JSONRPCMessage, RequestId } from 'crosspoint';
import {
  WebStandardStreamableHTTPServerTransport as NewTransport,
  type HttpRequest,
  type StreamableHTTPServerTransportOptions as WebStandardStreamableHTTPServerTransportOptions,
  type TransportSendOptions,
} from 'crosspoint/server';
import { isPerRequest, type HttpReply } from '../internal/server/http/exchange.ts';
import { HandshakeHttp } from '../internal/server/http/handshake-http.ts';

export type { EventStore } from 'crosspoint/server';
export type { WebStandardStreamableHTTPServerTransportOptions };

export type StreamId = string;
export type EventId = string;

export interface HandleRequestOptions {
  /** The body, where it has already been read and parsed. */
  parsedBody?: unknown;
  authInfo?: AuthInfo;
}

/**
 * Serves clients that open with a handshake as v1 does, and all others as the transport of `crosspoint/server`. Hosts and origins are checked
 * only with `enableDnsRebindingProtection: true`.
 */
export class WebStandardStreamableHTTPServerTransport extends NewTransport {
  readonly #handshake: HandshakeHttp;
  /** An error of a callback of the program, which `handleRequest` rejects with. */
  #failure: { readonly error: unknown } | undefined;

  constructor(options: WebStandardStreamableHTTPServerTransportOptions = {}) {
    super({ ...options, enableDnsRebindingProtection: false });
    this.#handshake = new HandshakeHttp(options, this, (id) => this.worksOn(id));
  }

  override get sessionId(): string | undefined {
    return this.#handshake.sessionId;
  }
  override set sessionId(id: string | undefined) {
    this.#handshake.sessionId = id;
  }

  override async start(): Promise<void> {
    this.#handshake.start();
    await super.start();
  }

  override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    await (this.#handshake.send(message, options?.relatedRequestId) ?? super.send(message, options));
  }

  override async close(): Promise<void> {
    this.#handshake.close();
    await super.close();
  }

  override closeSSEStream(requestId: RequestId): void {
    this.#handshake.closeSSEStream(requestId);
    super.closeSSEStream(requestId);
  }

  override closeStandaloneSSEStream(): void {
    this.#handshake.closeStandaloneSSEStream();
  }

  override async handleRequest(request: Request, options?: HandleRequestOptions): Promise<Response> {
    if (!isPerRequest(request.headers.get('mcp-protocol-version'))) this.#handshake.begin();
    const response = await super.handleRequest(request, options);
    const failure = this.#failure;
    if (failure === undefined || request.method !== 'DELETE') return response;
    this.#failure = undefined;
    throw failure.error;
  }

  protected override async serve(request: HttpRequest, reply: HttpReply): Promise<void> {
    try {
      if (!(await this.#handshake.serve(request, reply))) await super.serve(request, reply);
    } catch (error) {
      if (request.method === 'DELETE') this.#failure = { error };
      throw error;
    }
  }
}
