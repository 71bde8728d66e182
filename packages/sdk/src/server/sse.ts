import {
  SSEServerTransport as NewTransport,
  type NodeRequest,
  type NodeResponse,
  type SSEServerTransportOptions,
} from 'crosspoint/server';
import { refuseRebound } from '../internal/server/rebound-requests.ts';

export type { SSEServerTransportOptions };

/**
 * The transport of `crosspoint/server`. It checks hosts and origins against lists only with `enableDnsRebindingProtection: true`. POST
 * requests made by DNS rebinding are refused unless that is `false`.
 *
 * @deprecated HTTP+SSE was replaced by Streamable HTTP and is deprecated by SEP-2596; the earliest removal is three months after that
 * became final.
 */
export class SSEServerTransport extends NewTransport {
  readonly #isOpen: boolean;

  constructor(endpoint: string, response: NodeResponse, options: SSEServerTransportOptions = {}) {
    super(endpoint, response, {
      ...options,
      enableDnsRebindingProtection: options.enableDnsRebindingProtection ?? false,
    });
    this.#isOpen = options.enableDnsRebindingProtection === false;
  }

  override async handlePostMessage(request: NodeRequest, response: NodeResponse, parsedBody?: unknown): Promise<void> {
    if (this.#isOpen || !refuseRebound(request, response)) await super.handlePostMessage(request, response, parsedBody);
  }
}
