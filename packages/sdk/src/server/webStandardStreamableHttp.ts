import type { AuthInfo } from 'crosspoint';
import {
  WebStandardStreamableHTTPServerTransport as NewTransport,
  type StreamableHTTPServerTransportOptions as WebStandardStreamableHTTPServerTransportOptions,
} from 'crosspoint/server';

export type { EventStore } from 'crosspoint/server';
export type { WebStandardStreamableHTTPServerTransportOptions };

export type StreamId = string;
export type EventId = string;

export interface HandleRequestOptions {
  /** What somebody else has read of the body already. */
  parsedBody?: unknown;
  authInfo?: AuthInfo;
}

/** The transport of `crosspoint/server`, which looks at hosts and origins only where `enableDnsRebindingProtection` is `true`. */
export class WebStandardStreamableHTTPServerTransport extends NewTransport {
  constructor(options: WebStandardStreamableHTTPServerTransportOptions = {}) {
    super({ ...options, enableDnsRebindingProtection: options.enableDnsRebindingProtection ?? false });
  }
}
