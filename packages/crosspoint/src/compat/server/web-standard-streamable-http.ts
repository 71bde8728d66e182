import type { AuthInfo } from '../../index.ts';

export {
  WebStandardStreamableHTTPServerTransport,
  type EventStore,
  type StreamableHTTPServerTransportOptions as WebStandardStreamableHTTPServerTransportOptions,
} from '../../server/index.ts';

export type StreamId = string;
export type EventId = string;

export interface HandleRequestOptions {
  /** What somebody else has read of the body already. */
  parsedBody?: unknown;
  authInfo?: AuthInfo;
}
