import type { JSONRPCMessage, RequestId } from 'crosspoint';
import {
  StreamableHTTPServerTransport as NewTransport,
  type HttpRequest,
  type NodeRequest,
  type NodeResponse,
  type StreamableHTTPServerTransportOptions,
  type TransportSendOptions,
} from 'crosspoint/server';
import type { HttpReply } from '../internal/server/http/exchange.ts';
import { isPerRequest } from '../internal/server/http/exchange.ts';
import { HandshakeHttp } from '../internal/server/http/handshake-http.ts';
import { refuseRebound } from '../internal/server/rebound-requests.ts';

export type { EventStore, StreamableHTTPServerTransportOptions } from 'crosspoint/server';
export type { EventId, StreamId } from './webStandardStreamableHttp.ts';

/**
 * Serves clients that open with a handshake as v1 does, and all others as the transport of `crosspoint/server`. Hosts and origins are checked
 * against lists only with `enableDnsRebindingProtection: true`; requests made by DNS rebinding are refused unless that is `false`.
 */
export class StreamableHTTPServerTransport extends NewTransport {
  readonly #handshake: HandshakeHttp;
  readonly #options: StreamableHTTPServerTransportOptions;

  constructor(options: StreamableHTTPServerTransportOptions = {}) {
    super({ ...options, enableDnsRebindingProtection: false });
    this.#options = options;
    this.#handshake = new HandshakeHttp(options, this, (id) => this.worksOn(id));
  }

  override get sessionId(): string | undefined {
    return this.#handshake.sessionId;
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

  override async handleRequest(request: NodeRequest, response: NodeResponse, parsedBody?: unknown): Promise<void> {
    if (refuseRebound(request, response, this.#options)) return;
    await super.handleRequest(request, response, parsedBody);
  }

  protected override async serve(request: HttpRequest, reply: HttpReply): Promise<void> {
    if (!isPerRequest(request.header('mcp-protocol-version'))) this.#handshake.begin();
    if (!(await this.#handshake.serve(request, reply))) await super.serve(request, reply);
  }
}
