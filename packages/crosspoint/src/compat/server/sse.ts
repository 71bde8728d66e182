import {
  SSEServerTransport as NewTransport,
  type NodeResponse,
  type SSEServerTransportOptions,
} from '../../server/index.ts';

export type { SSEServerTransportOptions };

/**
 * The transport of `crosspoint/server`, which looks at hosts and origins only where `enableDnsRebindingProtection` is `true`.
 *
 * @deprecated HTTP+SSE was replaced by Streamable HTTP and is deprecated by SEP-2596; the earliest removal is three months after that became final.
 */
export class SSEServerTransport extends NewTransport {
  constructor(endpoint: string, response: NodeResponse, options: SSEServerTransportOptions = {}) {
    super(endpoint, response, {
      ...options,
      enableDnsRebindingProtection: options.enableDnsRebindingProtection ?? false,
    });
  }
}
