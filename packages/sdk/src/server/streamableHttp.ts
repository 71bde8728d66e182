import {
  StreamableHTTPServerTransport as NewTransport,
  type NodeRequest,
  type NodeResponse,
  type StreamableHTTPServerTransportOptions,
} from 'crosspoint/server';
import { refuseRebound } from '../internal/server/rebound-requests.ts';

export type { EventStore, StreamableHTTPServerTransportOptions } from 'crosspoint/server';
export type { EventId, StreamId } from './webStandardStreamableHttp.ts';

/**
 * The transport of `crosspoint/server`. It checks hosts and origins against lists only with `enableDnsRebindingProtection: true`, as v1
 * programs behind a proxy expect. Requests made by DNS rebinding are refused unless that is `false`.
 */
export class StreamableHTTPServerTransport extends NewTransport {
  readonly #isOpen: boolean;

  constructor(options: StreamableHTTPServerTransportOptions = {}) {
    super({ ...options, enableDnsRebindingProtection: options.enableDnsRebindingProtection ?? false });
    this.#isOpen = options.enableDnsRebindingProtection === false;
  }

  override async handleRequest(request: NodeRequest, response: NodeResponse, parsedBody?: unknown): Promise<void> {
    if (this.#isOpen || !refuseRebound(request, response)) await super.handleRequest(request, response, parsedBody);
  }
}
