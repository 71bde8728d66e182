import {
  StreamableHTTPServerTransport as NewTransport,
  type StreamableHTTPServerTransportOptions,
} from '../../server/index.ts';

export type { EventStore, StreamableHTTPServerTransportOptions } from '../../server/index.ts';
export type { EventId, StreamId } from './web-standard-streamable-http.ts';

/**
 * The transport of `crosspoint/server`, which looks at hosts and origins only where `enableDnsRebindingProtection` is `true`, as programs that
 * stand behind a proxy of their own expect of it.
 */
export class StreamableHTTPServerTransport extends NewTransport {
  constructor(options: StreamableHTTPServerTransportOptions = {}) {
    super({ ...options, enableDnsRebindingProtection: options.enableDnsRebindingProtection ?? false });
  }
}
