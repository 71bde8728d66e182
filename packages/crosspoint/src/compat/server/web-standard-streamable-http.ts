export {
  WebStandardStreamableHTTPServerTransport,
  type EventStore,
  type StreamableHTTPServerTransportOptions as WebStandardStreamableHTTPServerTransportOptions,
} from '../../server/index.ts';
