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
  /** The body, where it has already been read and parsed. */
  parsedBody?: unknown;
  authInfo?: AuthInfo;
}

/** The transport of `crosspoint/server`. It checks hosts and origins only with `enableDnsRebindingProtection: true`. */
export class WebStandardStreamableHTTPServerTransport extends NewTransport {
  constructor(options: WebStandardStreamableHTTPServerTransportOptions = {}) {
    super({ ...options, enableDnsRebindingProtection: options.enableDnsRebindingProtection ?? false });
  }
}
